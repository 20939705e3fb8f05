#!/usr/bin/env bash
# The long form of the tests of wrong inputs: all of them, and the unit tests, under the address and undefined-behaviour
# sanitizers. Builds build-sanitize first, which takes as long as the release build.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/build.sh sanitize
# libtorch keeps some allocations until the end on purpose; what leaks in our code shows in the tests of memory.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
(cd build-sanitize && ctest --output-on-failure -R '^unit\.' "$@")
RHEA_BIN="$PWD/build-sanitize/bin" python3 tests/e2e/wrong_input_test.py
