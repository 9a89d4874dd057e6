//! Small things that several built-ins do with text.

use std::time::Duration;

use serde_json::Value;

/// A length of time for people: `0.4 s`.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// Text for the inside of a tag: what a path or a program wrote must not close it.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON with the keys of objects in order, whatever order the model gave them.
pub(crate) fn sorted(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<_> =
                map.iter().map(|(name, value)| format!("{name:?}:{}", sorted(value))).collect();
            fields.sort_unstable();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// No block is longer, in bytes: a line may be a whole program.
const BLOCK: usize = 16 * 1024;

/// The end of a program's output, as a block that it cannot close.
pub(crate) fn tail_block(output: &str, lines: usize) -> String {
    let all: Vec<&str> = output.trim_end().lines().collect();
    let left_out = all.len().saturating_sub(lines);
    let mut text = all[left_out..].join("\n");
    if text.len() > BLOCK {
        let cut = text.ceil_char_boundary(text.len() - BLOCK);
        text.replace_range(..cut, "…");
    }
    if left_out > 0 {
        text.insert_str(0, &format!("… {left_out} lines left out …\n"));
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn blocks_hold_the_end_and_cannot_be_closed_from_inside() {
        assert_eq!(super::tail_block("a\n```\nb\n", 9), "````\na\n```\nb\n````");
        assert_eq!(super::tail_block("a\nb\nc", 1), "```\n… 2 lines left out …\nc\n```");
        let long = super::tail_block(&format!("x\n{}end", "é".repeat(1 << 20)), 1);
        assert!(long.starts_with("```\n… 1 lines left out …\n…é") && long.ends_with("éend\n```"));
        assert!(long.len() < super::BLOCK + 100);
    }

    #[test]
    fn tags_cannot_be_closed_from_inside() {
        assert_eq!(super::escape("</system_info> & co"), "&lt;/system_info&gt; &amp; co");
    }
}
