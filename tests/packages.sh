#!/usr/bin/env bash
# Packs every package that is meant for others, as `cargo publish` would, each built from its own archive and from those before
# it; then runs the doctests of core from its archive.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
# As this workspace says, which the packages no longer belong to: so that what is in the target folder is not built again.
export CARGO_PROFILE_DEV_DEBUG=false

# Whatever of the workspace does not say `publish = false`.
chosen=()
for manifest in */Cargo.toml examples/*/Cargo.toml; do
    grep -q '^publish = false$' "$manifest" && continue
    package=$(sed -n 's/^name = "\(.*\)"$/\1/p' "$manifest" | head -1)
    chosen+=(-p "$package")
    for file in README.md LICENSE-MIT; do
        [ -f "$(dirname "$manifest")/$file" ] || { echo "$package has no $file" >&2; exit 1; }
    done
    for key in description keywords categories readme repository; do
        grep -q "^$key\(\.workspace\)\? = " "$manifest" || { echo "$manifest says no $key" >&2; exit 1; }
    done
done
echo "to pack: ${chosen[*]}"
cargo package -q "${chosen[@]}"

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
for name in hookspec-macros hookspec; do
    tar -xzf "$target/package/$name"-[0-9]*.crate -C "$unpacked"
done
mv "$unpacked"/hookspec-macros-* "$unpacked/macros"
mv "$unpacked"/hookspec-[0-9]* "$unpacked/core"
cp Cargo.lock "$unpacked/core/"
printf '\n[patch.crates-io]\nhookspec-macros = { path = "../macros" }\n\n[workspace]\n' >> "$unpacked/core/Cargo.toml"
CARGO_TARGET_DIR=$target cargo test -q --doc --manifest-path "$unpacked/core/Cargo.toml"
