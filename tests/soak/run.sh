#!/usr/bin/env bash
# Ten minutes of mixed load on the server (or as many seconds as are given): see server/tests/server/soak.rs.
set -euo pipefail
cd "$(dirname "$0")/../.."
SOAK_SECONDS="${1:-600}" cargo test --release -p hookspec-server --test server soak::ten_minutes -- --ignored --nocapture
