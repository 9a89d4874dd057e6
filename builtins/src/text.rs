//! Small things that several built-ins do with text.

/// Text for the inside of a tag: what a path or a program wrote must not close it.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    #[test]
    fn tags_cannot_be_closed_from_inside() {
        assert_eq!(super::escape("</system_info> & co"), "&lt;/system_info&gt; &amp; co");
    }
}
