//! How often a trigger asks for memory. A program of its own, since counting costs what it counts.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use hookspec_dispatch_bench::measure::SIZES;
use hookspec_dispatch_bench::{by_hand, ours};

/// Counts what this thread asks for.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// An allocator cannot be written without; this one hands everything to the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Triggers before and while it is counted: what is made once, or grows, is not what one trigger costs.
const WARM_UP: u64 = 5_000;
const COUNTED: u64 = 1_000;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    println!("{:<48}{:>8}{:>8}{:>8}{:>8}", "allocations per trigger, hooks:", 0, 1, 10, 100);
    let mut rows: Vec<(&str, Vec<(usize, f64)>)> = Vec::new();
    for hooks in SIZES {
        for mut one in ours::rows(hooks, folder.path()).into_iter().chain(by_hand::rows(hooks)) {
            (0..WARM_UP).for_each(|_| one.trigger());
            let before = COUNT.with(Cell::get);
            (0..COUNTED).for_each(|_| one.trigger());
            let each = (COUNT.with(Cell::get) - before) as f64 / COUNTED as f64;
            match rows.iter_mut().find(|(row, _)| *row == one.row) {
                Some((_, figures)) => figures.push((hooks, each)),
                None => rows.push((one.row, vec![(hooks, each)])),
            }
        }
    }
    for (row, figures) in rows {
        print!("{row:<48}");
        for hooks in SIZES {
            match figures.iter().find(|(size, _)| *size == hooks) {
                Some((_, each)) => print!("{each:>8.1}"),
                None => print!("{:>8}", ""),
            }
        }
        println!();
    }
}
