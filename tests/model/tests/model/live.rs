//! The live hooks as the model has them: the registry that holds now, and what is switched off.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hookspec::hooks::Shadowed;

use crate::case::{At, Case, Change, Desc};
use crate::order::order;

/// A hook's switch and its failures: shared by all that had its name at its point, one after the other.
#[derive(Default)]
pub struct Switch {
    off: Cell<bool>,
    quarantined: Cell<bool>,
    failures: Cell<u32>,
    shadowed: Cell<Shadowed>,
}

impl Switch {
    fn set(&self, on: bool) {
        self.off.set(!on);
        if on {
            self.quarantined.set(false);
            self.failures.set(0);
        }
    }

    /// Another hook takes its place: what the one before did is not its fault.
    fn renew(&self) {
        self.quarantined.set(false);
        self.failures.set(0);
        self.shadowed.set(Shadowed::default());
    }

    pub fn shadow(&self, more: Shadowed) {
        let mut all = self.shadowed.get();
        all.add(more);
        self.shadowed.set(all);
    }

    pub fn shadowed(&self) -> Shadowed {
        self.shadowed.get()
    }

    pub fn failed(&self, quarantine: Option<u32>) {
        self.failures.set(self.failures.get() + 1);
        if quarantine.is_some_and(|most| self.failures.get() >= most) {
            self.quarantined.set(true);
        }
    }

    pub fn is_on(&self) -> bool {
        !self.off.get() && !self.quarantined.get()
    }

    pub fn failures(&self) -> u32 {
        self.failures.get()
    }
}

/// A hook where it is live.
#[derive(Clone)]
pub struct Slot<'c> {
    pub desc: &'c Desc,
    pub switch: Rc<Switch>,
}

pub type Slots<'c> = Vec<Slot<'c>>;

pub struct Live<'c> {
    case: &'c Case,
    pub slots: Slots<'c>,
    /// Those that came while the host ran, and whether each was to replace another.
    late: Vec<(&'c Desc, bool)>,
    /// Switches of hooks that an earlier registry had.
    remembered: BTreeMap<(At, usize), Rc<Switch>>,
    /// Names that are off in the session.
    off_here: BTreeSet<usize>,
}

impl<'c> Live<'c> {
    pub fn of(case: &'c Case) -> Self {
        let (late, remembered, off_here) = Default::default();
        let mut live = Self { case, slots: Vec::new(), late, remembered, off_here };
        case.start().for_each(|desc| _ = live.put(desc, false));
        live
    }

    /// The hooks of a point, of these or of an earlier registry.
    pub fn at(at: At, slots: &Slots<'c>) -> Slots<'c> {
        slots.iter().filter(|slot| slot.desc.at == at).cloned().collect()
    }

    pub fn is_on(&self, slot: &Slot<'c>) -> bool {
        slot.switch.is_on() && !self.off_here.contains(&slot.desc.name)
    }

    pub fn change(&mut self, change: Change) {
        let is_there = |name| self.slots.iter().any(|slot| slot.desc.name == name);
        match change {
            Change::Disable(name) | Change::Enable(name) | Change::Unregister(name) => {
                let on = change == Change::Enable(name);
                self.slots.iter().filter(|slot| slot.desc.name == name).for_each(|slot| slot.switch.set(on));
                if change == Change::Unregister(name) && is_there(name) {
                    self.slots.retain(|slot| slot.desc.name != name);
                    At::ALL.into_iter().for_each(|at| _ = self.sort(at));
                    self.late.retain(|(desc, _)| desc.name != name);
                    self.remembered.retain(|(_, known), _| *known != name);
                }
            }
            Change::Off(name) if is_there(name) => _ = self.off_here.insert(name),
            Change::On(name) if is_there(name) => _ = self.off_here.remove(&name),
            Change::Off(_) | Change::On(_) => {}
            Change::Register(number) | Change::Replace(number) => {
                let (desc, replaces) = (self.case.spare(number), change == Change::Replace(number));
                if self.put(desc, replaces) {
                    self.late.retain(|(late, _)| (late.name, late.at) != (desc.name, desc.at));
                    self.late.push((desc, replaces));
                }
            }
            Change::Swap(without) => self.swap(without),
        }
    }

    /// A registry built anew; what came late is put into it again.
    fn swap(&mut self, without: usize) {
        let old = std::mem::take(&mut self.slots);
        let case = self.case;
        case.start().filter(|desc| desc.name != without).for_each(|desc| _ = self.put(desc, false));
        for (desc, replaces) in std::mem::take(&mut self.late) {
            if self.put(desc, replaces) {
                self.late.push((desc, replaces));
            }
        }
        self.remembered.extend(old.into_iter().map(|slot| ((slot.desc.at, slot.desc.name), slot.switch)));
        for slot in &mut self.slots {
            if let Some(switch) = self.remembered.remove(&(slot.desc.at, slot.desc.name)) {
                slot.switch = switch;
            }
        }
    }

    /// Puts the hooks of a point in order; `false` where there is none.
    fn sort(&mut self, at: At) -> bool {
        let there = Self::at(at, &self.slots);
        let Some(sorted) = order(&there, |slot| slot.desc) else { return false };
        let sorted: Slots<'c> = sorted.into_iter().cloned().collect();
        self.slots.retain(|slot| slot.desc.at != at);
        self.slots.extend(sorted);
        true
    }

    /// Adds a hook; `false` if its name is taken, and it is not to replace the other, or if there would be no order.
    fn put(&mut self, desc: &'c Desc, replaces: bool) -> bool {
        let held = self.slots.iter().position(|slot| (slot.desc.name, slot.desc.at) == (desc.name, desc.at));
        let before = self.slots.clone();
        let switch = match held {
            Some(_) if !replaces => return false,
            Some(held) => self.slots.remove(held).switch,
            None => Rc::default(),
        };
        self.slots.push(Slot { desc, switch: Rc::clone(&switch) });
        if !self.sort(desc.at) {
            self.slots = before;
            return false;
        }
        if held.is_some() {
            switch.renew();
        }
        true
    }
}
