#!/usr/bin/env bash
# Configures (once) and builds. Usage: tools/build.sh PRESET [ninja targets...]; RHEA_TORCH_DIR and RHEA_PYTHON as in setup.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
folder=build
[ "$preset" = release ] || folder=build-$preset

named_torch=()
[ -z "${RHEA_TORCH_DIR:-}" ] || named_torch+=("-DRHEA_TORCH_DIR=$RHEA_TORCH_DIR")
[ -z "${RHEA_PYTHON:-}" ] || named_torch+=("-DRHEA_PYTHON=$RHEA_PYTHON")
if [ ! -e "$folder/build.ninja" ] || [ "${#named_torch[@]}" -gt 0 ]; then
  cmake --preset "$preset" "${named_torch[@]}" >"/tmp/rhea-configure-$$.log" 2>&1 || {
    cat "/tmp/rhea-configure-$$.log" >&2
    exit 1
  }
  rm -f "/tmp/rhea-configure-$$.log"
fi

# Nothing to say when there is nothing to build; one rewriting line on a terminal.
if ! ninja -C "$folder" -n "$@" | grep -q "no work to do"; then
  echo "build: $folder"
  NINJA_STATUS="[%f/%t %es] " ninja -C "$folder" "$@" | grep -vE '^ninja: Entering|Re-checking globbed' || [ "${PIPESTATUS[0]}" -eq 0 ]
fi
