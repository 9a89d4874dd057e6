//! Hook points as data: what a declaration says, and where a point is fired.

use serde::Serialize;

use crate::base::gathered::list;

/// A hook point as data.
#[derive(Debug, Serialize)]
pub struct PointInfo {
    /// The name in code, `FILE_POST_SAVE`.
    pub name: &'static str,
    /// The name on the wire and in configuration, `file.save.post`.
    pub wire: &'static str,
    /// Other systems' names for the same moment.
    pub aliases: &'static [&'static str],
    /// What it means and when it fires.
    pub docs: &'static str,
    /// How the hooks' results combine, as written in the declaration.
    pub verdict: &'static str,
    /// What a hook may ask for.
    pub fields: &'static [FieldInfo],
    /// Whether messages emitted here go to the caller only and not into the conversation.
    pub transient: bool,
    /// Whether only sync hooks may listen.
    pub sync: bool,
    /// Whether its events hold what has no form outside of this process: no copy, no JSON, no schema.
    pub local: bool,
    /// By what hooks here may be filtered: `tools`, `paths`.
    pub filters: &'static [&'static str],
    /// The package that declares it.
    pub package: &'static str,
    /// Where it is declared.
    pub file: &'static str,
    /// Where it is declared.
    pub line: u32,
}

impl PointInfo {
    /// Whether `name` is one of the point's names: in code, on the wire, or an alias.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.wire == name || self.aliases.contains(&name)
    }
}

/// One field of a point's event.
#[derive(Debug, Serialize)]
pub struct FieldInfo {
    /// Name, which is also the parameter's name in a hook.
    pub name: &'static str,
    /// Type, as written in the declaration.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// What it holds.
    pub docs: &'static str,
}

/// One place in a host's code where a point is fired.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FireSite {
    /// The point.
    pub point: &'static PointInfo,
    /// Source file.
    pub file: &'static str,
    /// Source line.
    pub line: u32,
    /// The package that fires it.
    pub package: &'static str,
}

list! {
    /// Every fire site.
    FIRE_SITES: FireSite;
}

/// Every fire site that is linked into this program.
#[must_use]
pub fn fire_sites() -> &'static [FireSite] {
    &FIRE_SITES
}
