//! `{a,b}` and `{1..3}`.

use super::super::syntax::Piece;

/// Words that one word may become.
const MOST: usize = 1_024;

/// A character that is not quoted, or a whole piece.
#[derive(Clone)]
enum Token {
    Char(char),
    Whole(Piece),
}

/// What braces make of a word; none where that cannot be told.
pub(super) fn expand(pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    // `$a{,x}` is `$a $ax`: braces come before variables.
    let open = |piece: &Piece| matches!(piece, Piece::Text(text) if text.starts_with('{'));
    let bare = |piece: &Piece| matches!(piece, Piece::Parameter(parameter, false) if !parameter.raw.starts_with("${"));
    if pieces.windows(2).any(|pair| pair.first().is_some_and(bare) && pair.get(1).is_some_and(open)) {
        return None;
    }
    let mut tokens = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => tokens.extend(text.chars().map(Token::Char)),
            other => tokens.push(Token::Whole(other.clone())),
        }
    }
    let words = words(&tokens, 0)?;
    Some(words.into_iter().map(joined).collect())
}

fn joined(tokens: Vec<Token>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for token in tokens {
        match (token, pieces.last_mut()) {
            (Token::Char(c), Some(Piece::Text(last))) => last.push(c),
            (Token::Char(c), _) => pieces.push(Piece::Text(c.to_string())),
            (Token::Whole(piece), _) => pieces.push(piece),
        }
    }
    pieces
}

fn is(token: Option<&Token>, wanted: char) -> bool {
    matches!(token, Some(Token::Char(c)) if *c == wanted)
}

fn words(tokens: &[Token], depth: u8) -> Option<Vec<Vec<Token>>> {
    let Some(open) = tokens.iter().position(|token| is(Some(token), '{')) else {
        return Some(vec![tokens.to_vec()]);
    };
    if depth > 16 {
        return None;
    }
    let (mut level, mut commas, mut close) = (0_u32, Vec::new(), None);
    for (at, token) in tokens.iter().enumerate().skip(open + 1) {
        match token {
            Token::Char('{') => level += 1,
            Token::Char('}') if level == 0 => {
                close = Some(at);
                break;
            }
            Token::Char('}') => level -= 1,
            Token::Char(',') if level == 0 => commas.push(at),
            _ => {}
        }
    }
    let before = tokens.get(..open)?;
    let Some(close) = close else {
        // Braces that are not closed: shells differ in what the inner ones then mean.
        let odd = tokens.iter().skip(open + 1).any(|token| is(Some(token), '{') || is(Some(token), ','));
        return if odd { None } else { Some(vec![tokens.to_vec()]) };
    };
    let inside = tokens.get(open + 1..close)?;
    let after = words(tokens.get(close + 1..)?, depth + 1)?;
    let mut middles: Vec<Vec<Token>> = Vec::new();
    if commas.is_empty() {
        match range(inside)? {
            Some(range) => {
                middles.extend(range.into_iter().map(|text| text.chars().map(Token::Char).collect()));
            }
            // `{}` and `{a}` stay, with what is expanded within.
            None => {
                for word in words(inside, depth + 1)? {
                    let mut kept = vec![Token::Char('{')];
                    kept.extend(word);
                    kept.push(Token::Char('}'));
                    middles.push(kept);
                }
            }
        }
    } else {
        let mut from = open + 1;
        for comma in commas.into_iter().chain([close]) {
            middles.extend(words(tokens.get(from..comma)?, depth + 1)?);
            from = comma + 1;
            if middles.len() > MOST {
                return None;
            }
        }
    }
    if middles.len() * after.len() > MOST {
        return None;
    }
    let mut all = Vec::new();
    for middle in &middles {
        for rest in &after {
            all.push([before, middle, rest].concat());
        }
    }
    Some(all)
}

/// What `1..3` and `a..c` stand for; `Some(None)` where it is no range.
#[allow(clippy::option_option, reason = "unknown, no range, or a range")]
fn range(inside: &[Token]) -> Option<Option<Vec<String>>> {
    let text: Option<String> = inside
        .iter()
        .map(|token| match token {
            Token::Char(c) => Some(*c),
            Token::Whole(_) => None,
        })
        .collect();
    // `{$a..3}` is no range, as braces come before variables; `{"a"..c}` may be one.
    let dots = inside.windows(2).any(|pair| is(pair.first(), '.') && is(pair.get(1), '.'));
    let Some(text) = text else { return if dots { None } else { Some(None) } };
    let Some((from, to)) = text.split_once("..") else { return Some(None) };
    let plain = |number: &str| {
        number.len() < 6 && !(number.len() > 1 && number.trim_start_matches('-').starts_with('0'))
    };
    if let (Ok(from), Ok(to)) = (from.parse::<i32>(), to.parse::<i32>()) {
        if !plain(&from.to_string()) || !plain(&to.to_string()) || text.contains('+') || has_zero(&text) {
            return None;
        }
        if from.abs_diff(to) as usize >= MOST {
            return None;
        }
        let up: Vec<String> = (from.min(to)..=from.max(to)).map(|number| number.to_string()).collect();
        return Some(Some(if from <= to { up } else { up.into_iter().rev().collect() }));
    }
    let mut letters = (from.chars(), to.chars());
    if let (Some(from), None, Some(to), None) =
        (letters.0.next(), letters.0.next(), letters.1.next(), letters.1.next())
        && from.is_ascii_lowercase()
        && to.is_ascii_lowercase()
        && from <= to
    {
        return Some(Some((from..=to).map(|c| c.to_string()).collect()));
    }
    // Steps, capitals, and what only looks like a range.
    None
}

/// `01..10` keeps its zeros.
fn has_zero(text: &str) -> bool {
    text.split("..").any(|number| {
        let digits = number.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    })
}
