//! The one place where session-buddy's order becomes ours.
//!
//! There a hook has a priority from 0 to 1000 and the lowest runs first; hooks of equal priority run in the order in
//! which they were registered. Here the highest runs first, and hooks of equal priority run in the order of their
//! names. So a priority of theirs becomes a thousand places of ours, and the order of registration a place among them:
//! [`rank`], which the hooks of this crate call in their attributes.
//!
//! One thing is different on purpose: a hook that is replaced by one of another priority moves there; in the original
//! it kept the old one's place.

/// Our priority for one of theirs (0–1000), for the `nth` hook that is registered with it (from 0).
///
/// ```
/// use hookspec_session_buddy::ordering::rank;
/// assert!(rank(10, 0) > rank(50, 0) && rank(50, 0) > rank(50, 1) && rank(50, 999) > rank(51, 0));
/// ```
#[must_use]
pub const fn rank(priority: u16, nth: u16) -> i32 {
    let priority = if priority > 1000 { 1000 } else { priority };
    let nth = if nth > 999 { 999 } else { nth };
    (1000 - priority as i32) * 1000 - nth as i32
}

/// The five default hooks of the original: ours, the point, and their priority.
pub const DEFAULTS: [(&str, &str, u16); 5] = [
    ("buddy.validate_quality", "checkpoint.pre", 50),
    ("buddy.format_saved", "file.save.post", 100),
    ("buddy.track_error", "error", 10),
    ("buddy.learn", "checkpoint.post", 200),
    ("buddy.collect_metrics", "checkpoint.post", 300),
];
