#!/usr/bin/env bash
# `cargo check` for other systems and for wasm, of the packages that are meant for them. A target whose standard library is not
# here is fetched by rustup where that can be had, and else left out by name.
set -euo pipefail
cd "$(dirname "$0")/.."

# With a standard library for a target, or without.
is_here() {
    local target=$1
    rustc --print target-libdir --target "$target" 2>/dev/null | xargs -I{} sh -c 'ls {}/libstd-*.rlib' >/dev/null 2>&1
}

check() { # target, features of core, packages…
    local target=$1 features=$2; shift 2
    if ! is_here "$target" && ! { command -v rustup >/dev/null && rustup -q target add "$target" >/dev/null 2>&1 && is_here "$target"; }; then
        echo "$target: left out, its standard library is not to be had here"
        return
    fi
    local packages=() package
    for package in "$@"; do packages+=(-p "$package"); done
    echo "$target, ${features:-least}: $*"
    # Without models behind a network, whose TLS wants a C compiler for the target.
    cargo check -q --target "$target" --no-default-features ${features:+--features "$features"} "${packages[@]}" ||
        failed+=("$target, ${features:-least}")
}

failed=()
for target in wasm32-unknown-unknown wasm32-wasip2; do
    check "$target" "" hookspec
    check "$target" hookspec/default hookspec
done
for target in x86_64-pc-windows-gnu x86_64-pc-windows-msvc aarch64-apple-darwin; do
    check "$target" "" hookspec
    check "$target" hookspec/default hookspec hookspec-macros hookspec-process hookspec-agent hookspec-bridge
done
if [ ${#failed[@]} -gt 0 ]; then
    printf 'does not build: %s\n' "${failed[@]}" >&2
    exit 1
fi
