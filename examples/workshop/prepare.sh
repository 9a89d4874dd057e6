#!/bin/sh
# Makes the folder that it runs in a project that session-buddy thinks well of: tests that test, pages with something on them, a
# history of changes. What is empty, or there for its name alone, would give no points.
set -eu
git init -q -b main .
git config user.name workshop
git config user.email workshop@example.org
mkdir -p docs tests/cases tests/common .github/workflows
printf '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2024"\n' > Cargo.toml
printf 'version = 4\n\n[[package]]\nname = "demo"\nversion = "0.1.0"\n' > Cargo.lock
words='It says in a few words what the thing is for, how it is built and run, and where to look when something is not clear at all.'
printf '# demo\n\n%s\n' "$words" > README.md
printf '/target\n' > .gitignore
printf '[advisories]\n' > deny.toml
printf 'title = "secrets"\n' > .gitleaks.toml
printf 'rules: []\n' > .semgrep.yml
job='jobs:\n  it:\n    runs-on: ubuntu-latest\n    steps:\n'
printf "on: push\n$job      - run: cargo test\n" > .github/workflows/test.yml
printf "on: push\n$job      - uses: github/codeql-action/analyze@v3\n" > .github/workflows/codeql.yml
for n in 1 2 3 4 5; do printf '# page %s\n\n%s\n' "$n" "$words" > "docs/page$n.md"; done
printf '//! What all tests need.\n\npub fn wanted() -> u32 {\n    1\n}\n' > tests/common/mod.rs
printf 'mod cases;\nmod common;\n' > tests/all.rs
: > tests/cases/mod.rs
for n in 0 1 2 3 4 5 6 7 8 9; do
    printf 'mod test_%s;\n' "$n" >> tests/cases/mod.rs
    printf '#[test]\nfn holds() {\n    assert_eq!(demo::one(), crate::common::wanted());\n}\n' > "tests/cases/test_$n.rs"
done
printf 'TN:\nSF:src/lib.rs\nDA:1,1\nLF:1\nLH:1\nend_of_record\n' > lcov.info
git add -A
for n in $(seq 20); do
    printf 'step %s\n' "$n" >> docs/history.md
    git add -A
    git commit -q -m "feat: step $n (#$n)"
done
for name in one two three; do
    git checkout -q -b "feature/$name" main
    printf '%s\n' "$name" > "docs/$name.md"
    git add -A
    git commit -q -m "feat: begin $name (#30)"
done
git checkout -q main
