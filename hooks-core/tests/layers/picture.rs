//! The picture of the layers, and the page that tells them.

use std::fmt::Write as _;

use crate::graph::{Arrow, Library};
use crate::layers::{LAYERS, essays, rows};

const WIDE: usize = 960;
const LINE: usize = 30;

/// An SVG: the layers as bands, the highest on top; in each band rows of files, of which each names lower ones only.
pub(crate) fn svg(library: &Library, arrows: &[Arrow]) -> String {
    let (mut body, mut top) = (String::new(), 0);
    for layer in LAYERS.into_iter().rev() {
        let begin = top;
        top += 26;
        for row in rows(library, arrows, layer).into_iter().rev() {
            let mut left = 150;
            for name in row {
                let shown = if name == "mod" { layer } else { &name };
                let wide = shown.chars().count() * 8 + 16;
                if left + wide > WIDE - 10 {
                    (left, top) = (150, top + LINE);
                }
                let middle = left + wide / 2;
                let _ = writeln!(
                    body,
                    "<rect class=\"file\" x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"22\" rx=\"4\"/>\
                     <text class=\"name\" x=\"{middle}\" y=\"{}\">{shown}</text>",
                    top + 15
                );
                left += wide + 8;
            }
            top += LINE;
        }
        let essay = &essays(library, layer)["mod"];
        let band = format!(
            "<rect class=\"band\" x=\"1\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>\
             <text class=\"layer\" x=\"14\" y=\"{}\">{layer}</text>\
             <text class=\"essay\" x=\"150\" y=\"{}\">{}</text>\n",
            begin + 1,
            WIDE - 2,
            top - begin - 4,
            begin + 19,
            begin + 18,
            escaped(&short(essay)),
        );
        body.push_str(&band);
        top += 4;
    }
    // Bands first: what is written later lies above.
    let (bands, files): (Vec<&str>, Vec<&str>) = body.lines().partition(|line| line.contains("\"band\""));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDE} {top}\" font-family=\"sans-serif\">\n\
         <style>\n\
         .band {{ fill: #f3f4f6; stroke: #d1d5db }} .file {{ fill: #fff; stroke: #9ca3af }}\n\
         .layer {{ font-weight: bold; font-size: 14px; fill: #111827 }} .essay {{ font-size: 12px; fill: #4b5563 }}\n\
         .name {{ font-family: monospace; font-size: 13px; text-anchor: middle; fill: #111827 }}\n\
         @media (prefers-color-scheme: dark) {{\n\
         .band {{ fill: #1f2937; stroke: #374151 }} .file {{ fill: #111827; stroke: #6b7280 }}\n\
         .layer, .name {{ fill: #f9fafb }} .essay {{ fill: #d1d5db }}\n\
         }}\n\
         </style>\n{}\n{}\n</svg>\n",
        bands.join("\n"),
        files.join("\n"),
    )
}

/// A table for each layer, the highest first: what stands in it, and what that is.
pub(crate) fn tables(library: &Library) -> String {
    let mut text = String::new();
    for layer in LAYERS.into_iter().rev() {
        let mut essays = essays(library, layer);
        let own = essays.remove("mod").unwrap_or_default();
        let _ = write!(text, "\n### `{layer}`\n\n{own}.\n\n| file | what it is |\n|---|---|\n");
        for (name, essay) in essays {
            let _ = writeln!(text, "| `{name}` | {} |", essay.replace('|', "\\|"));
        }
    }
    text
}

fn short(essay: &str) -> String {
    if essay.chars().count() <= 120 {
        return essay.to_owned();
    }
    let cut: String = essay.chars().take(118).collect();
    format!("{} …", cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('`', "")
}
