//! Letters and brackets that look like those of ASCII.

/// The ASCII character that this one is mistaken for, or this one: Greek, Cyrillic and Armenian letters, full-width forms, brackets,
/// quotes and dashes.
///
/// ```
/// let read: String = "＜/usеr›".chars().map(hookspec_process::look_alike).collect();
/// assert_eq!(read, "</user>");
/// ```
#[must_use]
pub fn look_alike(c: char) -> char {
    match c {
        // Full-width forms stand in the order of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        'а' | 'α' | 'ɑ' => 'a',
        'е' | 'ε' => 'e',
        'о' | 'ο' | 'σ' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'с' | 'ϲ' => 'c',
        'у' | 'γ' => 'y',
        'х' | 'χ' => 'x',
        'і' | 'ι' | 'ı' | 'Ι' | 'І' => 'i',
        'ѕ' => 's',
        'ј' => 'j',
        'һ' => 'h',
        'ԁ' => 'd',
        'ԛ' => 'q',
        'ԝ' => 'w',
        'ν' | 'ѵ' => 'v',
        'υ' | 'ս' => 'u',
        'ո' | 'η' => 'n',
        'к' | 'κ' => 'k',
        'ɡ' | 'ց' => 'g',
        'Α' | 'А' => 'A',
        'Ε' | 'Е' => 'E',
        'Ο' | 'О' => 'O',
        'Ρ' | 'Р' => 'P',
        'С' | 'Ϲ' => 'C',
        'Τ' | 'Т' | 'т' | 'τ' => 'T',
        'ӏ' | 'Ӏ' => 'l',
        '‘' | '’' | 'ʼ' | '′' => '\'',
        '“' | '”' | '″' => '"',
        '‐'..='―' | '−' => '-',
        '‹' | '\u{2329}' | '\u{3008}' | '⟨' | '﹤' | '˂' | '❮' | '❰' | 'ᐸ' | '≺' | '⧼' | '𝈶' => {
            '<'
        }
        '›' | '\u{232a}' | '\u{3009}' | '⟩' | '﹥' | '˃' | '❯' | '❱' | 'ᐳ' | '≻' | '⧽' | '𝈷' => {
            '>'
        }
        '⁄' | '∕' | '⧸' | '╱' | '𝈺' => '/',
        'ǀ' | '∣' | '⏐' | '│' | '❘' => '|',
        '‗' | '﹍' | '﹎' | '﹏' => '_',
        _ => c,
    }
}
