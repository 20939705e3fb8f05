#!/usr/bin/env bash
# Takes a fresh Debian 12 or 13 machine to "ready to build": Debian packages, and libtorch from the torch wheel in .venv.
# A second run finds everything there and does nothing.
#
#   tools/setup.sh           what building and training need
#   tools/setup.sh --tests   also what the tests compare with (PyTorch's Python side, transformers, TensorBoard, ...)
#
# Environment:
#   RHEA_TORCH_DIR   a libtorch that is there already: the folder with include/ and lib/. No wheel is installed.
#   RHEA_PYTHON      or a Python whose torch package is to be used (a CUDA wheel, for example). The same.
#   RHEA_PIP_ARGS    more arguments for pip. PyPI's plain torch is a CUDA build of several GB; for the small CPU build
#                    give PyTorch's CPU index here (--index-url ..., see pytorch.org).
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=(tools/requirements.txt)
if [ "${1:-}" = "--tests" ]; then
  requirements+=(tools/requirements-tests.txt)
fi

missing_packages() {
  local package
  while read -r package; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done <tools/debian-packages.txt
}

install_packages() {
  local missing
  missing=$(missing_packages | tr '\n' ' ')
  if [ -z "$missing" ]; then
    return
  fi
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      echo "setup: these Debian packages are missing and installing them needs root. Run:" >&2
      echo "  sudo apt-get update && sudo apt-get install --no-install-recommends $missing" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "setup: installing Debian packages: $missing"
  "${as_root[@]}" apt-get update -qq
  # shellcheck disable=SC2086  # a list of words
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

install_wheels() {
  local file stamp python=/usr/bin/python3
  if [ ! -x .venv/bin/python ]; then
    echo "setup: making .venv"
    "$python" -m venv .venv
  fi
  for file in "${requirements[@]}"; do
    if [ "$file" = tools/requirements.txt ] && [ -n "${RHEA_TORCH_DIR:-}${RHEA_PYTHON:-}" ]; then
      continue
    fi
    stamp=.venv/$(basename "$file").$(sha256sum <"$file" | cut -c1-16).installed
    if [ -e "$stamp" ]; then
      continue
    fi
    echo "setup: installing $(grep -v '^#' "$file" | tr '\n' ' ')into .venv"
    # shellcheck disable=SC2086  # a list of words
    .venv/bin/python -m pip install --quiet --disable-pip-version-check ${RHEA_PIP_ARGS:-} -r "$file" 2>&1 | grep -v '^WARNING' || true
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-index --dry-run -r "$file" >/dev/null 2>&1 || {
      echo "setup: pip could not install $file (see above)" >&2
      exit 1
    }
    touch "$stamp"
  done
}

# Packages as folders of files, for the tests.
install_tokenizers() {
  local file=tools/requirements-tokenizers.txt folder=.venv/tokenizers stamp
  stamp=$folder/$(sha256sum <"$file" | cut -c1-16).installed
  if [ -e "$stamp" ]; then
    return
  fi
  echo "setup: fetching $(grep -v '^#' "$file" | tr '\n' ' ')into $folder"
  rm -rf "$folder"
  # shellcheck disable=SC2086  # a list of words
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target "$folder" ${RHEA_PIP_ARGS:-} -r "$file" 2>&1 | grep -v '^WARNING' || [ "${PIPESTATUS[0]}" -eq 0 ]
  touch "$stamp"
}

install_packages
install_wheels
if [ "${1:-}" = "--tests" ]; then
  install_tokenizers
fi
