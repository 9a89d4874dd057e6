//! In which line of a file an entry stands, so that what it decided can be looked up.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file's `[hooks]`, with its places.
pub(super) struct Lines<'t> {
    text: &'t str,
    hooks: Option<Spanned<DeValue<'t>>>,
}

impl<'t> Lines<'t> {
    /// Of a file that is known to be TOML; of any other, no line is known.
    pub(super) fn of(text: &'t str) -> Self {
        let table = DeTable::parse(text).map(Spanned::into_inner).unwrap_or_default();
        let hooks = table.into_iter().find(|(key, _)| key.get_ref() == "hooks");
        Self { text, hooks: hooks.map(|(_, value)| value) }
    }

    /// The file and the line of the entry of that index in `allow` or `disable`.
    pub(super) fn entry(&self, file: &str, list: &str, index: usize) -> String {
        self.place(file, self.hook(list).and_then(|list| list.get_ref().get(index)).map(Spanned::span))
    }

    /// The same of a key of `[hooks.TABLE]`.
    pub(super) fn key(&self, file: &str, table: &str, key: &str) -> String {
        let table = self.hook(table).and_then(|table| table.get_ref().as_table());
        let found = table.and_then(|table| table.keys().find(|held| held.get_ref() == key));
        self.place(file, found.map(Spanned::span))
    }

    /// The same of a key of `[hooks.rules.NAME]`.
    pub(super) fn rule(&self, file: &str, name: &str, key: &str) -> String {
        let rules = self.hook("rules").and_then(|rules| rules.get_ref().as_table());
        let rule = rules.and_then(|rules| rules.iter().find(|(held, _)| held.get_ref() == name));
        let rule = rule.and_then(|(_, rule)| rule.get_ref().as_table());
        let found = rule.and_then(|rule| rule.keys().find(|held| held.get_ref() == key));
        self.place(file, found.map(Spanned::span))
    }

    /// The line of what `[hooks]` itself says under that key.
    pub(super) fn line(&self, key: &str) -> Option<usize> {
        let table = self.hooks.as_ref()?.get_ref().as_table()?;
        let (held, _) = table.iter().find(|(held, _)| held.get_ref() == key)?;
        Some(self.text.get(..held.span().start)?.matches('\n').count() + 1)
    }

    fn hook(&self, key: &str) -> Option<&Spanned<DeValue<'t>>> {
        self.hooks.as_ref()?.get_ref().get(key)
    }

    fn place(&self, file: &str, span: Option<std::ops::Range<usize>>) -> String {
        let before = span.and_then(|span| self.text.get(..span.start));
        before
            .map_or_else(|| file.to_owned(), |before| format!("{file}:{}", before.matches('\n').count() + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_keys_have_their_line_however_they_are_written() {
        let text = "# ä\r\n[hooks]\nallow = [ # all of it\n  'a', 'b',\n\n  \"\"\"\nc\"\"\",\n]\nlint.x = 1\n\n[hooks.'odd name']\n\"k\" = [\n1]\n";
        let lines = Lines::of(text);
        let entries = [0, 1, 2, 3].map(|index| lines.entry("f", "allow", index));
        assert_eq!(entries, ["f:4", "f:4", "f:6", "f"]);
        assert_eq!(lines.key("f", "lint", "x"), "f:9");
        assert_eq!(lines.key("f", "odd name", "k"), "f:12");
        assert_eq!(lines.key("f", "lint", "none"), "f");
        assert_eq!(Lines::of("hooks = { disable = ['x'] }").entry("f", "disable", 0), "f:1");
        assert_eq!(Lines::of("hooks = 3").entry("f", "disable", 0), "f");
        assert_eq!(Lines::of("no toml").entry("f", "disable", 0), "f");
    }
}
