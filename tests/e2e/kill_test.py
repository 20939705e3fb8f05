#!/usr/bin/env python3
"""A run killed with SIGKILL at random moments, in the middle of saving too, and resumed each time, ends with the same
bits as one that was never killed: weights, optimizer state, losses.

  kill_test.py [KILLS]     50 by default
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

from program import BIN, losses, require, rhea, scratch, small, tensors, write_texts

STEPS = 120


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    random.seed(int(os.environ.get("SEED", "1")))
    with scratch() as folder:
        write_texts(folder)
        common = dict(training__steps=STEPS, training__global_batch_size=4, checkpoint__enable="true", checkpoint__interval=1,
                      checkpoint__keep_latest_k=3)
        rhea("run", "pretrain", *small(folder, **common))
        whole = pathlib.Path(folder) / "run"
        killed = pathlib.Path(folder) / "killed"
        overrides = small(folder, **common, job__dump_folder=killed)
        done = 0
        while done < kills:
            process = subprocess.Popen([BIN / "rhea", "run", "pretrain", *overrides], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env=dict(os.environ, OMP_NUM_THREADS="2"))
            # From before main() to the middle of a few steps and their saves.
            time.sleep(random.uniform(0.1, 1.2))
            if process.poll() is not None:
                require(process.returncode == 0, f"the resumed run failed with {process.returncode} after {done} kills")
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
        result = rhea("run", "pretrain", *overrides)
        require(losses(killed) == losses(whole), f"losses differ after {done} kills\n{result.stderr}")
        ours, theirs = tensors(killed / f"checkpoint/step-{STEPS}"), tensors(whole / f"checkpoint/step-{STEPS}")
        require(ours.keys() == theirs.keys() and len(ours) > 50, "the last checkpoints hold other tensors")
        different = [name for name in ours if ours[name] != theirs[name]]
        require(not different, f"{len(different)} tensors differ after {done} kills: {different[:3]}")
        print(f"{done} kills, {len(ours)} tensors and {len(losses(whole))} losses bit for bit the same")


if __name__ == "__main__":
    main()
