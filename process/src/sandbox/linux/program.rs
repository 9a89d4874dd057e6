//! The program that is to run, ready to be run: after the fork there is no memory to make of it what the kernel takes.
//!
//! The supervisor and the command share the memory of the process that `Command` forked, as `vfork` does it, each on a stack of its
//! own. A copy of our tables of memory for each would cost more than all the rest.

#![allow(unsafe_code, reason = "lists of pointers are what the kernel takes")]

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::ptr;

use libc::c_char;

use super::sys::{self, Errno};

/// How much of a stack each of the two has.
const STACK: usize = 128 * 1024;

/// A program with all that it is given.
#[derive(Debug)]
pub(super) struct Ready {
    /// Where it may be, in order, each with what a shell is given if it is a script that names none.
    places: Vec<(CString, Vec<*const c_char>)>,
    arguments: Vec<*const c_char>,
    variables: Vec<*const c_char>,
    supervisor: Vec<u8>,
    command: Vec<u8>,
    _texts: Vec<CString>,
}

// SAFETY: the pointers are to texts that live as long as this and are never written.
unsafe impl Send for Ready {}
// SAFETY: the same.
unsafe impl Sync for Ready {}

impl Ready {
    /// What a command will run. Its variables must all be set on it. None where something in it has a zero: `Command` tells that.
    pub(super) fn new(command: &Command) -> Option<Self> {
        let text = |text: &OsStr| CString::new(text.as_bytes()).ok();
        let program = command.get_program();
        let mut texts = vec![text(program)?];
        for argument in command.get_args() {
            texts.push(text(argument)?);
        }
        let count = texts.len();
        let mut path = None;
        for (name, value) in command.get_envs().filter_map(|(name, value)| Some((name, value?))) {
            if name == "PATH" {
                path = Some(value);
            }
            texts.push(CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).ok()?);
        }
        let list = |texts: &[CString]| -> Vec<*const c_char> {
            texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
        };
        let (arguments, variables) = (list(texts.get(..count)?), list(texts.get(count..)?));
        let places: Vec<CString> = if program.as_bytes().contains(&b'/') {
            vec![text(program)?]
        } else {
            let folders = std::env::split_paths(path.unwrap_or_else(|| OsStr::new("/bin:/usr/bin")));
            // An empty name of a folder is the current one, as for every shell.
            let places = folders.map(|folder| text(folder.join(program).as_os_str()));
            places.collect::<Option<_>>()?
        };
        let by_shell = |place: &CStr| {
            let rest = arguments.iter().skip(1).copied();
            [c"/bin/sh".as_ptr(), place.as_ptr()].into_iter().chain(rest).collect::<Vec<_>>()
        };
        // The text of a place stays where it is when the place is moved into the list.
        let places = places
            .into_iter()
            .map(|place| (by_shell(&place), place))
            .map(|(shell, place)| (place, shell))
            .collect();
        let stack = || Vec::with_capacity(STACK);
        Some(Self { places, arguments, variables, supervisor: stack(), command: stack(), _texts: texts })
    }

    /// Becomes the program. Comes back only with what went wrong.
    pub(super) fn run(&self) -> Errno {
        let mut error = libc::ENOENT;
        for (place, by_shell) in &self.places {
            match sys::exec(place, &self.arguments, &self.variables) {
                libc::ENOENT | libc::ENOTDIR | libc::ENAMETOOLONG => {}
                libc::EACCES => error = libc::EACCES,
                libc::ENOEXEC => return sys::exec(c"/bin/sh", by_shell, &self.variables),
                other => return other,
            }
        }
        error
    }

    /// The upper end of the supervisor's stack.
    pub(super) fn supervisor_stack(&self) -> *mut libc::c_void {
        top(&self.supervisor)
    }

    /// The upper end of the command's stack, until it is a program.
    pub(super) fn command_stack(&self) -> *mut libc::c_void {
        top(&self.command)
    }
}

fn top(stack: &Vec<u8>) -> *mut libc::c_void {
    let end = stack.as_ptr().cast_mut().wrapping_add(stack.capacity());
    // Sixteen is what every processor here asks of a stack.
    end.wrapping_sub(end.addr() % 16).cast()
}
