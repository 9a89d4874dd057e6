#!/usr/bin/env bash
# The order of hooks is the same however the program is built: the linker's order is not.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}/order
run() { # name, cargo arguments…
    local name=$1; shift
    CARGO_TARGET_DIR=$target/$name cargo run --quiet -p hookspec-builtins --example order "$@" > "$target/$name.txt"
}
mkdir -p "$target"
run debug
run release --release
CARGO_PROFILE_RELEASE_LTO=fat run lto --release
CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 run units --release
for name in release lto units; do
    cmp "$target/debug.txt" "$target/$name.txt"
done
echo "the same order in debug, release, fat LTO and 256 codegen units ($(wc -l < "$target/debug.txt") hooks)"
