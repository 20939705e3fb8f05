#!/usr/bin/env python3
"""Training speed and peak memory of Rhea beside PyTorch on this machine, in one run: the table of docs/performance.md.

  benchmarks/training.py                         all works
  benchmarks/training.py debugmodel-fp32 134M-fp32 --rounds 3
  benchmarks/training.py --compile               PyTorch compiled instead of eager

The sides take turns (A B, B A, ...), so that a machine that grows slower or faster harms both alike; medians are shown.
A side that is not done after --limit seconds is stopped, and its speed is given as an upper bound ("<").
"""
import argparse
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("RHEA_BIN", ROOT / "build" / "bin")).resolve()
# name: Rhea's family and flavor, PyTorch's model, dtype, rows, tokens a row
WORKS = {
    "debugmodel-fp32": ("llama3", "debugmodel", "debugmodel", "float32", 8, 2048),
    "debugmodel-bf16": ("llama3", "debugmodel", "debugmodel", "bfloat16", 8, 2048),
    "134M-fp32": ("llama3", "134M", "134M", "float32", 4, 1024),
    "134M-bf16": ("llama3", "134M", "134M", "bfloat16", 4, 1024),
    "gpt2-fp32": ("gpt2", "124M", "gpt2-124M", "float32", 4, 64),
    "gpt2-bf16": ("gpt2", "124M", "gpt2-124M", "bfloat16", 4, 64),
}


def run_limited(command, limit, environment):
    """(stdout, peak GiB, seconds, whether it ended in time)"""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=errors, env=environment, start_new_session=True)
        ended, usage, status = False, None, 0
        while time.monotonic() - start < limit and not ended:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            ended = pid != 0
            time.sleep(0.02)
        if not ended:
            os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        errors.seek(0)
        if ended and status != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{errors.read().decode()[-2000:]}")
        out.seek(0)
        return out.read().decode(), usage.ru_maxrss / 2**20, time.monotonic() - start, ended


class Side:
    """One program on one work: the step times and the peak memory of all its runs."""

    def __init__(self):
        self.seconds, self.peak, self.bounded = [], 0.0, False

    def add(self, seconds, peak, bounded=False):
        self.seconds += seconds
        self.peak = max(self.peak, peak)
        self.bounded |= bounded

    def tokens_per_second(self, tokens):
        return tokens / statistics.median(self.seconds)


def run_pytorch(side, work, args, environment):
    _, _, model, dtype, rows, seq = WORKS[work]
    command = [ROOT / ".venv/bin/python", ROOT / "benchmarks/pytorch_llama.py", model, dtype, rows, seq, args.steps]
    out, peak, seconds, ended = run_limited(command + ["--compile"] * args.compile, args.limit, environment)
    if ended:
        side.add(json.loads(out)["seconds"], peak)
    else:
        side.add([seconds], peak, bounded=True)  # not even the first step was done: each takes longer


def run_rhea(side, work, args, environment, folder):
    family, flavor, _, dtype, rows, seq = WORKS[work]
    # Real text in a small vocabulary; the model's own has its full size, and no document is masked, as in PyTorch.
    run = pathlib.Path(tempfile.mkdtemp(dir=folder))
    command = [BIN / "rhea", "run", "pretrain", f"model.name={family}", f"model.flavor={flavor}", "dataset.path=/usr/share/dictd/wn.dict.dz",
               "tokenizer.vocab_size=2048", "model.document_mask=false", f"dataset.cache_folder={folder}/cache", f"training.local_batch_size={rows}", f"training.seq_len={seq}",
               f"training.steps={args.steps + 1}", f"training.mixed_precision_param={dtype}", "training.max_norm=1", "optimizer.lr=1e-4",
               "lr_scheduler.warmup_steps=0", "metrics.log_freq=1", "metrics.final_plot=false", f"job.dump_folder={run}"]
    _, peak, seconds, ended = run_limited(command, args.limit, environment)
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    steps = [rows * seq / line["tps"] for line in lines][1:]
    side.add(steps or [seconds], peak, bounded=not (ended or steps))


def gemm_peaks():
    out = subprocess.run([BIN / "rhea", "doctor"], capture_output=True, text=True, check=True).stdout
    return {name: float(value) for name, value in re.findall(r"(float32|bfloat16)\s+([\d.]+) GFLOP/s", out)}


def causal_flops(work):
    family, flavor, _, _, _, seq = WORKS[work]
    out = subprocess.run([BIN / "rhea", "validate", ROOT / "configs/llama3/debugmodel.toml", f"model.name={family}", f"model.flavor={flavor}",
                          f"training.seq_len={seq}"], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"formula\), ([\d,]+) counted causally", out).group(1).replace(",", ""))


def show(work, rhea, pytorch, peaks):
    _, _, _, dtype, rows, seq = WORKS[work]
    ours, theirs = rhea.tokens_per_second(rows * seq), pytorch.tokens_per_second(rows * seq)
    share = 100 * ours * causal_flops(work) / 1e9 / peaks[dtype]
    bound = ("<" if pytorch.bounded else "") + f"{theirs:,.0f}"
    ratio = (">" if pytorch.bounded else "") + f"{ours / theirs:.2f}"
    print(f"| {work:15} | {ours:9,.0f} | {bound:>9} | {ratio:>6} | {rhea.peak:5.2f} | {pytorch.peak:5.2f} | {share:4.0f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", nargs="*", help=", ".join(WORKS))
    parser.add_argument("--rounds", type=int, default=2, help="how often each side runs a work")
    parser.add_argument("--steps", type=int, default=4, help="timed steps of a run, after one that warms up")
    parser.add_argument("--limit", type=float, default=240, help="seconds that a run may take")
    parser.add_argument("--compile", action="store_true", help="PyTorch with torch.compile")
    args = parser.parse_args()
    for work in args.works:
        if work not in WORKS:
            parser.error(f"{work} is none of {', '.join(WORKS)}")
    environment = dict(os.environ, OMP_NUM_THREADS=os.environ.get("OMP_NUM_THREADS", str(len(os.sched_getaffinity(0)))))
    peaks = gemm_peaks()
    print(f"{environment['OMP_NUM_THREADS']} threads; GEMM peak: float32 {peaks['float32']:.0f}, bfloat16 {peaks['bfloat16']:.0f} GFLOP/s\n")
    title = "compiled" if args.compile else "eager"
    print(f"| work            | Rhea tok/s | {title} tok/s | ratio | Rhea GiB | {title} GiB | Rhea, share of peak |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="rhea-benchmark-") as folder:
        for work in args.works or WORKS:
            rhea, pytorch = Side(), Side()
            for number in range(args.rounds):
                turns = [lambda: run_rhea(rhea, work, args, environment, pathlib.Path(folder)), lambda: run_pytorch(pytorch, work, args, environment)]
                for turn in turns if number % 2 == 0 else reversed(turns):
                    turn()
            show(work, rhea, pytorch, peaks)


if __name__ == "__main__":
    main()
