//! Whether somebody is asked to choose, and not told what was done.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern that is compiled once; one that could not be, which a test rules out, fits nothing.
struct Rule(LazyLock<Option<Regex>>);

impl Rule {
    const fn new(make: fn() -> Option<Regex>) -> Self {
        Self(LazyLock::new(make))
    }

    fn fits(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|rule| rule.is_match(text))
    }
}

macro_rules! rule {
    ($name:ident, $pattern:literal) => {
        static $name: Rule = Rule::new(|| Regex::new($pattern).ok());
    };
}

rule!(
    WHICH,
    r"(?:^|[,:;(–—-] ?|\b(?:know|tell me|me|say|so|and|but|then|on|in|for|to|with|of|from|by|sure|ask) )which\b"
);
rule!(
    TAKE,
    r"\b(?:choose|select|pick)\b(?: (?:one|an?|the|from|between|among|any|which|by|what|your)\b|:?$)"
);
rule!(
    TOLD,
    r"\b(?:i|we|users?|people|they|it|you can|lets?|to|can|may|will|could|had|must|should i) (?:then |now |first )?(?:choose|select|pick)\b"
);
rule!(
    INVITES,
    r"\b(?:let me know|tell me) (?:which|what you(?:'d)? (?:prefer|like|want)|your|how you)|\bneed to know (?:which|what|how)|\bsay which\b|\breply with|\banswer with|\byour (?:choice|call|preference|pick|decision)\b|\bany preference|\bup to you\b"
);
rule!(
    WEIGHS,
    r"\bprefer|\bwhat (?:would|do) you (?:like|want|think is best)|\b(?:what|where|how) (?:should|shall|do|would) (?:i|we|you)\b|\bin (?:what|which) order\b|\boption [a-z0-9]\b|\b(?:1|one|a|first|the former) or (?:the )?(?:2|two|b|second|latter)\b|\([a1]\),? or \([b2]\)|\beither\b"
);
rule!(OFFERS, r"\b(?:would you like|do you want|want) me to\b|\b(?:should|shall|can|could|may) (?:i|we)\b");
rule!(
    LOOKS_BACK,
    r"\b(?:did|was|were|has|have|had) (?:i|we|it|this|that|they|been|there|anything|something)\b|\bwhat(?:'s| is| has)? (?:new|changed|different|done|included|inside|happened|fixed|left|next)\b|^(?:and )?why\b|^how (?:does|did|do) (?:it|this|that|they) |\bwhat (?:does|did|is|was|were|are)\b|\bwhat i (?:did|changed)|^(?:really|questions|ready|done|so what|but how)\?"
);
rule!(
    DONE,
    r"^(?:✅|✔|✓|☑|🟢|❌|✗|\[[ xX]\]|(?i:added|fixed|updated|removed|changed|created|renamed|moved|deleted|refactored|implemented|introduced|replaced|improved|wrote|rewrote|cleaned|made|ran|verified|tested|documented|bumped|extracted|simplified|dropped|merged|committed|installed|configured|corrected|converted|split|reverted|adjusted|checked|built|passed|no longer|now )\b)"
);
rule!(CODE, r"^(?:`[^`]+`|--?[a-z][\w-]*|[\w./-]+\.\w{1,5})(?:\s*\([^)]*\))?(?:\s*(?:[:–—=-]|$)|\s{2,})");

/// A text as it is compared: small letters, single spaces, no marks of emphasis, one kind of apostrophe.
fn plain(text: &str) -> String {
    let text = text.replace(['*', '_', '`', '#'], "").replace('’', "'").to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentences of a text, each with the mark that ends it.
fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut now = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        now.push(c);
        let ends = matches!(c, '?' | '!' | '.')
            && rest.peek().is_none_or(|next| next.is_whitespace() || *next == ')');
        if ends {
            sentences.push(std::mem::take(&mut now).trim().to_owned());
        }
    }
    sentences.push(now.trim().to_owned());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Whether a text asks its reader to choose among something.
pub(super) fn asks(text: &str) -> bool {
    sentences(&plain(text)).iter().any(|sentence| {
        let question = sentence.trim_end_matches([')', ' ']).ends_with('?');
        INVITES.fits(sentence)
            || TAKE.fits(sentence.trim_end_matches(['.', ':', '?', '!'])) && !TOLD.fits(sentence)
            || question && (WHICH.fits(sentence) || WEIGHS.fits(sentence)) && !LOOKS_BACK.fits(sentence)
    })
}

/// Whether a line asks something that the list below it may answer.
pub(super) fn leads_in(line: &str) -> bool {
    let line = plain(line);
    let sentences = sentences(&line);
    let Some(last) = sentences.last() else { return false };
    let question = last.trim_end_matches([')', ' ']).ends_with('?');
    let offer = last.ends_with(':') && OFFERS.fits(last);
    (question || offer) && !LOOKS_BACK.fits(last)
}

/// Whether items tell what was done, or describe names, and are nothing to choose from.
pub(super) fn reports(items: &[String]) -> bool {
    let count = items.iter().filter(|item| DONE.fits(item) || CODE.fits(item)).count();
    count * 2 >= items.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_one() {
        for rule in [&WHICH, &TAKE, &TOLD, &INVITES, &WEIGHS, &OFFERS, &LOOKS_BACK, &DONE, &CODE] {
            assert!(rule.0.is_some());
        }
    }
}
