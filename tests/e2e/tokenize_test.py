#!/usr/bin/env python3
"""rhea tokenize: what it shows, counts and trains, and that training on its shards is training on the text, also when it was
killed and went on."""
import json
import os
import pathlib
import random
import signal
import subprocess
import time

from program import BIN, losses, require, rhea, scratch, small, write_texts


def shows_and_counts(folder, tokenizer):
    text = "naïve 👩‍👩‍👧 box"
    shown = rhea("tokenize", tokenizer, text).stdout.splitlines()
    pieces = shown[0].split("|")
    require(pieces[0] == "n" and "".join(pieces).endswith(" box"), f"it shows {shown[0]!r}")
    require(shown[2] == f"{len(pieces)} tokens, {len(text.encode())} bytes" and len(shown[1].split()) == len(pieces), f"it says {shown[2]!r}")
    counted = rhea("tokenize", tokenizer, "--count", folder / "texts.jsonl").stdout
    require("documents  300\n" in counted and "changed" not in counted, f"it counts:\n{counted}")


def shards_are_the_text(folder, tokenizer):
    common = dict(training__steps=12, tokenizer__path=tokenizer)
    rhea("run", "pretrain", *small(folder, **common, job__dump_folder=folder / "text"))
    rhea("tokenize", tokenizer, "--output", folder / "shards", "--tokens-per-shard", 2000, folder / "texts.jsonl")
    shards = sorted((folder / "shards").glob("*.bin"))
    require(len(shards) > 3, f"{len(shards)} shards")
    rhea("run", "pretrain", *small(folder, **common, dataset__path=folder / "shards", job__dump_folder=folder / "tokens"))
    require(losses(folder / "text") == losses(folder / "tokens"), "training on shards is not training on the text")
    return [shard.read_bytes() for shard in shards]


def goes_on_after_kills(folder, tokenizer):
    write_texts(folder / "large", documents=30000, seed=3)
    command = ["tokenize", tokenizer, "--tokens-per-shard", 20000, folder / "large"]
    rhea(*command, "--output", folder / "whole")
    random.seed(4)
    for _ in range(12):
        process = subprocess.Popen([BIN / "rhea", *map(str, command), "--output", folder / "killed"], stderr=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, env=dict(os.environ, OMP_NUM_THREADS="2"))
        time.sleep(random.uniform(0.0, 0.25))
        process.send_signal(signal.SIGKILL)
        process.wait()
    rhea(*command, "--output", folder / "killed", check=False)  # refuses if a killed one had just ended
    whole, killed = ({path.name: path.read_bytes() for path in (folder / name).iterdir()} for name in ("whole", "killed"))
    # A kill may leave what it was writing; nobody takes that for a shard.
    left = [name for name in killed if name not in whole and not name.endswith(".unfinished") and not name.startswith(".")]
    require(not left, f"kills left {left}")
    require(all(killed.get(name) == data for name, data in whole.items()), "a killed encoding differs")


def trains(folder, tokenizer):
    """The same tokenizer as a run trains, whatever the number of threads."""
    entries = json.loads((tokenizer / "tokenizer.json").read_text())["model"]["vocab"]
    for threads in (1, 3):
        rhea("tokenize", "--train", len(entries), "--threads", threads, "--output", folder / f"trained{threads}", folder / "texts.jsonl")
        require((folder / f"trained{threads}/tokenizer.json").read_bytes() == (tokenizer / "tokenizer.json").read_bytes(), f"{threads} threads train another")
    rhea("tokenize", folder / "trained1", "some words")


def refuses(folder, tokenizer):
    for arguments, message in [
        ([tokenizer, "--output", folder / "shards", folder / "texts.jsonl"], "the shards are of other texts"),
        ([tokenizer, "--output", "/proc/rhea", folder / "texts.jsonl"], "/proc/rhea"),
        ([tokenizer, "--count", folder / "shards"], "these are tokens already"),
        ([tokenizer, "--threads", "many", "--count", folder], "--threads: expected an integer"),
        ([tokenizer, "--colour", "text"], "there is no option --colour"),
        ([folder / "nowhere", "text"], "nowhere"),
        (["--train", 300, "--output", folder / "trained1", folder / "texts.jsonl"], "tokenizer.json exists already"),
        (["--train", 100, "--output", folder / "small", folder / "texts.jsonl"], "--train: expected an integer from 258"),
        (["--train", 300, folder / "texts.jsonl"], "expected --output FOLDER and paths"),
        ([tokenizer], "expected a tokenizer, and a text or paths"),
    ]:
        result = rhea("tokenize", *arguments, check=False)
        require(result.returncode in (1, 2) and message in result.stderr, f"{arguments}: {result.returncode} {result.stderr}")


def main():
    with scratch() as folder:
        folder = pathlib.Path(folder)
        (folder / "large").mkdir()
        write_texts(folder)
        rhea("run", "pretrain", *small(folder, training__steps=1, job__dump_folder=folder / "first"))
        tokenizer = folder / "first"  # a run's folder has one
        shows_and_counts(folder, tokenizer)
        shards_are_the_text(folder, tokenizer / "tokenizer")
        goes_on_after_kills(folder, tokenizer)
        trains(folder, tokenizer / "tokenizer")
        refuses(folder, tokenizer)
        print("shown, counted, encoded, resumed, refused")


if __name__ == "__main__":
    main()
