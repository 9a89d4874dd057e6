//! The meaning of firing a point, written down once.
//!
//! A reference interpreter: no threads, no time, no cleverness. What every path of core must give is what this
//! gives.

use std::collections::{BTreeMap, BTreeSet};

use hookspec::Gate;
use hookspec::hooks::Shadowed;

use crate::case::{Act, At, Case, Desc, Place, State, Step};
use crate::live::{Live, Slot, Slots};
use crate::order::wants;
use crate::said::{Said, error, panic, rank, say};
use crate::seen::{Entry, Out, Seen};

/// How deep a hook may fire points from within hooks.
const DEEPEST: usize = 8;
/// A case with more runs than this is not worth its time.
const MOST_RUNS: usize = 150;
/// Each hang on a thread keeps that thread to the end of the case.
const MOST_HANGS: usize = 6;

/// Why the model says nothing about a case.
#[derive(Debug, PartialEq, Eq)]
pub enum Unsaid {
    TooLong,
    /// A thread that may not wait meets a hook that waits within another.
    WaitsWithin,
}

/// How one run ended.
#[derive(PartialEq)]
enum Ended {
    Returned,
    Failed(String),
}

/// Where a chain stands: how deep, which states its runs hold, whether its thread may wait.
#[derive(Clone)]
struct Chain {
    depth: usize,
    held: Vec<State>,
    may_wait: bool,
    /// Whether it was begun by `fire_now!`, which cannot be pending.
    now: bool,
    /// Whether an async hook, which hands its waiting on, is between that and here.
    within: bool,
}

struct Model<'c> {
    case: &'c Case,
    live: Live<'c>,
    once: BTreeSet<(usize, At)>,
    counts: BTreeMap<State, u64>,
    stuck: BTreeSet<State>,
    runs: BTreeMap<usize, u32>,
    all_runs: usize,
    hangs: usize,
    seen: Seen,
}

/// What must be seen of a case. `thread_may_wait`: whether the thread that fires may block.
pub fn foretell(case: &Case, thread_may_wait: bool) -> Result<Seen, Unsaid> {
    let mut model = Model {
        case,
        live: Live::of(case),
        once: BTreeSet::new(),
        counts: BTreeMap::new(),
        stuck: BTreeSet::new(),
        runs: BTreeMap::new(),
        all_runs: 0,
        hangs: 0,
        seen: Seen::default(),
    };
    let kept = model.live.slots.clone();
    for (number, act) in case.acts.iter().enumerate() {
        match act {
            Act::Change(change) => model.live.change(*change),
            Act::Fire(at, how) => {
                let list = Live::at(*at, if how.is_kept() { &kept } else { &model.live.slots });
                let chain = Chain {
                    depth: 0,
                    held: Vec::new(),
                    may_wait: thread_may_wait,
                    now: how.is_now(),
                    within: false,
                };
                model.fire(*at, &list, &format!("t{number}"), &chain)?;
            }
        }
    }
    model.seen.states = model.counts;
    for slot in &model.live.slots {
        model.seen.rows.insert((
            slot.desc.full_name(),
            slot.desc.at.wire(),
            slot.switch.is_on(),
            slot.switch.failures(),
        ));
        let (name, wire) = (slot.desc.full_name(), slot.desc.at.wire());
        model.seen.order.entry(wire).or_default().push(name.clone());
        if case.shadow.contains(&slot.desc.name) {
            model.seen.shadowed.insert((name, wire), slot.switch.shadowed().to_string());
        }
    }
    Ok(model.seen)
}

impl<'c> Model<'c> {
    /// Fires a point: its hooks in their order, those that are called for such an event.
    fn fire(&mut self, at: At, list: &Slots<'c>, text: &str, chain: &Chain) -> Result<(), Unsaid> {
        let wire = at.wire();
        let mut out = Out { at: wire, ..Out::default() };
        self.seen.timeline.push(Entry::Fired(wire));
        if !list.is_empty() && chain.depth == DEEPEST {
            out.failures.push(("(dispatch)".into(), wire, "depth".into()));
            out.gate = at.is_gate().then(|| (Gate::deny("a failure"), "(dispatch)".into()));
            self.seen.fires.push(out);
            return Ok(());
        }
        // What a hook of the chain switches counts from the next fire on.
        let list: Slots<'c> = list.iter().filter(|slot| self.live.is_on(slot)).cloned().collect();
        for slot in &list {
            let desc = slot.desc;
            let text = out.fold.clone().unwrap_or_else(|| text.to_owned());
            if !wants(desc, &text) || desc.once && self.once.contains(&(desc.name, at)) {
                continue;
            }
            self.all_runs += 1;
            if self.all_runs > MOST_RUNS {
                return Err(Unsaid::TooLong);
            }
            // Also while it runs: a hook that is to run once and fires its own point does not run there.
            if desc.once {
                self.once.insert((desc.name, at));
            }
            let mut said = Said::default();
            let inner = Chain { depth: chain.depth + 1, ..chain.clone() };
            let ended = self.run(desc, &text, inner, &mut said)?;
            // Only its own: another hook of that name, which it replaced meanwhile, may have run to its end.
            if desc.once && ended != Ended::Returned {
                self.once.remove(&(desc.name, at));
            }
            if self.case.shadow.contains(&desc.name) && desc.place != Place::Background {
                self.shadowed(slot, said, ended, at);
                continue;
            }
            let goes_on = self.settle(slot, said, ended, &mut out);
            if !goes_on && desc.place != Place::Background {
                break;
            }
        }
        self.seen.fires.push(out);
        Ok(())
    }

    /// A hook in shadow is counted, told of its failures, and shown; to everybody else it said nothing.
    fn shadowed(&mut self, slot: &Slot<'c>, mut said: Said, ended: Ended, at: At) {
        let (desc, name) = (slot.desc, slot.desc.full_name());
        let causes: Vec<String> = said
            .error
            .take()
            .into_iter()
            .chain(match ended {
                Ended::Failed(cause) => Some(cause),
                Ended::Returned => None,
            })
            .collect();
        if !causes.is_empty() && at.is_gate() && !desc.fail_open && !matches!(said.gate, Some(Gate::Deny(_)))
        {
            said.gate = Some(Gate::deny("a failure"));
        }
        let mut counted = Shadowed::default();
        match said.gate {
            Some(Gate::Deny(_)) => counted.denied = 1,
            Some(Gate::Ask(_)) => counted.asked = 1,
            Some(Gate::Allow) | None => {}
        }
        counted.changed = u64::from(said.fold.is_some());
        counted.answered = u64::from(said.first.is_some());
        counted.said = said.messages.len() as u64;
        counted.ended = u64::from(said.flow.is_some());
        slot.switch.shadow(counted);
        self.seen.timeline.push(Entry::Ran {
            hook: name.clone(),
            at: at.wire(),
            messages: said.messages,
            gate: said.gate,
            fold: said.fold,
            first: said.first,
            flow: said.flow,
            failed: !causes.is_empty(),
            shadow: true,
        });
        for cause in causes {
            slot.switch.failed(desc.quarantine);
            if desc.on_error.is_some() {
                self.seen.told.push((name.clone(), cause));
            }
        }
    }

    /// What a hook said becomes part of what the point's hooks say together. Returns whether the chain goes on.
    fn settle(&mut self, slot: &Slot<'c>, said: Said, ended: Ended, out: &mut Out) -> bool {
        let (desc, name, wire) = (slot.desc, slot.desc.full_name(), out.at);
        let beside = desc.place == Place::Background;
        let failed = said.error.is_some() || ended != Ended::Returned;
        let entry = Entry::Ran {
            hook: name.clone(),
            at: wire,
            messages: said.messages.clone(),
            gate: said.gate.clone(),
            fold: said.fold.clone(),
            first: said.first.clone(),
            flow: said.flow.clone(),
            failed,
            shadow: beside && self.case.shadow.contains(&desc.name),
        };
        let causes = said.error.into_iter().chain(match ended {
            Ended::Failed(cause) => Some(cause),
            Ended::Returned => None,
        });
        if beside {
            self.seen.beside.entry(name.clone()).or_default().push(entry);
        } else {
            self.seen.timeline.push(entry);
            for text in said.messages {
                if desc.at != At::Brief {
                    self.seen.log.push((name.clone(), text.clone()));
                }
                out.messages.push((name.clone(), text));
            }
            let stricter =
                |out: &Out, gate: &Gate| out.gate.as_ref().is_none_or(|(old, _)| rank(gate) > rank(old));
            if let Some(gate) = said.gate.filter(|gate| stricter(out, gate)) {
                out.gate = Some((gate, name.clone()));
            }
            out.fold = said.fold.or(out.fold.take());
        }
        for cause in causes {
            slot.switch.failed(desc.quarantine);
            if desc.on_error.is_some() {
                let told = (name.clone(), cause.clone());
                if beside {
                    self.seen.told_beside.entry(name.clone()).or_default().push(told);
                } else {
                    self.seen.told.push(told);
                }
            }
            if !beside {
                let held = out.gate.as_ref().is_some_and(|(gate, _)| matches!(gate, Gate::Deny(_)));
                if desc.at.is_gate() && !desc.fail_open && !held {
                    out.gate = Some((Gate::deny("a failure"), name.clone()));
                }
                out.failures.push((name.clone(), wire, cause));
            }
        }
        if beside {
            return true;
        }
        let ends = said.flow.is_some() || said.first.is_some();
        if let Some(answer) = said.first {
            out.first = Some((answer, name));
        }
        out.flow = said.flow.or(out.flow.take());
        !ends
    }

    /// Runs a hook: what it says goes into `said`.
    fn run(
        &mut self,
        desc: &'c Desc,
        text: &str,
        mut chain: Chain,
        said: &mut Said,
    ) -> Result<Ended, Unsaid> {
        let state = desc.kind.state();
        let on_this_thread = desc.place == Place::Inline;
        let must_not_wait = chain.now && !chain.may_wait;
        if must_not_wait && desc.place == Place::Blocking {
            return cannot_wait(chain.within);
        }
        match state {
            State::BadDefault => return Ok(Ended::Failed("panic: model: default".into())),
            State::BadRead => return Ok(Ended::Failed("panic: model: read".into())),
            // It would wait for itself, or for a run that was cut off and still holds it.
            _ if chain.held.contains(&state) || self.stuck.contains(&state) => {
                return Ok(Ended::Failed("state".into()));
            }
            State::A | State::B | State::Misfit => {
                self.counts.entry(state).or_default();
                chain.held.push(state);
            }
            State::None | State::Settings => {}
        }
        let within = chain.within;
        if !on_this_thread {
            (chain.may_wait, chain.now) = (true, false);
        }
        // A function waits where it stands; an async hook hands its waiting on.
        chain.within = desc.kind.is_async() && on_this_thread;
        chain.now |= !desc.kind.is_async();
        let nth = self.runs.entry(desc.uid).or_default();
        let (script, drops) = (desc.script(*nth), desc.drops_badly(*nth));
        *nth += 1;
        let at_once = desc.kind.says_as_it_goes();
        let (mut heard, mut late) = (Said::default(), None);
        for step in script {
            match step {
                _ if late.is_some() => break,
                Step::Panic(payload) => {
                    *said = if at_once { heard } else { Said::default() };
                    return Ok(Ended::Failed(panic(payload)));
                }
                Step::PanicLate(payload) => late = Some(panic(payload)),
                Step::Wait | Step::Hang if desc.kind.is_async() && on_this_thread && must_not_wait => {
                    *said = if at_once { heard } else { Said::default() };
                    return cannot_wait(within);
                }
                Step::Hang => {
                    self.hangs += 1;
                    if self.hangs > MOST_HANGS {
                        return Err(Unsaid::TooLong);
                    }
                    *said = if at_once && on_this_thread { heard } else { Said::default() };
                    if !desc.kind.is_async() && state != State::None {
                        self.stuck.insert(state);
                    }
                    return Ok(Ended::Failed("timeout".into()));
                }
                Step::Err(broken) if desc.kind.is_json() => {
                    said.error = Some(error(broken));
                    return Ok(Ended::Returned);
                }
                Step::Fire(at) => {
                    let list = Live::at(at, &self.live.slots);
                    self.fire(at, &list, &format!("h{}", desc.name), &chain)?;
                }
                Step::Change(change) => self.live.change(change),
                Step::Count if !matches!(state, State::None | State::Settings) => {
                    let count = self.counts.entry(state).or_default();
                    *count += 1;
                    heard.messages.push(format!("{text}: {state:?} {count}"));
                }
                step => say(desc, step, text, &mut heard),
            }
        }
        *said = heard;
        Ok(match late {
            Some(cause) => Ended::Failed(cause),
            None if drops => Ended::Failed("panic: model: drop".into()),
            None => Ended::Returned,
        })
    }
}

/// A hook that must be waited for where nobody may; within an async hook it is that one which is not waited for.
fn cannot_wait(within: bool) -> Result<Ended, Unsaid> {
    if within { Err(Unsaid::WaitsWithin) } else { Ok(Ended::Failed("cannot wait".into())) }
}
