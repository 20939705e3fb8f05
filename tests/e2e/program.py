"""What the end-to-end tests share: running the built programs in a scratch folder, and reading what they leave."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("RHEA_BIN", ROOT / "build" / "bin")).resolve()

# A model and a data set that train in a second.
WORDS = "the quick brown fox jumps over a lazy dog while seven wizards box with daft jokes and quiz big vultures".split()


def scratch():
    return tempfile.TemporaryDirectory(prefix="rhea-test-")


def write_texts(folder, documents=300, seed=1):
    state = seed
    path = pathlib.Path(folder) / "texts.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(documents):
            words = []
            state = (state * 1103515245 + 12345) % 2**31
            for _ in range(5 + state % 60):
                state = (state * 1103515245 + 12345) % 2**31
                words.append(WORDS[(state >> 8) % len(WORDS)])
            file.write(json.dumps({"text": " ".join(words)}) + "\n")
    return path


def small(folder, **overrides):
    """Overrides for a run of a second or two."""
    values = {
        "job.dump_folder": f"{folder}/run",
        "dataset.path": f"{folder}/texts.jsonl",
        "dataset.cache_folder": f"{folder}/cache",
        "model.flavor": "debugmodel_2l",
        "model.vocab_size": "300",
        "training.seq_len": "32",
        "training.local_batch_size": "2",
        "training.steps": "20",
        "training.mixed_precision_param": "float32",
        "lr_scheduler.warmup_steps": "2",
        "metrics.log_freq": "1",
        "metrics.final_plot": "false",
    }
    values.update({key.replace("__", "."): str(value) for key, value in overrides.items()})
    return [f"{key}={value}" for key, value in values.items()]


def rhea(*arguments, check=True, timeout=300, env=None, cwd=None):
    environment = dict(os.environ, OMP_NUM_THREADS=os.environ.get("OMP_NUM_THREADS", "2"), **(env or {}))
    result = subprocess.run([BIN / "rhea", *map(str, arguments)], capture_output=True, text=True, timeout=timeout, env=environment, cwd=cwd)
    if check and result.returncode != 0:
        sys.exit(f"rhea {' '.join(map(str, arguments))}\nended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result


def metrics(run):
    with open(pathlib.Path(run) / "metrics.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def losses(run):
    return {line["step"]: (line["loss"], line["grad_norm"], line["lr"]) for line in metrics(run) if "loss" in line}


def tensors(checkpoint):
    """Name -> bytes of every tensor in a checkpoint folder."""
    found = {}
    for path in sorted(pathlib.Path(checkpoint).glob("*.safetensors")):
        data = path.read_bytes()
        (length,) = struct.unpack("<Q", data[:8])
        for name, entry in json.loads(data[8 : 8 + length]).items():
            if name != "__metadata__":
                begin, end = entry["data_offsets"]
                found[path.name.split("-")[0] + ":" + name] = data[8 + length + begin : 8 + length + end]
    return found


def require(condition, message):
    if not condition:
        sys.exit(message)
