#!/usr/bin/env bash
# Runs the commands of README.md as they stand there, then the `sh` blocks of the pages that it links to, each in the root of
# this checkout and with a home of its own. One that fails fails all.
#
#   tests/readme.sh             README.md, and the pages that it links to
#   tests/readme.sh PAGE …      these pages only
#   tests/readme.sh --linked    only says which pages README.md links to
#
# A block that cannot run here says why in a line before it: <!-- not run: it needs … -->. What README.md shows between
# backticks is run too, but for what is named below with its reason.
set -uo pipefail
cd "$(dirname "$0")/.."
unset CDPATH

declare -A not_run=(
    ["cargo run --release -p hookspec-cli --features full --"]="it is the beginning of a command"
    ["cargo test --workspace -- --ignored slow_"]="a step of its own in .ci/run"
    ["hookspec chat --model ollama/llama3.2"]="it needs Ollama; agent/tests/models speaks its protocol"
    ["hookspec serve --model ollama/llama3.2"]="it serves until it is stopped; cli/tests/serve.rs starts and stops it"
    ["hookspec trace SESSION --svg out.svg"]="SESSION stands for a name"
)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/home" "$scratch/blocks" "$scratch/inline"
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
export HOME=$scratch/home CARGO_INSTALL_ROOT=$scratch/home/installed
# Where the README puts `hookspec`: what it installed, else what its first command built.
export PATH=$CARGO_INSTALL_ROOT/bin:$PWD/target/release:$PATH
unset HOOKSPEC_HOME HOOKSPEC_LOG HOOK_ALLOWLIST CARGO_TARGET_DIR
ran=0 left=0 failed=0

# The `sh` blocks of a page, a file each; a reason not to run one becomes a file `N.not`.
blocks() {
    awk -v to="$2/" '
        /^<!-- not run: .* -->$/ { reason = substr($0, 15, length($0) - 18); next }
        /^```sh$/ && !inside { inside = 1; n++; file = sprintf("%s%02d.sh", to, n); printf "" > file
                               if (reason) print reason > (to sprintf("%02d.not", n)); next }
        /^```/ && inside { inside = 0; close(file); reason = ""; next }
        inside { print > file }
        !inside && !/^$/ { reason = "" }
    ' "$1"
}

# The pages that a page links to: its own links to .md files, and the README of a folder.
linked() {
    grep -o ']([^)#:]*' "$1" | sed 's/^](//' | while read -r link; do
        [ -f "$link/README.md" ] && echo "$link/README.md"
        [[ $link == *.md && -f $link ]] && echo "$link"
    done | awk '!seen[$0]++'
}

# Runs a file of commands in a folder and says what came of it.
run() {
    local title=$1 file=$2 folder=$3 begun=$SECONDS
    echo "== $title"
    sed 's/^/   /' "$file"
    (cd "$folder" && timeout --kill-after=10 3000 bash -e -o pipefail "$file" </dev/null) >"$scratch/said" 2>&1
    local code=$?
    if [ "$code" = 0 ]; then
        ran=$((ran + 1))
        grep -E '^test result: ' "$scratch/said" | awk '{ p += $4; f += $6; i += $8 } END { if (NR) print "   " p " passed, " f " failed, " i " ignored" }'
        echo "   ok, $((SECONDS - begun)) s"
    else
        failed=$((failed + 1))
        tail -n 150 "$scratch/said"
        echo "   FAILED with $code, $((SECONDS - begun)) s: $title"
    fi
}

if [ "${1:-}" = --linked ]; then
    linked README.md
    exit
fi
pages=("$@")
[ $# = 0 ] && mapfile -t pages < <(echo README.md; linked README.md)
for page in "${pages[@]}"; do
    folder=$scratch/blocks/${page//\//-}
    mkdir -p "$folder"
    blocks "$page" "$folder"
    for file in "$folder"/*.sh; do
        [ -e "$file" ] || continue
        number=$(basename "$file" .sh)
        if [ -e "$folder/$number.not" ]; then
            left=$((left + 1))
            echo "== $page, block $number: not run: $(cat "$folder/$number.not")"
        else
            run "$page, block $number" "$file" "$PWD"
        fi
    done
    [ "$page" = README.md ] || continue
    # Between backticks: first what cargo does, which installs the program, then the program in a folder of its own.
    grep -v '^```' README.md | grep -oE '`(cargo|hookspec) [^`]*`' | tr -d '`' | awk '!seen[$0]++' >"$scratch/spans"
    while read -r command; do
        if [ -n "${not_run[$command]:-}" ]; then
            left=$((left + 1))
            echo "== README.md: $command: not run: ${not_run[$command]}"
            continue
        fi
        place=$PWD
        [[ $command == hookspec* ]] && place=$scratch/inline
        echo "$command" >"$scratch/command.sh"
        run "README.md: $command" "$scratch/command.sh" "$place"
    done < <(sort -s -k1,1 "$scratch/spans")
done
echo "$ran passed, $failed failed, $left skipped"
[ "$failed" = 0 ] && [ "$ran" -gt 0 ]
