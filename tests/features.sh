#!/usr/bin/env bash
# Core with as little as there is: what it needs then, that every set of features builds without a warning, and that a program
# with the least set runs.
set -euo pipefail
cd "$(dirname "$0")/.."

# Every package that the least set brings. One more is a decision: docs/decisions/0026-features.md.
least="hookspec hookspec-macros linkme linkme-impl once_cell pin-project-lite proc-macro2 quote serde serde_core serde_derive syn
thiserror thiserror-impl tracing tracing-core unicode-ident"
found=$(cargo tree -q -p hookspec --no-default-features --target all -e normal,build --prefix none --format '{p}' | cut -d' ' -f1 | sort -u)
if ! diff <(tr -s ' \n' '\n' <<<"$least" | sort -u) - <<<"$found"; then
    echo "the least set of features does not bring the packages that are listed in tests/features.sh" >&2
    exit 1
fi
echo "the least set: $(wc -l <<<"$found") packages"

# Each alone, and the pairs that do not come down to one of them.
features=(json live schema config time)
sets=("" "${features[@]}" live,json live,schema live,config live,time schema,config schema,time config,time)
for set in "${sets[@]}"; do
    echo "core with: ${set:-nothing}"
    cargo clippy -q -p hookspec --no-default-features --features "$set" -- -D warnings
done

said=$(cargo run -q -p hookspec-example-three-points)
grep -q "^remove: no, says .*careful" <<<"$said"
echo "examples/three-points runs"
