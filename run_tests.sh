#!/usr/bin/env bash
# Sets up, checks the style, builds everything, runs all tests. Arguments go to ctest: ./run_tests.sh -R unit.config
set -euo pipefail
cd "$(dirname "$0")"
tools/setup.sh --tests
tools/lint.sh
tools/build.sh release
exec ctest --test-dir build --output-on-failure "$@"
