#!/usr/bin/env bash
# Style: clang-format (pinned in requirements-tests.txt), and the layers of rhea/. With --tidy also clang-tidy over the
# rooms that do not see libtorch (needs a configured build/ and a clang-tidy wheel: pip install clang-tidy==23.1.4).
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files '*.h' '*.cpp' | xargs -P2 -n40 .venv/bin/clang-format --dry-run -Werror
python3 tools/check_layers.py

if [ "${1:-}" = "--tidy" ]; then
  git ls-files 'rhea/core/*.cpp' 'rhea/config/*.cpp' 'rhea/tokenizers/*.cpp' 'rhea/metrics/*.cpp' 'rhea/data/*.cpp' 'cli/*.cpp' |
    xargs -P2 -n4 .venv/bin/clang-tidy -p build --quiet
fi
