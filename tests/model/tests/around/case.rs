//! A case: which hooks are around the work, what each does with it, and how often the host runs it.

/// How a hook is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A closure without `next`.
    Closure,
    /// A function without `next` that gives a future.
    Async,
    /// A closure with `next`.
    Now,
    /// A closure with `next` that gives a future.
    Wrap,
    /// `#[hook] fn`, with `next`.
    Macro,
    /// `#[hook] async fn`, with `next`.
    MacroAsync,
    /// The same two with a state, the same one.
    Keeps,
    KeepsAsync,
}

impl Kind {
    pub fn takes_next(self) -> bool {
        !matches!(self, Kind::Closure | Kind::Async)
    }

    pub fn is_async(self) -> bool {
        matches!(self, Kind::Async | Kind::Wrap | Kind::MacroAsync | Kind::KeepsAsync)
    }

    pub fn is_linked(self) -> bool {
        matches!(self, Kind::Macro | Kind::MacroAsync | Kind::Keeps | Kind::KeepsAsync)
    }

    pub fn has_state(self) -> bool {
        matches!(self, Kind::Keeps | Kind::KeepsAsync)
    }
}

/// One thing that a hook does, in its order. Those about `next` do nothing where there is none, or where a run is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Emits a message with the event's text and the last result in it.
    Say,
    /// Is pending once, if it is async.
    Wait,
    /// Runs the rest.
    Next,
    /// Runs it on another input.
    With(u8),
    /// Begins the rest, polls it once and drops it; a plain function runs it.
    Cut,
    /// Begins the rest, polls it once and keeps it until it is over; a plain function runs it.
    Begin,
    /// Answers.
    Answer(u8),
    Stop,
    End,
    /// Fails with an error, and goes on.
    Err,
    Panic,
    /// Panics while what it returned is read.
    PanicLate,
    /// Never ends, if it is async: it has a millisecond.
    Hang,
}

impl Step {
    pub fn is_next(self) -> bool {
        matches!(self, Step::Next | Step::With(_) | Step::Cut | Step::Begin)
    }
}

#[derive(Clone, Debug)]
pub struct Desc {
    pub uid: usize,
    pub kind: Kind,
    pub priority: i32,
    pub once: bool,
    pub quarantine: Option<u32>,
    pub steps: Vec<Step>,
    /// How many runs go wrong before one does not.
    pub fails: u32,
    /// Whether what it returns panics when dropped.
    pub drop_panics: bool,
}

impl Desc {
    pub fn name(&self) -> String {
        format!("m.h{}", self.uid)
    }

    pub fn script(&self, nth: u32) -> Vec<Step> {
        let spoils = |step: &Step| matches!(step, Step::Panic | Step::PanicLate | Step::Err | Step::Hang);
        self.steps.iter().copied().filter(|step| nth < self.fails || !spoils(step)).collect()
    }

    pub fn drops_badly(&self, nth: u32) -> bool {
        self.drop_panics && nth < self.fails
    }
}

/// What the host's work does.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// How often it is pending.
    pub waits: u8,
    /// Which of its runs panics, before or after it waits.
    pub panics: Option<(u32, bool)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Around,
    Now,
    Handle,
    HandleNow,
    /// Polled once, and dropped.
    Dropped,
}

impl How {
    pub fn is_now(self) -> bool {
        matches!(self, How::Now | How::HandleNow)
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Act {
    Around(How, Work),
    Disable(usize),
    Enable(usize),
    Off(usize),
    On(usize),
}

#[derive(Clone, Debug, Default)]
pub struct Case {
    pub hooks: Vec<Desc>,
    pub acts: Vec<Act>,
}
