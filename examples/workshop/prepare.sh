#!/bin/sh
# Makes the folder that it runs in a project that session-buddy thinks well of: tests, documentation, a history.
set -eu
git init -q -b main .
git config user.name workshop
git config user.email workshop@example.org
mkdir -p docs tests .github/workflows
printf '[package]\nname = "demo"\nversion = "0.1.0"\n' > Cargo.toml
printf 'version = 4\n' > Cargo.lock
printf '# demo\n' > README.md
printf '/target\n' > .gitignore
printf '[advisories]\n' > deny.toml
printf 'title = "secrets"\n' > .gitleaks.toml
printf 'rules: []\n' > .semgrep.yml
printf 'on: push\n' > .github/workflows/test.yml
printf 'on: push\n' > .github/workflows/codeql.yml
for n in 1 2 3 4 5; do printf '# page %s\n' "$n" > "docs/page$n.md"; done
for n in 0 1 2 3 4 5 6 7 8 9; do printf '#[test]\nfn holds() {}\n' > "tests/test_$n.rs"; done
mkdir -p tests/common && printf '//! Shared setup.\n' > tests/common/mod.rs
printf 'TN:\nSF:src/lib.rs\nDA:1,1\nLF:1\nLH:1\nend_of_record\n' > lcov.info
git add -A
for n in $(seq 20); do git commit -q --allow-empty -m "feat: step $n (#$n)"; done
for name in one two three; do git branch "feature/$name"; done
