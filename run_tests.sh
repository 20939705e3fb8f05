#!/usr/bin/env bash
# Sets up, checks the style, builds everything, runs all tests. Arguments go to ctest: ./run_tests.sh -R unit.config
set -euo pipefail
cd "$(dirname "$0")"
tools/setup.sh --tests
tools/lint.sh
tools/build.sh release
ctest --test-dir build --output-on-failure "$@" && exit
# A machine short of memory for a moment may fail to load a program, before a line of ours has run. Only then once more.
grep -q "error while loading shared libraries" build/Testing/Temporary/LastTest.log || exit 8
echo "run_tests: a program could not be loaded; the failed tests run once more" >&2
exec ctest --test-dir build --output-on-failure --rerun-failed
