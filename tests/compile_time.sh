#!/usr/bin/env bash
# What a crate of 1 000 hooks costs to compile, beside the same functions without the attribute: processor time of `cargo build`
# with all that it starts (user and system), in a debug build, medians of five, both in one run and in turn. Wall time is no
# measure: it hangs on how many cores are free.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/compile-time
rm -rf "$work/plain" "$work/hooks"; mkdir -p "$work/plain/src" "$work/hooks/src"
build() { (cd "$work/$1" && CARGO_TARGET_DIR=$work/target CARGO_INCREMENTAL=0 cargo build --quiet --offline); }
for kind in plain hooks; do
    printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\nhookspec = { path = "%s" }\n[workspace]\n' "$kind" "$root/hooks-core" > "$work/$kind/Cargo.toml"
    cp "$root/Cargo.lock" "$work/$kind/Cargo.lock"
    {
        echo 'use std::path::Path; use hookspec::{Message, hook, points::FILE_POST_SAVE};'
        echo 'hookspec::plugin!();'
        for i in $(seq 1 1000); do
            [ "$kind" = hooks ] && echo "#[hook(FILE_POST_SAVE, priority = $i)]"
            echo "pub fn hook_$i(path: &Path, content: &str, created: bool) -> Option<Message> { (created && content.len() > $i).then(|| Message::system(format!(\"{} $i\", path.display()))) }"
        done
    } > "$work/$kind/src/lib.rs"
    [ "$kind" = plain ] && sed -i 's/{Message, hook, points::FILE_POST_SAVE}/Message/' "$work/$kind/src/lib.rs"
    build "$kind"
done
TIMEFORMAT='%U %S'
for round in 1 2 3 4 5; do
    for kind in plain hooks; do
        touch "$work/$kind/src/lib.rs"
        { time build "$kind"; } 2>&1 | awk -v kind="$kind" '{ print kind, int(($1 + $2) * 1000) }'
    done
done | sort -k1,1 -k2,2n | awk '{ t[$1, ++n[$1]] = $2 } END { p = t["plain", 3]; h = t["hooks", 3]; printf "1 000 functions: %d ms of processor time; with #[hook]: %d ms; ratio %.2f (medians of 5)\n", p, h, h / p }'
