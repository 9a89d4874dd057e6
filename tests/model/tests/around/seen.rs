//! What can be seen from outside when a case has run.

/// One entry of a timeline.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Fired,
    Ran {
        hook: String,
        messages: Vec<String>,
        first: Option<String>,
        flow: Option<String>,
        failed: bool,
        /// How often it ran the rest, and whether it answered.
        around: Option<(u32, bool)>,
    },
}

/// What work with hooks around it came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Out {
    /// The result, or the hook that lost it; or what the work's panic said.
    pub result: String,
    pub by: Option<String>,
    pub messages: Vec<(String, String)>,
    pub flow: Option<String>,
    pub failures: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    pub outs: Vec<Out>,
    /// The inputs that the work got, in order.
    pub work: Vec<String>,
    pub log: Vec<(String, String)>,
    pub timeline: Vec<Entry>,
    /// Whether each hook is on, and how often it failed.
    pub rows: Vec<(String, bool, u32)>,
    /// How many futures were dropped before they were over.
    pub cut: usize,
}

/// Where two differ first, for a person.
pub fn difference(model: &Seen, path: &Seen) -> Option<String> {
    macro_rules! differs {
        ($($part:ident),*) => {$(
            if model.$part != path.$part {
                let (wanted, given) = (&model.$part, &path.$part);
                return Some(format!("{}:\n model says\n{wanted:#?}\n path gives\n{given:#?}", stringify!($part)));
            }
        )*};
    }
    differs!(outs, work, log, rows, timeline, cut);
    None
}
