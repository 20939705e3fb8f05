#!/usr/bin/env bash
# Style: clang-format and clang-tidy (both pinned in requirements-tests.txt), and the layers of rhea/.
#
#   tools/lint.sh           formatting and layers: a second
#   tools/lint.sh --tidy    also clang-tidy over the code that does not see libtorch: two minutes; needs a configured build/
#   tools/lint.sh --tidy-all   over all of it: ten minutes
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files '*.h' '*.cpp' | xargs -P2 -n40 .venv/bin/clang-format --dry-run -Werror
python3 tools/check_layers.py

case "${1:-}" in
  --tidy) files=$(git ls-files 'rhea/core/*.cpp' 'rhea/config/*.cpp' 'rhea/tokenizers/*.cpp' 'rhea/metrics/*.cpp' 'rhea/data/*.cpp' 'cli/*.cpp' | grep -v _torch) ;;
  --tidy-all) files=$(git ls-files 'rhea/*.cpp' 'cli/*.cpp' 'recipes/*.cpp') ;;
  *) exit 0 ;;
esac
echo "$files" | xargs -P"$(nproc)" -n4 .venv/bin/clang-tidy -p build --quiet --extra-arg=-Wno-pass-failed
