//! From what was measured to points: one function a row of the table, and nothing else.

/// `most` points by a share, 0 to 1.
#[must_use]
pub fn by_share(share: f64, most: u8) -> f64 {
    share.clamp(0.0, 1.0) * f64::from(most)
}

/// Manifest and lockfile 5, manifest 3, lockfile 2.
#[must_use]
pub fn package_management(manifest: bool, lockfile: bool) -> f64 {
    match (manifest, lockfile) {
        (true, true) => 5.0,
        (true, false) => 3.0,
        (false, true) => 2.0,
        (false, false) => 0.0,
    }
}

/// A repository of what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// There is none.
    None,
    /// There is one, and git does not say how many commits it has.
    Unknown,
    /// It has so many commits.
    Commits(u32),
}

/// Five commits or more 5, fewer 3, unknown 2, none 0.
#[must_use]
pub fn version_control(history: History) -> f64 {
    match history {
        History::Commits(5..) => 5.0,
        History::Commits(1..) => 3.0,
        History::Unknown => 2.0,
        History::Commits(0) | History::None => 0.0,
    }
}

/// A lockfile younger than 30 days 5, than 90 days 3, older 1.
#[must_use]
pub fn dependencies_age(days: i64) -> f64 {
    match days {
        ..30 => 5.0,
        30..90 => 3.0,
        _ => 1.0,
    }
}

/// Ten test files and shared setup 5, five 3, any 1.
#[must_use]
pub fn tests_present(files: usize, shared_setup: bool) -> f64 {
    match files {
        10.. if shared_setup => 5.0,
        5.. => 3.0,
        1.. => 1.0,
        0 => 0.0,
    }
}

/// README and five files of documentation 5, README and any 3, README 2.
#[must_use]
pub fn documentation(readme: bool, docs: usize) -> f64 {
    match (readme, docs) {
        (true, 5..) => 5.0,
        (true, 1..) => 3.0,
        (true, 0) => 2.0,
        (false, _) => 0.0,
    }
}

/// Two workflows 5, GitLab's 4, one workflow 3.
#[must_use]
pub fn continuous_integration(workflows: usize, gitlab: bool) -> f64 {
    match (workflows, gitlab) {
        (2.., _) => 5.0,
        (_, true) => 4.0,
        (1, false) => 3.0,
        (0, false) => 0.0,
    }
}

/// Commits of the last month: 20 5, 10 4, 5 2, any 1.
#[must_use]
pub fn commit_frequency(commits: u32) -> f64 {
    match commits {
        20.. => 5.0,
        10.. => 4.0,
        5.. => 2.0,
        1.. => 1.0,
        0 => 0.0,
    }
}

/// Conventional commits, percent: 80 5, 50 3, any 1.
#[must_use]
pub fn conventional_commits(percent: f64) -> f64 {
    if percent >= 80.0 {
        5.0
    } else if percent >= 50.0 {
        3.0
    } else if percent > 0.0 {
        1.0
    } else {
        0.0
    }
}

/// Commits that name an issue, percent: 50 5, 25 3, any 1.
#[must_use]
pub fn issue_references(percent: f64) -> f64 {
    if percent >= 50.0 {
        5.0
    } else if percent >= 25.0 {
        3.0
    } else if percent > 0.0 {
        1.0
    } else {
        0.0
    }
}

/// Three feature branches 5, any 3, else 1.
#[must_use]
pub fn branches(features: usize) -> f64 {
    match features {
        3.. => 5.0,
        1.. => 3.0,
        0 => 1.0,
    }
}

/// Begins at 5: less 2 for a `.env` that is not ignored, 1 for no ignore file, 2 for each file with a literal secret.
#[must_use]
pub fn hygiene(open_env: bool, ignore_file: bool, files_with_secrets: usize) -> f64 {
    let less = 2 * usize::from(open_env) + usize::from(!ignore_file) + 2 * files_with_secrets;
    5usize.saturating_sub(less) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table<T: Copy + std::fmt::Debug>(of: impl Fn(T) -> f64, rows: &[(T, f64)]) {
        for (input, points) in rows {
            assert!((of(*input) - points).abs() < 1e-9, "{input:?} gives {}, not {points}", of(*input));
        }
    }

    #[test]
    fn each_row_changes_where_the_table_says() {
        table(|share| by_share(share, 15), &[(0.0, 0.0), (0.5, 7.5), (1.0, 15.0), (1.5, 15.0), (-1.0, 0.0)]);
        table(
            |(manifest, lock)| package_management(manifest, lock),
            &[((true, true), 5.0), ((true, false), 3.0), ((false, true), 2.0), ((false, false), 0.0)],
        );
        table(
            version_control,
            &[
                (History::Commits(5), 5.0),
                (History::Commits(4), 3.0),
                (History::Commits(1), 3.0),
                (History::Unknown, 2.0),
                (History::Commits(0), 0.0),
                (History::None, 0.0),
            ],
        );
        table(dependencies_age, &[(0, 5.0), (29, 5.0), (30, 3.0), (89, 3.0), (90, 1.0), (9999, 1.0)]);
        table(
            |(files, setup)| tests_present(files, setup),
            &[
                ((10, true), 5.0),
                ((10, false), 3.0),
                ((9, true), 3.0),
                ((5, false), 3.0),
                ((4, true), 1.0),
                ((1, false), 1.0),
                ((0, true), 0.0),
            ],
        );
        table(
            |(readme, docs)| documentation(readme, docs),
            &[((true, 5), 5.0), ((true, 4), 3.0), ((true, 1), 3.0), ((true, 0), 2.0), ((false, 9), 0.0)],
        );
        table(
            |(workflows, gitlab)| continuous_integration(workflows, gitlab),
            &[
                ((2, false), 5.0),
                ((2, true), 5.0),
                ((1, true), 4.0),
                ((0, true), 4.0),
                ((1, false), 3.0),
                ((0, false), 0.0),
            ],
        );
        table(
            commit_frequency,
            &[(20, 5.0), (19, 4.0), (10, 4.0), (9, 2.0), (5, 2.0), (4, 1.0), (1, 1.0), (0, 0.0)],
        );
        table(
            conventional_commits,
            &[(80.0, 5.0), (79.9, 3.0), (50.0, 3.0), (49.9, 1.0), (0.1, 1.0), (0.0, 0.0)],
        );
        table(
            issue_references,
            &[(50.0, 5.0), (49.9, 3.0), (25.0, 3.0), (24.9, 1.0), (0.1, 1.0), (0.0, 0.0)],
        );
        table(branches, &[(3, 5.0), (2, 3.0), (1, 3.0), (0, 1.0)]);
    }

    #[test]
    fn hygiene_takes_off_what_is_open() {
        for (env, ignore, secrets, points) in [
            (false, true, 0, 5.0),
            (true, true, 0, 3.0),
            (false, false, 0, 4.0),
            (true, false, 0, 2.0),
            (false, true, 1, 3.0),
            (false, true, 2, 1.0),
            (true, false, 1, 0.0),
            (true, false, 9, 0.0),
        ] {
            assert!((hygiene(env, ignore, secrets) - points).abs() < 1e-9, "{env} {ignore} {secrets}");
        }
    }
}
