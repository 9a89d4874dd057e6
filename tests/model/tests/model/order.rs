//! The order in which the hooks of a point run, and whom they are called for, as the model has it.

use std::cmp::Reverse;

use crate::case::{Desc, Mark, Only};

/// Whether a hook's `before` or `after` means another hook; by its own name it means itself.
fn means(by: &Desc, mark: Option<Mark>, other: &Desc) -> bool {
    match mark {
        None => false,
        Some(Mark::Name(name)) => other.name == name,
        Some(Mark::All) => other.uid != by.uid,
    }
}

/// Which of two hooks must run first, because one of them says so.
fn is_before(one: &Desc, other: &Desc) -> bool {
    means(one, one.before, other) || means(other, other.after, one)
}

/// The hooks of one point in their order; none where that goes round.
pub fn order<T>(all: &[T], desc: impl Fn(&T) -> &Desc) -> Option<Vec<&T>> {
    let mut sorted: Vec<&T> = all.iter().collect();
    sorted.sort_by_key(|hook| (Reverse(desc(hook).priority), desc(hook).full_name()));
    let of = |at: usize| desc(sorted[at]);
    let every = || 0..sorted.len();

    // What must run before what, by way of others too.
    let mut reach: Vec<Vec<bool>> =
        every().map(|one| every().map(|other| is_before(of(one), of(other))).collect()).collect();
    for by in every() {
        for one in every() {
            for other in every() {
                reach[one][other] |= reach[one][by] && reach[by][other];
            }
        }
    }
    if every().any(|at| reach[at][at]) {
        return None;
    }

    // Who says `after` goes to the place of the last that he means, who says `before` to where the first of those stands then.
    type Meant<'m> = &'m dyn Fn(usize) -> Vec<usize>;
    fn late(at: usize, meant: Meant<'_>) -> usize {
        meant(at).into_iter().map(|other| late(other, meant)).fold(at, usize::max)
    }
    fn early(at: usize, place: &dyn Fn(usize) -> usize, meant: Meant<'_>) -> usize {
        meant(at).into_iter().map(|other| early(other, place, meant)).fold(place(at), usize::min)
    }
    let meant = |at: usize, mark: fn(&Desc) -> Option<Mark>| {
        every().filter(|other| means(of(at), mark(of(at)), of(*other))).collect::<Vec<_>>()
    };
    let place = |at: usize| late(at, &|at| meant(at, |desc| desc.after));
    let rank = |at: usize| early(at, &place, &|at| meant(at, |desc| desc.before));

    let mut left: Vec<usize> = every().collect();
    let mut done = Vec::new();
    while !left.is_empty() {
        let free = left.iter().filter(|at| !left.iter().any(|other| reach[*other][**at]));
        let next = *free.min_by_key(|at| (rank(**at), **at))?;
        left.retain(|at| *at != next);
        done.push(sorted[next]);
    }
    Some(done)
}

/// Whether a hook is called for an event.
pub fn wants(desc: &Desc, text: &str) -> bool {
    match desc.only {
        None => true,
        Some(Only::Fired) => text.starts_with('t'),
        Some(Only::Nested) => text.starts_with('h'),
        Some(Only::Folded) => text.contains('+'),
        Some(Only::NestedOrOnes) => text.starts_with('h') || text.contains('1'),
        Some(Only::Nowhere) => false,
    }
}
