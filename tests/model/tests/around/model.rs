//! The meaning of hooks around work, written down once.
//!
//! Every hook is a list of steps here, and what a hook holds of the rest is a variable of whoever goes through its list: so
//! nothing that a hook does can take the rest along, and what is left of it is gone on with where the list ends.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use crate::case::{Act, Case, Desc, How, Step, Work};
use crate::seen::{Entry, Out, Seen};

/// A case with more runs than this is not worth its time.
const MOST_RUNS: usize = 200;

/// A result, and the hook that gave it in place of the work.
#[derive(Clone)]
struct Got {
    value: String,
    by: Option<String>,
}

enum Broken {
    Panic(String),
    Lost(String),
    TooLong,
}

type Ended = Result<Got, Broken>;
type Boxed<'m> = Pin<Box<dyn Future<Output = Ended> + 'm>>;

#[derive(Default)]
struct Told {
    seen: Seen,
    out: Out,
    runs: Vec<u32>,
    all_runs: usize,
    once: BTreeSet<usize>,
    disabled: BTreeSet<usize>,
    off: BTreeSet<usize>,
    quarantined: BTreeSet<usize>,
    failures: Vec<u32>,
    held: bool,
    work_runs: u32,
}

/// One act.
struct Model<'c> {
    hooks: Vec<&'c Desc>,
    work: Work,
    now: bool,
    may_wait: bool,
    told: &'c RefCell<Told>,
}

/// What must be seen of a case; `None` where it takes too long. `thread_may_wait`: whether the thread may block.
pub fn foretell(case: &Case, thread_may_wait: bool) -> Option<Seen> {
    let told = RefCell::new(Told {
        runs: vec![0; case.hooks.len()],
        failures: vec![0; case.hooks.len()],
        ..Told::default()
    });
    let mut order: Vec<&Desc> = case.hooks.iter().collect();
    order.sort_by_key(|desc| (-desc.priority, desc.name()));
    for (number, act) in case.acts.iter().enumerate() {
        match *act {
            Act::Around(how, work) => {
                let on = |desc: &&&Desc| {
                    let told = told.borrow();
                    ![&told.disabled, &told.off, &told.quarantined].iter().any(|off| off.contains(&desc.uid))
                };
                let hooks: Vec<&Desc> = order.iter().filter(on).copied().collect();
                told.borrow_mut().seen.timeline.push(Entry::Fired);
                told.borrow_mut().work_runs = 0;
                let may_wait = !how.is_now() || thread_may_wait;
                let model = Model { hooks, work, now: how.is_now(), may_wait, told: &told };
                let ended = model.run(&format!("t{number}"), how);
                let mut told = told.borrow_mut();
                let mut out = std::mem::take(&mut told.out);
                match ended {
                    Some(Ok(got)) => (out.result, out.by) = (got.value, got.by),
                    Some(Err(Broken::Lost(hook))) => out.result = format!("lost by {hook}"),
                    Some(Err(Broken::Panic(text))) => out = Out { result: text, ..Out::default() },
                    Some(Err(Broken::TooLong)) => return None,
                    None => out = Out { result: "dropped".into(), ..Out::default() },
                }
                told.seen.outs.push(out);
            }
            Act::Disable(uid) => _ = told.borrow_mut().disabled.insert(uid),
            Act::Enable(uid) => {
                let mut told = told.borrow_mut();
                told.disabled.remove(&uid);
                told.quarantined.remove(&uid);
                if let Some(failures) = told.failures.get_mut(uid) {
                    *failures = 0;
                }
            }
            Act::Off(uid) => _ = told.borrow_mut().off.insert(uid),
            Act::On(uid) => _ = told.borrow_mut().off.remove(&uid),
        }
    }
    let mut told = told.into_inner();
    for desc in &case.hooks {
        let on = !told.disabled.contains(&desc.uid) && !told.quarantined.contains(&desc.uid);
        told.seen.rows.push((desc.name(), on, told.failures[desc.uid]));
    }
    Some(told.seen)
}

/// Pending once.
async fn once_pending() {
    let mut asked = false;
    poll_fn(|_| if std::mem::replace(&mut asked, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// A hook that runs: dropped before it is over it was cut short.
struct Runs<'m, 'c> {
    model: &'m Model<'c>,
    desc: &'c Desc,
    state: bool,
    over: bool,
}

impl Drop for Runs<'_, '_> {
    fn drop(&mut self) {
        let mut told = self.model.told.borrow_mut();
        if self.state {
            told.held = false;
        }
        if !self.over {
            if self.desc.once {
                told.once.remove(&self.desc.uid);
            }
            told.seen.timeline.push(Entry::Ran {
                hook: self.desc.name(),
                messages: Vec::new(),
                first: None,
                flow: None,
                failed: true,
                around: None,
            });
        }
    }
}

/// Work that runs: the same.
struct Works<'m, 'c>(&'m Model<'c>, bool);

impl Drop for Works<'_, '_> {
    fn drop(&mut self) {
        if !self.1 {
            self.0.told.borrow_mut().seen.cut += 1;
        }
    }
}

impl<'c> Model<'c> {
    fn run(&self, text: &str, how: How) -> Option<Ended> {
        let mut whole = pin!(self.rest(0, text.to_owned()));
        loop {
            match whole.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(ended) => return Some(ended),
                Poll::Pending if how == How::Dropped => return None,
                Poll::Pending => {}
            }
        }
    }

    fn rest(&self, from: usize, text: String) -> Boxed<'_> {
        Box::pin(async move {
            for (at, desc) in self.hooks.iter().enumerate().skip(from) {
                if desc.once && !self.told.borrow_mut().once.insert(desc.uid) {
                    continue;
                }
                return self.hook(at, desc, text).await;
            }
            self.work(text).await
        })
    }

    async fn work(&self, text: String) -> Ended {
        let nth = {
            let mut told = self.told.borrow_mut();
            told.seen.work.push(text.clone());
            told.work_runs += 1;
            told.work_runs - 1
        };
        let panics = self.work.panics.filter(|(number, _)| *number == nth).map(|(_, late)| late);
        let broken = || Err(Broken::Panic("model: work".into()));
        if panics == Some(false) {
            return broken();
        }
        let mut works = Works(self, true);
        for _ in 0..if self.now { 0 } else { self.work.waits } {
            works.1 = false;
            once_pending().await;
        }
        works.1 = true;
        if panics == Some(true) {
            return broken();
        }
        Ok(Got { value: format!("{text}#{nth}"), by: None })
    }

    async fn hook(&self, at: usize, desc: &'c Desc, text: String) -> Ended {
        // Behind what it holds: of what is cut short, what is further in goes first.
        let mut running = Runs { model: self, desc, state: false, over: false };
        let (mut runs, mut last, mut held, mut cause) = (0, None::<Got>, None::<Boxed<'_>>, None);
        let (mut messages, mut answer, mut flow, mut error) = (Vec::new(), None, None, None);
        let (mut returns, mut waits, mut broken) = (true, false, None);
        // What the hook itself knows of: the last result that it was given, and whether it holds a run.
        let (mut seen, mut holds, mut polled) = (None::<String>, false, false);
        let (script, drops) = {
            let mut told = self.told.borrow_mut();
            if desc.kind.has_state() && told.held {
                (Vec::new(), false)
            } else {
                told.all_runs += 1;
                if told.all_runs > MOST_RUNS {
                    running.over = true;
                    drop(told);
                    return Err(Broken::TooLong);
                }
                running.state = desc.kind.has_state();
                told.held |= running.state;
                let nth = told.runs[desc.uid];
                told.runs[desc.uid] += 1;
                (desc.script(nth), desc.drops_badly(nth))
            }
        };
        if desc.kind.has_state() && !running.state {
            cause = Some("state".to_owned());
        }
        let mut late = None;
        for step in script {
            match step {
                _ if late.is_some() => break,
                Step::Say => {
                    messages.push(format!("{text}: {}", seen.as_deref().unwrap_or("nothing")));
                }
                Step::Answer(number) => {
                    answer = Some(format!("{}={number}", seen.as_deref().unwrap_or_default()));
                }
                Step::Stop => flow = Some("stop".to_owned()),
                Step::End => flow = Some("end".to_owned()),
                Step::Err => error = Some("error: model: error".to_owned()),
                Step::PanicLate => late = Some("panic: model: late".to_owned()),
                Step::Panic => {
                    (returns, cause) = (false, Some("panic: model: panic".to_owned()));
                    break;
                }
                Step::Wait | Step::Hang if !desc.kind.is_async() => {}
                Step::Wait | Step::Hang => {
                    if broken.is_some() {
                        returns = false;
                        break;
                    }
                    // What was begun gets on while its hook waits for something else.
                    if let Some(begun) = held.as_mut().filter(|_| !polled)
                        && let Poll::Ready(ended) = once(begun).await
                    {
                        held = None;
                        match ended {
                            Ok(got) => last = Some(got),
                            Err(why) => {
                                (broken, returns) = (Some(why), false);
                                break;
                            }
                        }
                        continue;
                    }
                    if held.is_none() && !self.may_wait {
                        (returns, cause) = (false, Some("cannot wait".to_owned()));
                        break;
                    }
                    once_pending().await;
                    polled = false;
                    if step == Step::Hang {
                        (returns, cause) = (false, Some("timeout".to_owned()));
                        break;
                    }
                }
                step if !desc.kind.takes_next() || holds || waits => _ = step,
                // What broke is the host's, and nothing is run any more.
                Step::Cut if broken.is_some() => {}
                Step::Begin if broken.is_some() => holds = true,
                _ if broken.is_some() => {
                    returns = false;
                    break;
                }
                step => {
                    runs += 1;
                    let input =
                        if let Step::With(number) = step { format!("{text}+{number}") } else { text.clone() };
                    let mut begun = self.rest(at + 1, input);
                    let ended = match once(&mut begun).await {
                        Poll::Ready(ended) => ended,
                        Poll::Pending if !desc.kind.is_async() && !self.now => {
                            (waits, held) = (true, Some(begun));
                            continue;
                        }
                        Poll::Pending if !desc.kind.is_async() => {
                            // The thread waits.
                            loop {
                                let polled = begun.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                                if let Poll::Ready(ended) = polled {
                                    break ended;
                                }
                            }
                        }
                        Poll::Pending if step == Step::Cut => continue,
                        Poll::Pending if step == Step::Begin => {
                            (held, holds, polled) = (Some(begun), true, true);
                            continue;
                        }
                        Poll::Pending => {
                            once_pending().await;
                            polled = false;
                            begun.await
                        }
                    };
                    match ended {
                        Ok(got) => {
                            seen = Some(got.value.clone());
                            last = Some(got);
                        }
                        Err(why) => {
                            broken = Some(why);
                            // Who looks once sees only that it is not ready.
                            holds = step == Step::Begin;
                            if !desc.kind.is_async() || !matches!(step, Step::Cut | Step::Begin) {
                                returns = false;
                                break;
                            }
                        }
                    }
                }
            }
        }
        if returns && !waits {
            // What it still held it let go of.
            held = None;
        }
        if !returns {
            (messages, answer, flow, error) = (Vec::new(), None, None, None);
        }
        if returns && cause.is_none() {
            cause = late.or(drops.then(|| "panic: model: drop".to_owned()));
        }
        if broken.is_some() {
            cause = None;
        }
        if waits {
            (cause, error, answer) = (Some("next waits".to_owned()), None, None);
        }
        self.settle(desc, (runs, &messages, answer.as_ref(), flow.as_ref()), error, cause, broken.is_some());
        running.over = true;
        drop(running);
        if let Some(broken) = broken {
            return Err(broken);
        }
        if let Some(value) = answer {
            return Ok(Got { value, by: Some(desc.name()) });
        }
        match (held, last) {
            (Some(begun), _) => begun.await,
            (None, Some(last)) => Ok(last),
            (None, None) if runs == 0 && flow.is_some() => self.rest(self.hooks.len(), text).await,
            (None, None) if runs == 0 => self.rest(at + 1, text).await,
            (None, None) => Err(Broken::Lost(desc.name())),
        }
    }

    /// What a hook said becomes part of what they say together.
    fn settle(
        &self,
        desc: &Desc,
        (runs, messages, answer, flow): (u32, &[String], Option<&String>, Option<&String>),
        error: Option<String>,
        cause: Option<String>,
        broken: bool,
    ) {
        let mut told = self.told.borrow_mut();
        let name = desc.name();
        told.seen.timeline.push(Entry::Ran {
            hook: name.clone(),
            messages: messages.to_vec(),
            first: answer.cloned(),
            flow: flow.cloned(),
            failed: error.is_some() || cause.is_some(),
            around: desc.kind.takes_next().then_some((runs, answer.is_some())),
        });
        for text in messages {
            told.seen.log.push((name.clone(), text.clone()));
            told.out.messages.push((name.clone(), text.clone()));
        }
        if desc.once && (cause.is_some() || broken) {
            told.once.remove(&desc.uid);
        }
        for cause in error.into_iter().chain(cause) {
            told.failures[desc.uid] += 1;
            if desc.quarantine.is_some_and(|most| told.failures[desc.uid] >= most) {
                told.quarantined.insert(desc.uid);
            }
            told.out.failures.push((name.clone(), cause));
        }
        // The end of the session is not taken back.
        if let Some(flow) = flow
            && told.out.flow.as_deref() != Some("end")
        {
            told.out.flow = Some(flow.clone());
        }
    }
}

/// Polls once.
async fn once(begun: &mut Boxed<'_>) -> Poll<Ended> {
    poll_fn(|cx| Poll::Ready(begun.as_mut().poll(cx))).await
}
