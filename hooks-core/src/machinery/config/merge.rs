//! One table of settings under several names.

use super::{Config, Section};

impl Section {
    /// Takes over what the same table says under another name: of one key what was said last. Where one source says a
    /// key under both: that source and the key.
    fn merge(&mut self, other: &Self) -> Result<(), (String, String)> {
        for (key, value) in &other.table {
            let (Some(source), Some(turn)) = (other.sources.get(key), other.turns.get(key)) else { continue };
            match self.turns.get(key) {
                Some(held) if held == turn => return Err((source.1.clone(), key.clone())),
                Some(held) if held > turn => {}
                _ => {
                    self.table.insert(key.clone(), value.clone());
                    self.sources.insert(key.clone(), source.clone());
                    self.turns.insert(key.clone(), *turn);
                }
            }
        }
        self.foreign.extend(other.foreign.iter().cloned());
        Ok(())
    }
}

impl Config {
    /// What is said of a group under all its names. Where one source says a key under two of them: that source, and
    /// what is wrong.
    pub(crate) fn hook_table<'n>(
        &self,
        group: &str,
        others: impl Iterator<Item = &'n str>,
    ) -> Result<Option<Section>, (String, String)> {
        let mut whole = self.hooks.get(group).cloned();
        for other in others {
            let Some(said) = self.hooks.get(other) else { continue };
            whole.get_or_insert_default().merge(said).map_err(|(source, key)| {
                (source, format!("`[hooks.{other}]` is the same table, and says `{key}` too; keep one"))
            })?;
        }
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_key_under_two_names_the_last_source_counts_and_one_source_may_not_say_both() {
        let mut config = Config::new();
        config.add_toml("user", "[hooks.new]\na = 1\nb = 1", &[]).unwrap();
        config.add_toml("project", "[hooks.old]\na = 2\nc = 2", &[]).unwrap();
        config.set("new", "c", 3.into(), "an option");
        let table = config.hook_table("new", ["old"].into_iter()).unwrap().unwrap();
        let said = ["a", "b", "c"].map(|key| (table.table[key].as_integer(), table.source(key)));
        assert_eq!(said, [(Some(2), Some("project")), (Some(1), Some("user")), (Some(3), Some("an option"))]);
        assert!(config.hook_table("none", ["nobody"].into_iter()).unwrap().is_none());

        config.add_toml("both", "[hooks.new]\nd = 1\n[hooks.old]\nd = 2", &[]).unwrap();
        let (source, why) = config.hook_table("new", ["old"].into_iter()).unwrap_err();
        assert!(source.starts_with("both"), "{source}");
        assert_eq!(why, "`[hooks.old]` is the same table, and says `d` too; keep one");
    }
}
