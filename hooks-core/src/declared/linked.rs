//! Hooks that are linked into a program: their rows, whatever their points.

use std::any::{Any, TypeId};
use std::sync::OnceLock;

use crate::base::by_type::ByType;
use crate::base::gathered::list;
use crate::declared::entry::Entry;
use crate::declared::point::Point;

/// What `#[hook]` leaves, behind a pointer: the entry of some point.
pub trait Linked: Sync + 'static {
    /// The type of the point.
    fn point(&self) -> TypeId;
    /// The [`Entry`] of that point.
    fn any(&self) -> &dyn Any;
}

impl<P: Point> Linked for Entry<P> {
    fn point(&self) -> TypeId {
        TypeId::of::<P>()
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

list! {
    /// Every linked hook.
    HOOKS: &'static dyn Linked;
}

/// The linked hooks of one point, in no particular order.
pub fn hooks<P: Point>() -> impl Iterator<Item = &'static Entry<P>> {
    hooks_at(TypeId::of::<P>()).iter().filter_map(|row| row.any().downcast_ref())
}

fn hooks_at(point: TypeId) -> &'static [&'static dyn Linked] {
    static BY_POINT: OnceLock<ByType<Vec<&'static dyn Linked>>> = OnceLock::new();
    let by_point = BY_POINT.get_or_init(|| {
        let mut by_point = ByType::<Vec<&dyn Linked>>::default();
        for row in HOOKS.iter() {
            by_point.entry(row.point()).or_default().push(*row);
        }
        by_point
    });
    by_point.get(&point).map_or(&[], Vec::as_slice)
}
