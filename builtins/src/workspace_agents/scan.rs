//! One pass over the process table.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

use super::claude;
use super::detect::{Runtime, detect, fits};
use super::parse::{Mode, Parsed, parse};
use super::stale::{Life, stale};
use super::worktree::Place;

/// A pass that takes longer stops with what it has.
const DEADLINE: Duration = Duration::from_secs(2);

/// Another agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Agent {
    /// Its process.
    pub pid: u32,
    /// When that was started: tells processes of one id apart, and nothing else. On Linux in ticks since the machine's
    /// start, which setting the clock does not change; elsewhere in seconds since 1970.
    #[serde(skip)]
    pub started: u64,
    /// The program.
    pub runtime: Runtime,
    /// Its directory.
    pub cwd: PathBuf,
    /// Its model, where the command line says.
    pub model: Option<String>,
    /// How it is used.
    pub mode: Mode,
    /// The branch that is checked out where it works.
    pub branch: Option<String>,
    /// Its conversation, where that can be told.
    pub conversation_id: Option<String>,
    /// Where it keeps its logs.
    pub log_dir: Option<PathBuf>,
    /// What it is doing, as far as its command line says.
    pub cmdline_summary: String,
    /// Seconds since it was started.
    pub uptime_seconds: Option<u64>,
    /// Seconds of processor time.
    pub cpu_seconds: Option<f64>,
    /// `R`, `S`, `T`, `Z`, …
    pub process_state: Option<char>,
    /// Memory in MiB.
    pub memory_mb: Option<f64>,
    /// Whether it seems to do nothing any more.
    pub stale: bool,
    /// Why.
    pub stale_reason: Option<String>,
    /// Its provider, where the command line says.
    pub provider: Option<String>,
}

/// What a pass found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The agents, by process id.
    pub agents: Vec<Agent>,
    /// Whether the pass was cut short.
    pub partial: bool,
}

impl Scan {
    /// Of several that are alike (program, directory, mode) the one with the highest id, an active one
    /// before a stale one: a person wants to see them once.
    #[must_use]
    pub fn shown(&self) -> Vec<&Agent> {
        let mut best: HashMap<(Runtime, &Path, Mode), &Agent> = HashMap::new();
        for agent in &self.agents {
            let held = best.entry((agent.runtime, &agent.cwd, agent.mode)).or_insert(agent);
            if (!agent.stale, agent.pid) > (!held.stale, held.pid) {
                *held = agent;
            }
        }
        let mut shown: Vec<_> = best.into_values().collect();
        shown.sort_by_key(|agent| agent.pid);
        shown
    }
}

/// Looks for agents that work in the same worktree as `workspace`; anywhere, where it is `None`.
#[must_use]
pub fn scan(workspace: Option<&Path>) -> Scan {
    let began = Instant::now();
    let mut system = match System::new() {
        Ok(system) => system,
        Err(error) => {
            tracing::warn!(%error, "the process table cannot be read: other agents are not seen");
            return Scan { partial: true, ..Scan::default() };
        }
    };
    let commands = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always).without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, commands);
    let candidates: Vec<(Pid, Vec<String>, Runtime)> = system
        .processes()
        .iter()
        .filter_map(|(pid, process)| {
            let argv: Vec<String> =
                process.cmd().iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
            detect(&argv).map(|runtime| (*pid, argv, runtime))
        })
        .collect();
    if candidates.is_empty() {
        return Scan::default();
    }
    // Only of the few that are left is the rest read.
    let pids: Vec<Pid> = candidates.iter().map(|(pid, ..)| *pid).collect();
    let rest = ProcessRefreshKind::nothing()
        .with_cwd(UpdateKind::Always)
        .with_exe(UpdateKind::Always)
        .with_memory()
        .with_cpu()
        .without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&pids), false, rest);
    let relatives = relatives(&system);
    let here = workspace.map(Place::of);
    let mut scan = Scan::default();
    for (pid, argv, runtime) in &candidates {
        if began.elapsed() > DEADLINE {
            tracing::warn!("the look for other agents took too long and was cut short");
            scan.partial = true;
            break;
        }
        if relatives.contains(pid) {
            continue;
        }
        let Some(process) = system.process(*pid) else { continue };
        scan.agents.extend(agent(process, argv, *runtime, here.as_ref()));
    }
    merge_launchers(&system, &mut scan.agents);
    scan.agents.sort_by_key(|agent| agent.pid);
    scan
}

fn agent(process: &Process, argv: &[String], runtime: Runtime, here: Option<&Place>) -> Option<Agent> {
    if process.exe().is_some_and(|exe| !fits(runtime, exe)) {
        return None;
    }
    let place = Place::of(process.cwd()?);
    if here.is_some_and(|here| !here.conflicts(&place)) {
        return None;
    }
    let Parsed { model, mode, summary, prompt, name, provider } = parse(runtime, argv, &place.dir);
    let state = match process.status() {
        ProcessStatus::Run => Some('R'),
        ProcessStatus::Sleep | ProcessStatus::Idle => Some('S'),
        ProcessStatus::Stop | ProcessStatus::Tracing => Some('T'),
        ProcessStatus::Zombie | ProcessStatus::Dead => Some('Z'),
        ProcessStatus::UninterruptibleDiskSleep => Some('D'),
        _ => None,
    };
    let cpu = process.accumulated_cpu_time() as f64 / 1000.0;
    let life = Life { uptime: Some(process.run_time()), cpu: Some(cpu), state };
    let stale_reason = stale(life, mode);
    let (log_dir, conversation_id) = match runtime {
        Runtime::ClaudeCode => {
            let home = std::env::var_os("HOME").map(PathBuf::from);
            let folder = home.and_then(|home| claude::folder(&home, &place.dir));
            let started = process.start_time() as f64;
            let fresh = folder.as_deref().filter(|_| stale_reason.is_none());
            let id =
                fresh.and_then(|f| claude::conversation(f, started, prompt.as_deref(), claude::MOST_LOGS));
            (folder, id)
        }
        Runtime::Gptme => (None, name),
        _ => (None, None),
    };
    Some(Agent {
        pid: process.pid().as_u32(),
        started: started(process.pid().as_u32()).unwrap_or_else(|| process.start_time()),
        runtime,
        branch: place.branch(),
        cwd: place.dir,
        model,
        mode,
        conversation_id,
        log_dir,
        cmdline_summary: summary,
        uptime_seconds: life.uptime,
        cpu_seconds: life.cpu,
        process_state: state,
        memory_mb: Some(process.memory() as f64 / (1024.0 * 1024.0)),
        stale: stale_reason.is_some(),
        stale_reason,
        provider,
    })
}

#[cfg(target_os = "linux")]
pub(super) fn started(pid: u32) -> Option<u64> {
    start_ticks(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn started(_pid: u32) -> Option<u64> {
    None
}

/// The start of a process from its line in `/proc`; its name, in parentheses, may hold anything.
#[cfg(target_os = "linux")]
pub(super) fn start_ticks(line: &str) -> Option<u64> {
    let (_, fields) = line.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// This process, those it descends from, and those that descend from it.
fn relatives(system: &System) -> HashSet<Pid> {
    let own = Pid::from_u32(std::process::id());
    let parent = |pid: Pid| system.process(pid).and_then(Process::parent);
    let ancestors = |pid: Pid| std::iter::successors(Some(pid), move |pid| parent(*pid)).take(64);
    let mut relatives: HashSet<Pid> = ancestors(own).collect();
    let descendants = system.processes().keys().filter(|pid| ancestors(**pid).any(|a| a == own));
    relatives.extend(descendants.copied());
    relatives
}

/// A launcher (`node …/codex`) and the program that it runs are one agent: the latter.
fn merge_launchers(system: &System, agents: &mut Vec<Agent>) {
    let runtimes: HashMap<u32, Runtime> = agents.iter().map(|agent| (agent.pid, agent.runtime)).collect();
    let launchers: HashSet<u32> = agents
        .iter()
        .filter_map(|agent| {
            let parent = system.process(Pid::from_u32(agent.pid))?.parent()?.as_u32();
            (runtimes.get(&parent) == Some(&agent.runtime)).then_some(parent)
        })
        .collect();
    agents.retain(|agent| !launchers.contains(&agent.pid));
}
