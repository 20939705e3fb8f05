#!/usr/bin/env bash
# Sets up, builds, trains. With no argument: a small llama on the English dictionary WordNet, in about three minutes.
#
#   ./run_train.sh                                            the first run
#   ./run_train.sh training.steps=100 optimizer.lr=1e-3       the same with other values
#   CONFIG_FILE=configs/llama3/debugmodel.toml NPROC=2 ./run_train.sh dataset.path=my_texts/
#
# Environment: RECIPE (pretrain), CONFIG_FILE (configs/llama3/first_run.toml), NPROC (1), LOG_RANK (0), and what
# tools/setup.sh takes.
set -euo pipefail
cd "$(dirname "$0")"
tools/setup.sh
tools/build.sh release rhea-cli recipes rhea-validate rhea-doctor
export LOG_RANK="${LOG_RANK:-0}"
exec build/bin/rhea run "${RECIPE:-pretrain}" --nproc "${NPROC:-1}" --config "${CONFIG_FILE:-configs/llama3/first_run.toml}" "$@"
