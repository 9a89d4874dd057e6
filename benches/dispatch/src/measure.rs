//! Rounds, medians, and the table.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// How many hooks listen.
pub const SIZES: [usize; 4] = [0, 1, 10, 100];
/// Triggers of a round are so many that it takes about this long.
const ROUND: Duration = Duration::from_micros(700);

/// One row of the table at one number of hooks.
pub struct Contestant<'a> {
    pub row: &'static str,
    pub hooks: usize,
    trigger: Box<dyn FnMut() + 'a>,
    /// After each round, not measured.
    after: Option<Box<dyn FnMut() + 'a>>,
    most: u64,
    calls: u64,
    pub figures: Vec<f64>,
}

impl<'a> Contestant<'a> {
    pub fn new(row: &'static str, hooks: usize, trigger: impl FnMut() + 'a) -> Self {
        Self {
            row,
            hooks,
            trigger: Box::new(trigger),
            after: None,
            most: 1 << 24,
            calls: 0,
            figures: Vec::new(),
        }
    }

    /// With at most so many triggers a round, and something to do after each, which is not measured.
    #[must_use]
    pub fn in_between(self, most: u64, after: impl FnMut() + 'a) -> Self {
        Self { after: Some(Box::new(after)), most, ..self }
    }

    /// Nanoseconds of one trigger, from one round of many.
    fn measure(&mut self) -> f64 {
        let began = Instant::now();
        for _ in 0..self.calls {
            (self.trigger)();
        }
        let each = began.elapsed().as_secs_f64() * 1e9 / self.calls as f64;
        if let Some(after) = &mut self.after {
            after();
        }
        each
    }

    /// One round; the first finds out how many triggers make one.
    pub fn round(&mut self) -> f64 {
        if self.calls == 0 {
            self.calls = 1;
            while self.measure() * (self.calls as f64) < ROUND.as_secs_f64() * 1e9 && self.calls < self.most {
                self.calls *= 2;
            }
        }
        self.measure()
    }

    pub fn trigger(&mut self) {
        (self.trigger)();
    }

    pub fn median(&self) -> f64 {
        let mut sorted = self.figures.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Runs the contestants in turn.
pub fn contest(contestants: &mut [Contestant<'_>], rounds: usize) {
    for contestant in contestants.iter_mut() {
        contestant.round();
    }
    for _ in 0..rounds {
        for contestant in contestants.iter_mut() {
            let figure = contestant.round();
            contestant.figures.push(figure);
        }
    }
}

/// The result of a future that is ready at once, as a host gets it who polls by hand.
#[inline]
pub fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("nothing here waits"),
    }
}

/// The fixed part and the part per hook: the line through the four figures whose relative errors are least.
fn line(figures: &[(f64, f64)]) -> (f64, f64) {
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(hooks, figure) in figures {
        let weight = 1.0 / (figure * figure).max(1.0);
        w += weight;
        x += weight * hooks;
        y += weight * figure;
        xx += weight * hooks * hooks;
        xy += weight * hooks * figure;
    }
    let each = (w * xy - x * y) / (w * xx - x * x);
    ((y - each * x) / w, each)
}

/// Prints a row a line: nanoseconds at each number of hooks, in brackets the ratio to the row of its peer.
pub fn print(contestants: &[Contestant<'_>], peer_of: impl Fn(&str) -> &'static str) {
    let find = |row: &str, hooks| contestants.iter().find(|one| one.row == row && one.hooks == hooks);
    let mut rows: Vec<&str> = Vec::new();
    for contestant in contestants {
        if !rows.contains(&contestant.row) {
            rows.push(contestant.row);
        }
    }
    print!("{:<48}", "nanoseconds per trigger (to its peer), hooks:");
    SIZES.iter().for_each(|hooks| print!("{hooks:>20}"));
    println!("{:>9}{:>10}  peer", "fixed", "each");
    for row in rows {
        let peer = peer_of(row);
        print!("{row:<48}");
        let mut figures = Vec::new();
        for hooks in SIZES {
            let Some(figure) = find(row, hooks).map(Contestant::median) else {
                print!("{:>20}", "");
                continue;
            };
            figures.push((hooks as f64, figure));
            match find(peer, hooks).map(Contestant::median) {
                Some(other) if peer != row => {
                    print!("{figure:>12.1} {:>7}", format!("({:.2})", figure / other))
                }
                _ => print!("{figure:>12.1}{:8}", ""),
            }
        }
        let (fixed, each) = line(&figures);
        println!("{fixed:>9.1}{each:>10.2}  {}", if peer == row { "" } else { peer });
    }
}

/// Keeps the compiler from leaving a value out.
#[inline]
pub fn keep<T>(value: T) {
    let _ = black_box(value);
}
