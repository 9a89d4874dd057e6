//! The process's own terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::terminal::{Ask, AskError};

/// Standard input and standard error of this process.
pub(super) struct Real;

impl Ask for Real {
    fn write(&mut self, text: &str) -> Result<(), AskError> {
        Ok(io::stderr().lock().write_all(text.as_bytes())?)
    }

    fn line(&mut self, prompt: &str) -> Result<String, AskError> {
        self.line_unless(prompt, &|| false)
    }

    fn line_unless(&mut self, prompt: &str, stop: &dyn Fn() -> bool) -> Result<String, AskError> {
        let mut err = io::stderr().lock();
        write!(err, "{prompt}")?;
        err.flush()?;
        let line = wait_for_input(stop).and_then(|()| read_line());
        if line.is_err() && io::stdin().is_terminal() {
            // The cursor stands behind the question: what is said next begins a line.
            writeln!(err)?;
        }
        let line = line?;
        if !io::stdin().is_terminal() {
            // A terminal shows what is typed; a line from a pipe is written down, so that the talk can be read.
            writeln!(err, "{}", line.trim_end())?;
        }
        Ok(line)
    }

    fn secret(&mut self, prompt: &str) -> Result<String, AskError> {
        if !io::stdin().is_terminal() {
            // What comes from a pipe shows nowhere.
            writeln!(io::stderr().lock(), "{}", prompt.trim_end())?;
            return read_line().map(|line| line.trim_end_matches(['\n', '\r']).to_owned());
        }
        let password = inquire::Password::new(prompt.trim_end()).without_confirmation();
        Ok(password.with_display_mode(inquire::PasswordDisplayMode::Hidden).prompt()?)
    }

    fn menu(&mut self, prompt: &str, options: &[String], start: usize) -> Result<Option<usize>, AskError> {
        if !has_menus() {
            return Ok(None);
        }
        let menu = inquire::Select::new(prompt.trim_end(), options.iter().collect());
        Ok(Some(menu.with_starting_cursor(start).raw_prompt()?.index))
    }

    fn menu_of_many(
        &mut self,
        prompt: &str,
        options: &[String],
        chosen: &[usize],
    ) -> Result<Option<Vec<usize>>, AskError> {
        if !has_menus() {
            return Ok(None);
        }
        let menu = inquire::MultiSelect::new(prompt.trim_end(), options.iter().collect());
        let picked = menu.with_default(chosen).raw_prompt()?;
        Ok(Some(picked.into_iter().map(|option| option.index).collect()))
    }

    fn forget_typed_ahead(&mut self) {
        if io::stdin().is_terminal()
            && let Err(error) = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush)
        {
            tracing::warn!(%error, "what was typed before the question may be taken for its answer");
        }
    }

    fn bell(&mut self) {
        if io::stderr().is_terminal() {
            // A bell that does not ring is no failure.
            let _ = io::stderr().lock().write_all(b"\x07");
        }
    }

    fn edit(&mut self, text: &str, suffix: &str) -> Result<String, AskError> {
        let set = |name| {
            let value = std::env::var(name).ok().filter(|value| !value.trim().is_empty())?;
            Some((value, Some(name)))
        };
        let (command, variable) =
            set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| ("nano".to_owned(), None));
        let mut words =
            shell_words::split(&command).map_err(|_| AskError::Editor(command.clone()))?.into_iter();
        let program = words.next().ok_or(AskError::NoEditor)?;
        let mut file = tempfile::Builder::new().prefix("hookspec-").suffix(suffix).tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        let status = Command::new(&program).args(words).arg(file.path()).status();
        match status {
            Ok(status) if status.success() => Ok(std::fs::read_to_string(file.path())?),
            Ok(_) => Err(AskError::Editor(command)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(match variable {
                Some(variable) => AskError::EditorMissing { program, variable },
                None => AskError::NoEditor,
            }),
            Err(error) => Err(error.into()),
        }
    }

    fn copy(&mut self, text: &str) -> Result<(), AskError> {
        let programs: [(&str, &[&str]); 4] = [
            ("wl-copy", &[]),
            ("xclip", &["-selection", "clipboard"]),
            ("xsel", &["--clipboard", "--input"]),
            ("pbcopy", &[]),
        ];
        for (program, args) in programs {
            let Some(path) = hookspec_process::find(program, None) else { continue };
            let mut command = Command::new(path);
            command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            let Ok(mut child) = command.spawn() else { continue };
            let written = child.stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes()));
            if matches!(written, Some(Ok(()))) && child.wait().is_ok_and(|status| status.success()) {
                return Ok(());
            }
        }
        Err(AskError::NoClipboard)
    }

    fn colours(&self) -> bool {
        io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
    }
}

fn read_line() -> Result<String, AskError> {
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Err(AskError::End);
    }
    Ok(line)
}

/// Waits until a terminal has a line, looking up now and then whether it is still wanted. The reader of standard
/// input holds nothing back meanwhile: a terminal hands out one line at a time.
fn wait_for_input(stop: &dyn Fn() -> bool) -> Result<(), AskError> {
    const LOOK_UP: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Ok(());
    }
    loop {
        if stop() {
            return Err(AskError::BrokenOff);
        }
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&LOOK_UP)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(AskError::Io(error.into())),
        }
    }
}

fn has_menus() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

impl From<inquire::InquireError> for AskError {
    fn from(error: inquire::InquireError) -> Self {
        use inquire::InquireError::{IO, NotTTY, OperationCanceled, OperationInterrupted};
        match error {
            OperationCanceled | OperationInterrupted => Self::BrokenOff,
            NotTTY => Self::Shown,
            IO(error) => Self::Io(error),
            other => Self::Io(io::Error::other(other.to_string())),
        }
    }
}
