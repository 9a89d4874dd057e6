//! How a value may be written: as it is, in base64 wherever it begins, in hexadecimal, as part of a URL, in JSON, backwards.

/// What is shorter is looked for as it is only: what is made of it turns up by chance.
const LEAST: usize = 8;
/// The shortest form.
const LEAST_FORM: usize = 10;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// All forms of a value beside itself.
pub(super) fn of(value: &str) -> Vec<String> {
    let mut forms = Vec::new();
    if value.len() < LEAST {
        return forms;
    }
    let bytes = value.as_bytes();
    for skip in 0..3 {
        let inner = base64_within(bytes, skip);
        forms.push(inner.replace('+', "-").replace('/', "_"));
        forms.push(inner);
    }
    forms.push(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
    forms.push(bytes.iter().map(|byte| format!("{byte:02X}")).collect());
    forms.push(percent(bytes, true));
    forms.push(percent(bytes, false));
    if let Ok(json) = serde_json::to_string(value) {
        forms.push(json.trim_matches('"').to_owned());
        forms.push(json.trim_matches('"').replace('/', "\\/"));
    }
    forms.push(value.replace('\'', r"'\''"));
    forms.push(value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"));
    forms.push(value.chars().rev().collect());
    forms.retain(|form| form.len() >= LEAST_FORM && form != value);
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// What base64 makes of these bytes wherever they stand in a longer text: `skip` bytes before them, without the letters that
/// hold bits of their neighbours too.
fn base64_within(bytes: &[u8], skip: usize) -> String {
    let mut padded = vec![0; skip];
    padded.extend_from_slice(bytes);
    let mut letters = Vec::new();
    for group in padded.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|at| u32::from(group.get(at).copied().unwrap_or_default()));
        let bits = a << 16 | b << 8 | c;
        let whole = (group.len() * 8) / 6;
        letters.extend(
            [18, 12, 6, 0].into_iter().take(whole).map(|shift| BASE64[(bits >> shift) as usize & 63]),
        );
    }
    let first = (skip * 8).div_ceil(6);
    letters.into_iter().skip(first).map(char::from).collect()
}

/// As it stands in a URL.
fn percent(bytes: &[u8], upper: bool) -> String {
    let mut out = String::new();
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(byte) {
            out.push(char::from(*byte));
        } else if upper {
            out.push_str(&format!("%{byte:02X}"));
        } else {
            out.push_str(&format!("%{byte:02x}"));
        }
    }
    out
}
