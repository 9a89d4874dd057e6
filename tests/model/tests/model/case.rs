//! A case: which hooks there are, what each does, and what the host does with them.
//!
//! Plain data, so that it can be made at random, made smaller, and read by a person.

use std::fmt;

/// One of the points of this program; each has another verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum At {
    /// Messages.
    Say,
    /// Gate.
    Gate,
    /// The first answer.
    First,
    /// A fold.
    Fold,
    /// Gate and fold.
    Both,
    /// Messages that go to the caller only.
    Brief,
}

impl At {
    pub const ALL: [At; 6] = [At::Say, At::Gate, At::First, At::Fold, At::Both, At::Brief];

    pub fn wire(self) -> &'static str {
        match self {
            At::Say => "model.say",
            At::Gate => "model.gate",
            At::First => "model.first",
            At::Fold => "model.fold",
            At::Both => "model.both",
            At::Brief => "model.brief",
        }
    }

    pub fn is_gate(self) -> bool {
        matches!(self, At::Gate | At::Both)
    }
}

/// How a hook is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A plain function, registered by hand: it says as it goes.
    Fn,
    /// A function that gives a future, registered by hand.
    Async,
    /// A closure that returns an iterator: it says as it goes.
    Closure,
    /// A JSON hook: it says all at its end, or fails and says nothing.
    Json,
    /// A JSON hook that gives a future; the same else.
    JsonAsync,
    /// `#[hook] fn`, with this state: it says all when it returns.
    Macro(State),
    /// `#[hook] async fn`, with this state.
    MacroAsync(State),
}

impl Kind {
    pub fn is_async(self) -> bool {
        matches!(self, Kind::Async | Kind::JsonAsync | Kind::MacroAsync(_))
    }

    pub fn is_json(self) -> bool {
        matches!(self, Kind::Json | Kind::JsonAsync)
    }

    /// Whether what it says is heard at once, and not only when it returns.
    pub fn says_as_it_goes(self) -> bool {
        matches!(self, Kind::Fn | Kind::Closure | Kind::Async)
    }

    pub fn state(self) -> State {
        match self {
            Kind::Macro(state) | Kind::MacroAsync(state) => state,
            _ => State::None,
        }
    }
}

/// What a `#[hook]` function asks the session for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    None,
    /// A count.
    A,
    /// Another count.
    B,
    /// A count of which the saved form no longer fits: it begins afresh, and the saved form is kept.
    Misfit,
    /// Its `Default` panics.
    BadDefault,
    /// Its `Deserialize` panics on what was saved.
    BadRead,
    /// Settings, and no state.
    Settings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Inline,
    Blocking,
    Background,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Host,
    Never,
    Long,
    Forever,
    /// For hooks that hang: cut off after a millisecond.
    Short,
}

/// One thing that a hook does, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Emits a message with the event's text in it.
    Say,
    /// Adds one to its state, and says the count; tells its settings, where it has those.
    Count,
    /// Is pending once, if it is async.
    Wait,
    /// Fires a point.
    Fire(At),
    /// Answers as its point's verdict has it.
    Answer(u8),
    /// Ends the chain.
    Stop,
    /// Ends the session.
    End,
    /// Fails with an error, and goes on.
    Err(Broken),
    /// Changes what is live.
    Change(Change),
    /// Panics: while it works.
    Panic(Payload),
    /// Panics while what it returned is read; the same for who says as he goes.
    PanicLate(Payload),
    /// Never returns.
    Hang,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// An error as it should be.
    Not,
    /// One that tells of a panic elsewhere, and keeps that kind.
    Elsewhere,
    /// Its `Display` panics.
    Display,
    /// Its `Drop` panics.
    Drop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    Text,
    Owned,
    /// Something else, whose `Drop` panics.
    Bomb,
}

/// A change to the live hooks; numbers are hooks' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Disable(usize),
    Enable(usize),
    /// In this session only.
    Off(usize),
    On(usize),
    Unregister(usize),
    /// Puts a spare in the place of the hook of its name and point.
    Replace(usize),
    /// Adds a spare.
    Register(usize),
    /// Puts a new registry in place: the one of the start without the hooks of this name.
    Swap(usize),
}

/// Whom a hook is to run before or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The hook of that name's number.
    Name(usize),
    /// All others.
    All,
}

/// What a hook is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// `t*`: what the host fired, as nobody has changed it.
    Fired,
    /// `h*`: what a hook fired.
    Nested,
    /// `*+*`: what a fold has changed.
    Folded,
    /// `h*`, `./*1*`.
    NestedOrOnes,
    /// `no/where/*`.
    Nowhere,
}

/// A hook.
#[derive(Clone, Debug)]
pub struct Desc {
    /// Its number in the case.
    pub uid: usize,
    /// Its name's number: hooks at several points may share one.
    pub name: usize,
    pub at: At,
    pub kind: Kind,
    pub place: Place,
    pub priority: i32,
    pub before: Option<Mark>,
    pub after: Option<Mark>,
    pub only: Option<Only>,
    pub once: bool,
    pub fail_open: bool,
    pub quarantine: Option<u32>,
    pub limit: Limit,
    pub budget: bool,
    /// Whether it has a handler for its failures, and whether that one panics.
    pub on_error: Option<bool>,
    pub steps: Vec<Step>,
    /// How many runs go wrong before one does not: later ones leave out panics, errors and hangs.
    pub fails: u32,
    /// Whether what it returns panics when dropped.
    pub drop_panics: bool,
}

impl Desc {
    pub fn full_name(&self) -> String {
        format!("m.h{}", self.name)
    }

    /// What it does in its `nth` run.
    pub fn script(&self, nth: u32) -> Vec<Step> {
        let spoils =
            |step: &Step| matches!(step, Step::Panic(_) | Step::PanicLate(_) | Step::Err(_) | Step::Hang);
        self.steps.iter().copied().filter(|step| nth < self.fails || !spoils(step)).collect()
    }

    pub fn drops_badly(&self, nth: u32) -> bool {
        self.drop_panics && nth < self.fails
    }
}

/// How the host fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Fire,
    FireNow,
    /// By a handle that was got before anything happened.
    Kept,
    KeptNow,
    /// By a handle got just now.
    Live,
    LiveNow,
}

impl How {
    pub fn is_now(self) -> bool {
        matches!(self, How::FireNow | How::KeptNow | How::LiveNow)
    }

    pub fn is_kept(self) -> bool {
        matches!(self, How::Kept | How::KeptNow)
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Act {
    Fire(At, How),
    Change(Change),
}

/// All of it.
#[derive(Clone, Default)]
pub struct Case {
    /// Those that are there from the start, and behind them the spares.
    pub hooks: Vec<Desc>,
    pub spares: usize,
    /// The numbers of the names that are in shadow.
    pub shadow: Vec<usize>,
    pub acts: Vec<Act>,
}

impl Case {
    /// The hooks that are there from the start.
    pub fn start(&self) -> impl Iterator<Item = &Desc> {
        self.hooks[..self.hooks.len() - self.spares].iter()
    }

    pub fn spare(&self, number: usize) -> &Desc {
        &self.hooks[self.hooks.len() - self.spares + number]
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "case")?;
        for hook in &self.hooks {
            let spare = if hook.uid + self.spares >= self.hooks.len() { "spare " } else { "" };
            write!(f, "  {spare}#{} {} at {:?}: ", hook.uid, hook.full_name(), hook.at)?;
            write!(f, "{:?} {:?} priority {}", hook.kind, hook.place, hook.priority)?;
            let order = [("before", hook.before), ("after", hook.after)];
            for (what, mark) in order.into_iter().filter_map(|(what, mark)| Some((what, mark?))) {
                write!(f, ", {what} {mark:?}")?;
            }
            if let Some(only) = hook.only {
                write!(f, ", only {only:?}")?;
            }
            if self.shadow.contains(&hook.name) {
                write!(f, ", in shadow")?;
            }
            for (is, what) in [(hook.once, "once"), (hook.fail_open, "fail_open"), (hook.budget, "budget")] {
                write!(f, "{}{}", if is { ", " } else { "" }, if is { what } else { "" })?;
            }
            if let Some(most) = hook.quarantine {
                write!(f, ", quarantine {most}")?;
            }
            if let Some(panics) = hook.on_error {
                write!(f, ", on_error{}", if panics { " that panics" } else { "" })?;
            }
            let fails = if hook.fails == u32::MAX { "ever".into() } else { hook.fails.to_string() };
            write!(f, ", limit {:?}; goes wrong {fails} times", hook.limit)?;
            write!(f, "{}", if hook.drop_panics { ", drops badly" } else { "" })?;
            writeln!(f, "\n      {:?}", hook.steps)?;
        }
        self.acts.iter().try_for_each(|act| writeln!(f, "  {act:?}"))
    }
}
