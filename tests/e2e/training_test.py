#!/usr/bin/env python3
"""What a training run promises, seen from outside: determinism, resuming, ranks, memory, stopping, files."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from program import BIN, ROOT, losses, metrics, require, rhea, scratch, small, tensors, write_texts


def same_bits_twice(folder):
    rhea("run", "pretrain", *small(folder, training__steps=8, job__dump_folder=f"{folder}/a"))
    rhea("run", "pretrain", *small(folder, training__steps=8, job__dump_folder=f"{folder}/b"))
    require(losses(f"{folder}/a") == losses(f"{folder}/b"), "two equal runs differ")
    rhea("run", "pretrain", *small(folder, training__steps=8, job__dump_folder=f"{folder}/c", debug__seed=43))
    require(losses(f"{folder}/a") != losses(f"{folder}/c"), "the seed changes nothing")


def two_ranks_are_one(folder):
    common = dict(training__steps=10, training__global_batch_size=8, checkpoint__enable="true", optimizer__name="SGD", optimizer__lr=0.1,
                  training__max_norm=0)
    rhea("run", "pretrain", *small(folder, **common, job__dump_folder=f"{folder}/one"))
    rhea("run", "pretrain", "--nproc", "2", *small(folder, **common, job__dump_folder=f"{folder}/two"))
    one, two = losses(f"{folder}/one"), losses(f"{folder}/two")
    require(one.keys() == two.keys(), "other steps were logged")
    for step in one:
        for a, b in zip(one[step], two[step]):
            require(abs(a - b) <= 2e-5 * abs(a), f"step {step}: {one[step]} on one rank, {two[step]} on two")


def resumes_on_other_ranks(folder):
    common = dict(training__global_batch_size=8, checkpoint__enable="true", lr_scheduler__total_steps=12)
    rhea("run", "pretrain", *small(folder, **common, training__steps=12, job__dump_folder=f"{folder}/whole"))
    rhea("run", "pretrain", "--nproc", "2", *small(folder, **common, training__steps=6, job__dump_folder=f"{folder}/parts"))
    rhea("run", "pretrain", *small(folder, **common, training__steps=12, job__dump_folder=f"{folder}/parts"))
    whole, parts = losses(f"{folder}/whole"), losses(f"{folder}/parts")
    require(whole.keys() == parts.keys(), f"steps {sorted(parts)} instead of {sorted(whole)}")
    for step in whole:
        require(abs(whole[step][0] - parts[step][0]) <= 1e-4 * whole[step][0], f"step {step}: {whole[step]} and {parts[step]}")


def memory_does_not_grow_with_microbatches(folder):
    def peak(microbatches):
        run = f"{folder}/memory{microbatches}"
        rhea("run", "pretrain", *small(folder, training__steps=3, training__seq_len=256, training__local_batch_size=4, model__flavor="debugmodel",
                                       training__global_batch_size=4 * microbatches, job__dump_folder=run))
        return max(line["memory_gib"] for line in metrics(run) if "loss" in line)

    two, sixteen = peak(2), peak(16)
    require(sixteen <= 1.05 * two, f"peak memory {two:.3f} GiB with 2 microbatches, {sixteen:.3f} with 16")
    print(f"  peak {two:.3f} GiB with 2 microbatches, {sixteen:.3f} with 16")


def stops_on_a_signal_and_goes_on(folder):
    overrides = small(folder, training__steps=100000, checkpoint__enable="true", checkpoint__interval=100000, job__dump_folder=f"{folder}/stopped")
    process = subprocess.Popen([BIN / "rhea", "run", "pretrain", *overrides], stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 60
    while not os.path.exists(f"{folder}/stopped/metrics.jsonl") or not metrics(f"{folder}/stopped"):
        require(time.time() < deadline, "no step within a minute")
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=60)
    require(process.returncode == 0, f"SIGTERM ended the run with {process.returncode}")
    require("to go on" in stderr, f"no word on how to go on:\n{stderr}")
    last = max(losses(f"{folder}/stopped"))
    require(os.path.isdir(f"{folder}/stopped/checkpoint/step-{last}"), f"no checkpoint of step {last}")


def a_dead_rank_ends_the_job(folder):
    overrides = small(folder, training__steps=100000, job__dump_folder=f"{folder}/dead")
    process = subprocess.Popen([BIN / "rhea", "run", "pretrain", "--nproc", "2", *overrides], stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 60
    while not os.path.exists(f"{folder}/dead/metrics.jsonl") or not metrics(f"{folder}/dead"):
        require(time.time() < deadline, "no step within a minute")
        time.sleep(0.05)
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    os.kill(int(children[1]), signal.SIGKILL)
    _, stderr = process.communicate(timeout=60)
    require(process.returncode != 0 and "rank 1 was killed by signal 9" in stderr, f"status {process.returncode}:\n{stderr}")


def all_precisions_and_options_train(folder):
    variants = [
        dict(training__mixed_precision_param="bfloat16"),
        dict(training__mixed_precision_param="float16"),
        dict(activation_checkpoint__mode="full"),
        dict(activation_checkpoint__mode="selective"),
        dict(model__name="gpt2", model__flavor="debugmodel"),
        dict(model__qk_norm="true", model__tie_embeddings="true", model__depth_init="false", model__document_mask="false"),
        dict(optimizer__decay_parameters="matrices", training__norm_type="inf", lr_scheduler__decay_type="cosine"),
        dict(optimizer__skip_loss_zscore=5, optimizer__skip_grad_norm_zscore=5),
    ]
    first = None
    for number, variant in enumerate(variants):
        run = f"{folder}/variant{number}"
        rhea("run", "pretrain", *small(folder, **variant, training__steps=12, job__dump_folder=run))
        found = losses(run)
        require(found[12][0] < found[1][0], f"{variant}: the loss went from {found[1][0]} to {found[12][0]}")
        if "activation_checkpoint__mode" in variant:
            first = first or found
            require(found == first, "recomputing other layers changed the bits")


def budgets_end_the_run(folder):
    for number, (override, expected) in enumerate([(dict(training__max_tokens=200), 4), (dict(training__max_flops=1), 1),
                                                   (dict(training__target_loss=100), 1), (dict(dataset__epochs=1, training__steps=100000), None)]):
        run = f"{folder}/budget{number}"
        rhea("run", "pretrain", *small(folder, **override, job__dump_folder=run))
        steps = max(losses(run))
        require(expected is None and 1 < steps < 10000 or steps == expected, f"{override} ended after step {steps}, not {expected}")


def writes_what_it_says(folder):
    run = pathlib.Path(folder) / "files"
    arguments = small(folder, training__steps=10, validation__enable="true", validation__freq=5, validation__share=0.1, checkpoint__enable="true",
                      metrics__enable_tensorboard="true", profiling__enable_profiling="true", job__dump_folder=run)
    rhea("run", "pretrain", *arguments)
    lines = metrics(run)
    wanted = {"step", "loss", "max_loss", "grad_norm", "lr", "tokens", "tps", "mfu", "memory_gib", "time"}
    require(wanted <= lines[0].keys(), f"metrics.jsonl lacks {wanted - lines[0].keys()}")
    require(sum("validation_loss" in line for line in lines) == 2, "no two validation lines")
    subprocess.run([sys.executable, ROOT / "tests/parity/tensorboard_test.py", run], check=True)
    trace = json.loads((run / "profile_traces/iteration_10/rank0_trace.json").read_text())
    require(any("mm" in event.get("name", "") for event in trace["traceEvents"]), "no matrix product in the trace")
    text = rhea("run", "generate", f"generate.checkpoint={run}", "generate.prompt=the quick", "generate.max_new_tokens=8").stdout
    require(text.startswith("the quick") and len(text) > 12, f"generated {text!r}")
    again = rhea("run", "generate", f"generate.checkpoint={run}", "generate.prompt=the quick", "generate.max_new_tokens=8").stdout
    require(text == again, "the same seed wrote another text")
    # The configuration that the run left behind is the run's own.
    rhea("run", "pretrain", "--config", run / "config.toml", f"job.dump_folder={folder}/again", "profiling.enable_profiling=false")
    require(losses(f"{folder}/again") == losses(run), "config.toml gives another run")


def main():
    tests = [same_bits_twice, two_ranks_are_one, resumes_on_other_ranks, memory_does_not_grow_with_microbatches, stops_on_a_signal_and_goes_on,
             a_dead_rank_ends_the_job, all_precisions_and_options_train, budgets_end_the_run, writes_what_it_says]
    for test in tests:
        if len(sys.argv) > 1 and test.__name__ not in sys.argv[1:]:
            continue
        with scratch() as folder:
            write_texts(folder)
            start = time.time()
            test(folder)
            print(f"{test.__name__}: passed ({time.time() - start:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
