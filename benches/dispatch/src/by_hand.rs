//! The same work by hand: what somebody would write who has no library.

use std::collections::VecDeque;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use hookspec::Message;
use hookspec::points::FilePostSave;

use crate::measure::{Contestant, keep, ready};
use crate::work::{event, work};

type Out = Vec<Message>;
type Pointer = fn(&FilePostSave<'_>, &mut Out);

pub const POINTERS: &str = "by hand: fn pointers";
pub const BOXES: &str = "by hand: Box<dyn Fn>";
pub const TIMED: &str = "by hand: fn pointers, timed into a ring";
pub const FUTURES: &str = "by hand: boxed ready futures";
pub const SPEAKING: &str = "by hand: fn pointers, each a message to a log";
pub const STATES: &str = "by hand: fn pointers, a Mutex<u64> each";

fn plain(event: &FilePostSave<'_>, out: &mut Out) {
    if let Some(message) = work(event.path, event.created) {
        out.push(message);
    }
}

fn speak(event: &FilePostSave<'_>, out: &mut Out) {
    out.push(work(event.path, event.created).unwrap_or_else(|| Message::system("noted")));
}

fn boxed<'a>(event: &'a FilePostSave<'a>) -> Pin<Box<dyn Future<Output = Option<Message>> + Send + 'a>> {
    Box::pin(async move { work(event.path, event.created) })
}

/// All rows at this number of hooks.
pub fn rows(hooks: usize) -> Vec<Contestant<'static>> {
    let pointers: Vec<Pointer> = black_box(vec![plain; hooks]);
    let loop_of = pointers.clone();
    let simple = move || {
        let (event, mut out) = (event(), Out::new());
        for hook in &loop_of {
            hook(&event, &mut out);
        }
        keep(out);
    };

    type Boxed = Box<dyn Fn(&FilePostSave<'_>, &mut Out)>;
    let boxes: Vec<Boxed> = black_box((0..hooks).map(|_| Box::new(plain) as _).collect());
    let closures = move || {
        let (event, mut out) = (event(), Out::new());
        for hook in &boxes {
            hook(&event, &mut out);
        }
        keep(out);
    };

    let ring: Mutex<VecDeque<(u32, u64, u64)>> = Mutex::new(VecDeque::with_capacity(4096));
    let (timed, opened) = (pointers, Instant::now());
    let timed = move || {
        let (event, mut out) = (event(), Out::new());
        let mut began = opened.elapsed();
        for (number, hook) in timed.iter().enumerate() {
            hook(&event, &mut out);
            let ended = opened.elapsed();
            let mut ring = ring.lock().unwrap();
            if ring.len() == 4096 {
                ring.pop_front();
            }
            ring.push_back((number as u32, began.as_nanos() as u64, (ended - began).as_nanos() as u64));
            began = ended;
        }
        keep(out);
    };

    type Async =
        for<'a> fn(&'a FilePostSave<'a>) -> Pin<Box<dyn Future<Output = Option<Message>> + Send + 'a>>;
    let asyncs: Vec<Async> = black_box(vec![boxed; hooks]);
    let futures = move || {
        ready(async {
            let (event, mut out) = (event(), Out::new());
            for hook in &asyncs {
                out.extend(hook(&event).await);
            }
            keep(out);
        });
    };

    let speakers: Vec<(Pointer, String)> =
        black_box((0..hooks).map(|number| (speak as Pointer, format!("bench.hook_{number:02}"))).collect());
    let log: Mutex<Vec<Arc<Message>>> = Mutex::default();
    let speaking = move || {
        let (event, mut out, mut said) = (event(), Out::new(), Vec::new());
        for (hook, name) in &speakers {
            hook(&event, &mut out);
            for mut message in out.drain(..) {
                message.hook = Some(name.clone());
                let message = Arc::new(message);
                log.lock().unwrap().push(Arc::clone(&message));
                said.push(message);
            }
        }
        let mut log = log.lock().unwrap();
        if log.len() > 1_000 {
            log.clear();
        }
        keep(said);
    };

    let stateful: Vec<(Pointer, Mutex<u64>)> =
        black_box((0..hooks).map(|_| (plain as Pointer, Mutex::new(0))).collect());
    let states = move || {
        let (event, mut out) = (event(), Out::new());
        for (hook, state) in &stateful {
            *state.lock().unwrap() += 1;
            hook(&event, &mut out);
        }
        keep(out);
    };

    vec![
        Contestant::new(POINTERS, hooks, simple),
        Contestant::new(BOXES, hooks, closures),
        Contestant::new(TIMED, hooks, timed),
        Contestant::new(FUTURES, hooks, futures),
        Contestant::new(SPEAKING, hooks, speaking),
        Contestant::new(STATES, hooks, states),
    ]
}

/// Nanoseconds to hand a boxed job to another thread through a bounded channel.
pub fn channel(jobs: usize) -> f64 {
    let (sender, receiver) = sync_channel::<Box<dyn FnOnce() + Send>>(1_000_000);
    let worker = std::thread::spawn(move || receiver.into_iter().for_each(|job| job()));
    let began = Instant::now();
    for _ in 0..jobs {
        let path = event().path.to_path_buf();
        sender.send(Box::new(move || keep(work(&path, true)))).unwrap();
    }
    let each = began.elapsed().as_secs_f64() * 1e9 / jobs as f64;
    drop(sender);
    worker.join().unwrap();
    each
}
