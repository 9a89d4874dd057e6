//! What is known of models: how many tokens they hold and what their tokens cost.
//!
//! The table is `data/models.toml`; its head names the sources. A host reads it once, lays `[models]` of
//! `hookspec.toml` over it and lends it to hooks as a session extension (`Arc<Models>`). What is not in it is
//! unknown, never zero.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hookspec::model::{MicroDollars, Usage};
use serde::Deserialize;

use crate::dollars::Dollars;

const TABLE: &str = include_str!("../data/models.toml");

/// Models that are known by name; without a value it is the built-in table, which nobody has asked for yet.
#[derive(Clone, Debug)]
pub struct Models(OnceLock<BTreeMap<String, Model>>);

impl Default for Models {
    /// No model at all.
    fn default() -> Self {
        Self(BTreeMap::new().into())
    }
}

/// What is known of one model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Tokens of prompt and answer together.
    pub context: Option<u64>,
    /// Tokens of one answer at most.
    pub max_output: Option<u64>,
    /// What its tokens cost.
    pub prices: Prices,
    /// What they cost in requests with a long prompt.
    pub long: Option<Long>,
}

/// Prices of a million tokens each; `None` is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    /// Tokens read, not from the cache.
    pub input: Option<MicroDollars>,
    /// Tokens generated.
    pub output: Option<MicroDollars>,
    /// Tokens read from the provider's cache.
    pub cache_read: Option<MicroDollars>,
    /// Tokens written to the provider's cache.
    pub cache_write: Option<MicroDollars>,
}

/// Prices of requests whose prompt is longer than so many tokens, the cached ones included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Long {
    /// The longest prompt that has the usual prices.
    pub above: u64,
    /// The prices of all tokens of a longer one.
    pub prices: Prices,
}

/// A table of models that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelsError {
    /// An entry is not one.
    #[error(
        "`[models.\"{model}\"]`: {why}; it takes context and max_output in tokens, input, output, cache_read and cache_write in dollars per million tokens, and long = {{ above, … }}"
    )]
    Entry {
        /// The model.
        model: String,
        /// What is wrong.
        why: String,
    },
    /// A name that is not `provider/name`.
    #[error("`[models.\"{0}\"]`: a model is named `provider/name`, as in `[models.\"openai/gpt-5\"]`")]
    Name(String),
    /// The built-in table itself.
    #[error("the built-in table of models is damaged: {0}")]
    BuiltIn(String),
}

/// An entry as it is written; each key that is left out leaves what is known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    context: Option<u64>,
    max_output: Option<u64>,
    input: Option<Dollars>,
    output: Option<Dollars>,
    cache_read: Option<Dollars>,
    cache_write: Option<Dollars>,
    long: Option<WrittenLong>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLong {
    above: u64,
    input: Option<Dollars>,
    output: Option<Dollars>,
    cache_read: Option<Dollars>,
    cache_write: Option<Dollars>,
}

impl Models {
    /// The built-in table. Reading it takes about a millisecond: once is enough for a host.
    ///
    /// # Errors
    /// If it is damaged, which a test rules out.
    pub fn builtin() -> Result<Self, ModelsError> {
        let table =
            TABLE.parse().map_err(|error: toml::de::Error| ModelsError::BuiltIn(error.to_string()))?;
        Self::default().with_overrides(&table)
    }

    /// The built-in table, read when somebody asks for a model: a process that lives for one event seldom does.
    /// Should it be damaged, which a test rules out, then no model is known, and the log says so.
    #[must_use]
    pub const fn late() -> Self {
        Self(OnceLock::new())
    }

    fn table(&self) -> &BTreeMap<String, Model> {
        self.0.get_or_init(|| {
            Self::builtin().map(Self::into_table).unwrap_or_else(|error| {
                tracing::error!(%error, "no model is known");
                BTreeMap::new()
            })
        })
    }

    fn into_table(self) -> BTreeMap<String, Model> {
        self.table();
        self.0.into_inner().unwrap_or_default()
    }

    /// Lays entries over what is there: `[models."provider/name"]`, key by key. New prices of a model replace
    /// those for long prompts too, unless the entry gives them again.
    ///
    /// # Errors
    /// If an entry is not a table, has an unknown key or a value of another type, or is not named
    /// `provider/name`.
    pub fn with_overrides(self, table: &toml::Table) -> Result<Self, ModelsError> {
        let mut models = self.into_table();
        for (name, value) in table {
            if !name.split_once('/').is_some_and(|(provider, rest)| !provider.is_empty() && !rest.is_empty())
            {
                return Err(ModelsError::Name(name.clone()));
            }
            let written: Written = value.clone().try_into().map_err(|error: toml::de::Error| {
                ModelsError::Entry { model: name.clone(), why: error.message().to_owned() }
            })?;
            written.lay_over(models.entry(name.clone()).or_default());
        }
        Ok(Self(models.into()))
    }

    /// The model of that name: `provider/name`, or the bare name where only one provider has it. A date at the
    /// end (`-20250929`, `-2025-09-29`, `@20250929`) and `-latest` do not count, unless the table has them.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Model> {
        self.entry(name).map(|(_, model)| model)
    }

    /// The name under which the table has a model, for comparing names; the name itself where it has none.
    #[must_use]
    pub fn canonical<'a>(&'a self, name: &'a str) -> &'a str {
        self.entry(name).map_or(name, |(name, _)| name)
    }

    /// What a request costs, rounded half up to a millionth of a dollar; `None` where the model or the price
    /// of a kind of token that was used is not known.
    #[must_use]
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<MicroDollars> {
        self.find(model)?.cost(usage)
    }

    fn entry(&self, name: &str) -> Option<(&str, &Model)> {
        self.exact(name).or_else(|| self.exact(undated(name)?))
    }

    fn exact(&self, name: &str) -> Option<(&str, &Model)> {
        if name.contains('/') {
            return self.table().get_key_value(name).map(|(name, model)| (name.as_str(), model));
        }
        let bare = |full: &&String| full.split_once('/').is_some_and(|(_, bare)| bare == name);
        let mut found = self.table().keys().filter(bare);
        let (only, None) = (found.next()?, found.next()) else { return None };
        self.exact(only)
    }
}

impl Model {
    fn cost(&self, usage: &Usage) -> Option<MicroDollars> {
        let prompt = usage
            .input_tokens
            .saturating_add(usage.cache_read_tokens)
            .saturating_add(usage.cache_creation_tokens);
        let prices = self.long.filter(|long| prompt > long.above).map_or(self.prices, |long| long.prices);
        let parts = [
            (usage.input_tokens, prices.input),
            (usage.output_tokens, prices.output),
            (usage.cache_read_tokens, prices.cache_read),
            (usage.cache_creation_tokens, prices.cache_write),
        ];
        let mut sum = 0_u128;
        for (tokens, price) in parts.into_iter().filter(|(tokens, _)| *tokens > 0) {
            sum = sum.checked_add(u128::from(tokens) * u128::from(price?.0))?;
        }
        u64::try_from((sum + 500_000) / 1_000_000).ok().map(MicroDollars)
    }
}

impl Written {
    fn lay_over(self, model: &mut Model) {
        let old = model.prices;
        let micro = |price: Option<Dollars>| price.map(|Dollars(micro)| micro);
        model.context = self.context.or(model.context);
        model.max_output = self.max_output.or(model.max_output);
        model.prices = Prices {
            input: micro(self.input).or(old.input),
            output: micro(self.output).or(old.output),
            cache_read: micro(self.cache_read).or(old.cache_read),
            cache_write: micro(self.cache_write).or(old.cache_write),
        };
        if let Some(long) = self.long {
            let prices = Prices {
                input: micro(long.input),
                output: micro(long.output),
                cache_read: micro(long.cache_read),
                cache_write: micro(long.cache_write),
            };
            model.long = Some(Long { above: long.above, prices });
        } else if model.prices != old {
            model.long = None;
        }
    }
}

/// The name without the date at its end.
fn undated(name: &str) -> Option<&str> {
    if let Some(rest) = name.strip_suffix("-latest") {
        return Some(rest);
    }
    let date = |text: &str, shape: &str| {
        text.len() == shape.len()
            && text
                .bytes()
                .zip(shape.bytes())
                .all(|(byte, shape)| if shape == b'0' { byte.is_ascii_digit() } else { byte == shape })
    };
    ["-00000000", "@00000000", "-0000-00-00"].into_iter().find_map(|shape| {
        let at = name.len().checked_sub(shape.len())?;
        let (rest, end) = (name.get(..at)?, name.get(at..)?);
        date(end, shape).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models() -> Models {
        Models::builtin().unwrap()
    }

    fn usage(input: u64, output: u64, read: u64, creation: u64) -> Usage {
        Usage {
            input_tokens: input,
            output_tokens: output,
            cache_read_tokens: read,
            cache_creation_tokens: creation,
        }
    }

    fn overridden(text: &str) -> Result<Models, String> {
        models().with_overrides(&text.parse().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_late_table_is_the_built_in_one() {
        let late = Models::late();
        assert!(late.0.get().is_none());
        assert_eq!(late.table(), models().table());
        assert_eq!(Models::late().into_table(), models().into_table());
        assert!(Models::default().table().is_empty());
    }

    #[test]
    fn the_built_in_table_is_whole() {
        for (name, model) in models().table() {
            assert!(model.context.is_some() && model.max_output.is_some(), "{name}");
            let Prices { input, output, cache_read, .. } = model.prices;
            assert!(input.is_some() && output > input && cache_read < input, "{name}");
            if let Some(long) = model.long {
                assert!(long.prices.input > input && model.context > Some(long.above), "{name}");
            }
        }
        assert!(models().table().len() >= 25);
    }

    #[test]
    fn names_are_found_with_and_without_provider_and_date() {
        let models = models();
        let row = models.find("anthropic/claude-sonnet-4-5").unwrap();
        assert_eq!(row.context, Some(200_000));
        for name in [
            "claude-sonnet-4-5",
            "anthropic/claude-sonnet-4-5-20250929",
            "claude-sonnet-4-5@20250929",
            "claude-sonnet-4-5-latest",
        ] {
            assert_eq!(models.find(name), Some(row), "{name}");
            assert_eq!(models.canonical(name), "anthropic/claude-sonnet-4-5");
        }
        assert!(models.find("openai/gpt-4o-2024-08-06").is_some());
        for name in [
            "",
            "/",
            "gpt",
            "ollama/gpt-4o",
            "replay/x",
            "claude-sonnet-4-5-2025092",
            "é20250929",
            "-20250929",
        ] {
            assert_eq!(models.find(name), None, "{name}");
            assert_eq!(models.canonical(name), name);
        }
    }

    #[test]
    fn a_bare_name_of_two_providers_is_nobodys() {
        let models = overridden("['azure/gpt-4o']\ncontext = 1").unwrap();
        assert_eq!(models.find("gpt-4o"), None);
        assert_eq!(models.find("azure/gpt-4o").unwrap().context, Some(1));
    }

    #[test]
    fn costs_are_exact_and_rounded_once() {
        let models = models();
        let cost = |model, usage| models.cost(model, &usage).map(|MicroDollars(micro)| micro);
        // 1000 × $3 + 500 × $15 + 2000 × $0.30 + 100 × $3.75, a million tokens each
        assert_eq!(cost("claude-sonnet-4-5", usage(1000, 500, 2000, 100)), Some(11_475));
        assert_eq!(cost("claude-sonnet-4-5", usage(0, 0, 0, 0)), Some(0));
        assert_eq!(cost("gpt-5-nano", usage(0, 0, 99, 0)), Some(0), "0.495 rounds down");
        assert_eq!(cost("gpt-5-nano", usage(0, 0, 100, 0)), Some(1), "0.5 rounds up");
        assert_eq!(cost("claude-opus-4-1", usage(u64::MAX, 0, 0, 0)), None, "too much to be true");
    }

    #[test]
    fn long_prompts_have_their_own_prices_for_all_tokens() {
        let models = models();
        let cost = |usage| models.cost("claude-haiku-5-5", &usage).unwrap().0;
        assert_eq!(cost(usage(100_000, 1000, 0, 0)), 10_500);
        assert_eq!(cost(usage(100_000, 1000, 1, 0)), 52_500);
    }

    #[test]
    fn what_is_not_known_is_not_zero() {
        let models = models();
        assert_eq!(models.cost("ollama/llama", &usage(1, 1, 0, 0)), None);
        assert_eq!(models.cost("gpt-4o", &usage(1, 1, 0, 5)), None, "no price for cache writes");
        assert!(models.cost("gpt-4o", &usage(1, 1, 5, 0)).is_some());
    }

    #[test]
    fn overrides_change_what_they_name_and_add_models() {
        let models = overridden(
            "['anthropic/claude-haiku-5-5']\ninput = 1\n['ollama/llama']\ncontext = 8192\ninput = 0\noutput = '0'",
        )
        .unwrap();
        let haiku = models.find("claude-haiku-5-5").unwrap();
        assert_eq!(haiku.prices.input, Some(MicroDollars(1_000_000)));
        assert_eq!((haiku.prices.output, haiku.long), (Some(MicroDollars(500_000)), None));
        assert_eq!(models.cost("ollama/llama", &usage(9, 9, 0, 0)), Some(MicroDollars(0)));
    }

    #[test]
    fn mistakes_are_told_in_full() {
        let error = overridden("['openai/gpt-5']\ninptu = 1").unwrap_err();
        assert!(error.starts_with("`[models.\"openai/gpt-5\"]`: unknown field `inptu`"), "{error}");
        assert!(error.contains("dollars per million tokens"), "{error}");
        assert!(
            overridden("['openai/gpt-5']\ninput = 'free'").unwrap_err().contains("`free` is not an amount")
        );
        assert!(overridden("'openai/gpt-5' = 3").unwrap_err().contains("openai/gpt-5"));
        assert!(overridden("gpt-5 = {}").unwrap_err().contains("`provider/name`"));
    }
}
