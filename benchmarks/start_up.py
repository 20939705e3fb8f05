#!/usr/bin/env python3
"""How long a user waits: for help, for a refused configuration, for the first step's log line, for an edited recipe.

  benchmarks/start_up.py [--rounds N]

The model is the debugmodel on a row of 16 tokens, so that the step itself takes next to no time. Medians are shown,
beside what is wanted. The last needs the machine to itself: a compiler runs.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("RHEA_BIN", ROOT / "build" / "bin")).resolve()
TRAINING = ["--config", "llama3/debugmodel", "dataset.path=/usr/share/dictd/wn.dict.dz", "training.steps=1", "training.local_batch_size=1",
            "training.seq_len=16", "training.mixed_precision_param=float32",
            "metrics.log_freq=1", "metrics.final_plot=false"]


def seconds(arguments, until=None, status=0):
    """From start to end, or to the first line that contains `until`."""
    start = time.monotonic()
    process = subprocess.Popen([BIN / "rhea", *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    found = None
    for line in process.stderr:
        if until and until in line and found is None:
            found = time.monotonic() - start
    process.wait()
    assert process.returncode == status, f"{arguments} ended with {process.returncode}"
    return found if until else time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    rows = {"rhea --help": [], "a refused configuration": [], "the first step's line": [], "that line, of an edited recipe": []}
    names = list(rows)
    with tempfile.TemporaryDirectory() as folder:
        training = [*TRAINING, f"dataset.cache_folder={folder}/cache"]
        seconds(["run", "pretrain", *training, f"job.dump_folder={folder}/first"])  # tokenises, warms the disk's cache
        recipe = pathlib.Path(folder) / "mine.cpp"
        original = (ROOT / "recipes/pretrain.cpp").read_text().replace("using namespace rhea;", "#include <rhea/core/log.h>\nusing namespace rhea;")
        recipe.write_text(original)
        seconds(["run", recipe, *training, f"job.dump_folder={folder}/built"])
        for number in range(args.rounds):
            rows[names[0]].append(seconds(["--help"]))
            rows[names[1]].append(seconds(["run", "pretrain", "training.stepz=1"], status=2))
            rows[names[2]].append(seconds(["run", "pretrain", *training, f"job.dump_folder={folder}/{number}"], until="step:  1"))
            # Code that no compiler cache can know.
            recipe.write_text(original.replace("install_stop_signals();", f"install_stop_signals();\n  log_info(\"edit {time.time_ns()}\");"))
            rows[names[3]].append(seconds(["run", recipe, *training, f"job.dump_folder={folder}/mine{number}"], until="step:  1"))
    wanted = ["0.05", "0.05", "1.5", "12"]
    print("| from start to | median s | least s | wanted s |\n|---|---|---|---|")
    for name, want in zip(rows, wanted):
        print(f"| {name} | {statistics.median(rows[name]):.3f} | {min(rows[name]):.3f} | {want} |")


if __name__ == "__main__":
    main()
