#!/usr/bin/env python3
"""Wrong inputs, end to end: each is refused with exit status 1 or 2 and a message that names the place; none crashes.

    wrong_input_test.py [WORDS]     only the cases whose name contains WORDS

tools/check_sanitized.sh runs the same under the address and undefined-behaviour sanitizers.
"""
import dataclasses
import base64
import gzip
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import typing

from program import BIN, rhea, scratch, small, write_texts

FAILED, USAGE = 1, 2
CRASHES = re.compile(r"AddressSanitizer|runtime error:|terminate called|Segmentation fault|Assertion|core dumped|c10::Error|std::\w+")
SHORT = 20  # lines: a message is for a person


@dataclasses.dataclass
class Case:
    name: str
    status: int
    message: str  # a regular expression: the place and what is wrong with it
    arguments: list
    env: dict = dataclasses.field(default_factory=dict)
    under: typing.Sequence[str] = ()  # words before the command


def pretrain(name, status, message, folder, env=None, under=(), **overrides):
    """A run of a second that has one thing wrong with it."""
    overrides.setdefault("job__dump_folder", f"{folder}/{re.sub('[^a-z0-9]+', '-', name)}")
    return Case(name, status, message, ["run", "pretrain", *small(folder, training__steps=2, **overrides)], env or {}, under)


def write(path, content):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def overrides(folder):
    wrong = [
        ("an unknown section", USAGE, r'command line: there is no section "trianing".*training', "trianing.steps=3"),
        ("an unknown key", USAGE, r'command line: \[training\] has no key "step".*steps', "training.step=3"),
        ("a word for a number", USAGE, r"training\.steps: expected an integer.*three", "training.steps=three"),
        ("a number beyond 64 bits", USAGE, r"training\.steps: expected an integer", "training.steps=99999999999999999999999"),
        ("a negative row length", USAGE, r"training\.seq_len: expected an integer of at least 1", "training.seq_len=-4"),
        ("a row length beyond memory", USAGE, r"training\.seq_len", "training.seq_len=4611686018427387904"),
        ("a batch beyond memory", USAGE, r"training\.local_batch_size", "training.local_batch_size=4611686018427387904"),
        ("a learning rate of nan", USAGE, r"optimizer\.lr: expected a number", "optimizer.lr=nan"),
        ("an infinite learning rate", USAGE, r"optimizer\.lr: expected a number", "optimizer.lr=inf"),
        ("a negative learning rate", USAGE, r"optimizer\.lr: expected a number of at least 0", "optimizer.lr=-1"),
        ("a beta of one", USAGE, r"optimizer\.beta2: expected .*below 1", "optimizer.beta2=1"),
        ("an unknown optimizer", USAGE, r"optimizer\.name: expected one of AdamW, SGD", "optimizer.name=Adam"),
        ("an unknown precision", USAGE, r"mixed_precision_param: expected one of", "training.mixed_precision_param=float8"),
        ("an unknown family", USAGE, r"model\.name: .*llama33", "model.name=llama33"),
        ("an unknown size", USAGE, r'model\.flavor: llama3 has no size "9B"', "model.flavor=9B"),
        ("a vocabulary smaller than the tokenizer's", USAGE, r"model\.vocab_size", "model.vocab_size=100"),
        ("a vocabulary beyond memory", USAGE, r"model\.vocab_size", "model.vocab_size=4611686018427387904"),
        ("a global batch that does not divide", USAGE, r"global_batch_size = 7 is no multiple", "training.global_batch_size=7"),
        ("more ranks than there are", USAGE, r"data_parallel_replicate_degree|degrees", "parallelism.data_parallel_replicate_degree=4"),
        ("a negative seed", USAGE, r"debug\.seed: expected", "debug.seed=-1"),
        ("a share of two", USAGE, r"validation\.share: expected", "validation.share=2"),
        ("more warm-up than steps is no decay above one", USAGE, r"decay_ratio: expected", "lr_scheduler.decay_ratio=2"),
        ("no dump folder", USAGE, r"job\.dump_folder is empty", "job.dump_folder="),
        ("a GPU that is not there", USAGE, r'job\.device = "cuda"', "job.device=cuda"),
        ("a load step without checkpoints", USAGE, r"load_step = 3 needs checkpoint\.enable", "checkpoint.load_step=3"),
        ("a word that is no override", USAGE, r"command line: .* is no override", "hello"),
        ("a flag without its value", USAGE, r"--training\.steps needs a value", "--training.steps"),
    ]
    for name, status, message, override in wrong:
        yield Case(name, status, message, ["run", "pretrain", *small(folder), override])


def config_files(folder):
    wrong = [
        ("a cut TOML file", "a.toml", "[training]\nsteps = ", r"a\.toml:2"),
        ("a TOML key given twice", "b.toml", "[training]\nsteps = 1\nsteps = 2\n", r"b\.toml:3"),
        ("a TOML table in a value's place", "c.toml", "[training.steps]\na = 1\n", r"c\.toml:1.*training\.steps: expected an integer"),
        ("a TOML key outside any section", "d.toml", "steps = 3\n", r"d\.toml:1"),
        ("a TOML file that is not text", "e.toml", b"[training]\nsteps = \xff\xfe\n", r"e\.toml:2.*UTF-8"),
        ("a TOML file nested 10,000 deep", "f.toml", "[training]\nsteps = " + "[" * 10000, r"f\.toml:2"),
        ("a cut YAML file", "a.yaml", "training: {steps: 3", r"a\.yaml:\d"),
        ("a YAML list", "b.yaml", "- training\n", r"b\.yaml:1: expected sections"),
        ("a YAML map in a value's place", "c.yaml", "training:\n  steps: {a: 1}\n", r"c\.yaml:2.*training\.steps: expected an integer"),
        ("two YAML documents", "d.yaml", "training: {}\n---\ntraining: {}\n", r"d\.yaml: 2 YAML documents"),
        ("a YAML file nested 10,000 deep", "e.yaml", "training:\n  steps: " + "[" * 10000, r"e\.yaml"),
        ("a wrong type in a file", "g.toml", '[optimizer]\nlr = "fast"\n', r'g\.toml:2.*optimizer\.lr: expected a number.*fast'),
        ("a configuration of another kind", "a.json", "{}", r"a\.json: a configuration is a \.toml or \.yaml file"),
    ]
    for name, file, content, message in wrong:
        path = write(f"{folder}/configs/{file}", content)
        yield Case(name, USAGE, message, ["run", "pretrain", "--config", path, *small(folder)])
    yield Case("a configuration that is not there", USAGE, r"nowhere\.toml: there is no such file", ["run", "pretrain", "--config", "nowhere.toml"])
    yield Case("a folder as configuration", USAGE, r"configs", ["run", "pretrain", "--config", f"{folder}/configs"])


def commands(folder):
    yield Case("an unknown command", USAGE, r'there is no command "trian"', ["trian"])
    yield Case("an unknown recipe", USAGE, r'there is no recipe "pretrian".*pretrain', ["run", "pretrian"])
    yield Case("a recipe file that is not there", USAGE, r"mine\.cpp: there is no such file", ["run", "./mine.cpp"])
    broken = write(f"{folder}/broken.cpp", "int main() { return }\n")
    yield Case("a recipe that does not compile", FAILED, r"broken\.cpp does not compile", ["run", broken])
    yield Case("no ranks", USAGE, r"--nproc: expected an integer from 1", ["run", "pretrain", "--nproc", "0"])
    yield Case("to plot what is no run", USAGE, r"nothing/metrics\.jsonl|nothing: no such", ["plot", f"{folder}/nothing"])
    write(f"{folder}/badrun/metrics.jsonl", "not json\n")
    yield Case("to plot a broken metrics file", (FAILED, USAGE), r"badrun/metrics\.jsonl", ["plot", f"{folder}/badrun"])
    yield Case("to validate an unknown size", USAGE, r"model\.flavor", ["validate", "llama3/debugmodel", "model.flavor=9B"])
    write(f"{folder}/taken.cpp", "x")
    yield Case("to copy over a file", USAGE, r"taken\.cpp is there already", ["cp", "pretrain", f"{folder}/taken.cpp"])


def shard(tokens, magic=20240520, version=1, count=None):
    header = [magic, version, len(tokens) if count is None else count] + [0] * 253
    return struct.pack("<256i", *header) + struct.pack(f"<{len(tokens)}H", *tokens)


def texts(folder, tokenizer):
    text = (json.dumps({"text": "the quick brown fox " * 20}) + "\n") * 50
    packed = gzip.compress(text.encode())
    zstandard = subprocess.run(["zstd", "-c"], input=text.encode(), capture_output=True, check=True).stdout
    flipped = bytearray(packed)
    flipped[len(packed) // 2] ^= 0x55
    os.mkfifo(f"{folder}/pipe.txt")
    os.makedirs(f"{folder}/empty_folder")
    wrong = [
        ("an empty text", "empty.txt", b"", r"empty\.txt: .*(empty|no token)"),
        ("an empty list of documents", "empty.jsonl", b"\n\n", r"empty\.jsonl: .*(empty|no token)"),
        ("a line that is no JSON", "a.jsonl", text + "{oops\n", r"a\.jsonl:51: no valid JSON"),
        ("a cut line of JSON", "b.jsonl", text[:-9], r"b\.jsonl:50: no valid JSON"),
        ("a list for an object", "c.jsonl", "[1, 2]\n", r"c\.jsonl:1: expected a JSON object"),
        ("an object without the field", "d.jsonl", '{"body": "x"}\n', r'd\.jsonl:1: the object has no field "text"; it has .*body'),
        ("a number for a text", "e.jsonl", '{"text": 3}\n', r'e\.jsonl:1: the field "text" is no string'),
        ("JSON nested 10,000 deep", "f.jsonl", '{"text": ' + "[" * 10000, r"f\.jsonl:1"),
        ("JSON with NaN", "g.jsonl", '{"text": NaN}\n', r"g\.jsonl:1"),
        ("JSON in broken UTF-8", "h.jsonl", b'{"text": "\xff\xfe"}\n', r"h\.jsonl:1"),
        ("cut gzip", "i.jsonl.gz", packed[:-20], r"i\.jsonl\.gz: .*gzip"),
        ("broken gzip", "j.jsonl.gz", bytes(flipped), r"j\.jsonl\.gz: .*gzip|j\.jsonl\.gz:\d"),
        ("text named gzip", "k.jsonl.gz", text, r"k\.jsonl\.gz: .*gzip"),
        ("cut Zstandard", "l.jsonl.zst", zstandard[:-7], r"l\.jsonl\.zst: .*Zstandard"),
        ("text named Zstandard", "m.jsonl.zst", text, r"m\.jsonl\.zst: .*Zstandard"),
        ("a picture", "n.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", r"n\.png: no text: byte 8 is zero"),
        ("text in UTF-16", "n.txt", "the quick brown fox".encode("utf-16"), r"n\.txt: no text: byte \d is zero.*UTF-16"),
        ("a table", "n.parquet", b"PAR1", r"n\.parquet: \.parquet files are not read"),
        ("text too short for one target", "o.txt", "", r"o\.txt"),
    ]
    for name, file, content, message in wrong:
        path = write(f"{folder}/texts/{file}", content)
        yield pretrain(name, (FAILED, USAGE), message, folder, dataset__path=path)
    yield pretrain("a path that is not there", USAGE, r"nowhere/: no such file or folder", folder, dataset__path="nowhere/")
    yield pretrain("an empty folder", USAGE, r"empty_folder: the folder has no file", folder, dataset__path=f"{folder}/empty_folder")
    yield pretrain("a pipe", (FAILED, USAGE), r"pipe\.txt", folder, dataset__path=f"{folder}/pipe.txt")
    yield pretrain("no path", USAGE, r"dataset\.path is not set", folder, dataset__path="")
    yield pretrain("a broken document pattern", USAGE, r"dataset\.document_start", folder, dataset__document_start="(",
                   dataset__path=write(f"{folder}/texts/p.txt", "one two three\n" * 99))
    yield pretrain("a held-out share of nothing", USAGE, r"held-out share", folder, validation__enable="true", validation__share="0.0001")
    tokens = list(range(10, 110)) * 20
    wrong = [
        ("an empty shard", "a.bin", b"", r"a\.bin: 0 bytes are too few"),
        ("a cut shard", "b.bin", shard(tokens)[:-100], r"b\.bin: the header speaks of 2000 tokens"),
        ("a shard of another kind", "c.bin", shard(tokens, magic=7), r"c\.bin: no llm\.c shard"),
        ("a shard of another version", "d.bin", shard(tokens, version=9), r"d\.bin: version 9"),
        ("a shard of two thousand million tokens", "e.bin", shard(tokens, count=2**31 - 1), r"e\.bin: the header speaks of 2147483647"),
        ("a shard of less than no tokens", "f.bin", shard(tokens, count=-5), r"f\.bin: the header speaks of"),
        ("a shard of another tokenizer", "g.bin", shard([60000] * 2000), r"g\.bin: .*token 60000, but the tokenizer's vocabulary ends"),
    ]
    for name, file, content, message in wrong:
        path = write(f"{folder}/shards/{file}", content)
        yield pretrain(name, (FAILED, USAGE), message, folder, dataset__path=path, tokenizer__path=tokenizer)


def tokenizers(folder, tokenizer):
    good = tokenizer.read_text()
    broken = json.loads(good)

    def changed(**values):
        return json.dumps({**broken, **values})

    def with_model(**values):
        return changed(model={**broken["model"], **values})

    wrong = [
        ("an empty tokenizer", "", r"tokenizer\.json"),
        ("a cut tokenizer", good[: len(good) // 2], r"tokenizer\.json"),
        ("a tokenizer that is a list", "[]", r"tokenizer\.json.*expected an object"),
        ("a tokenizer without a model", changed(model=None), r"tokenizer\.json.*model"),
        ("a tokenizer of an unknown model", with_model(type="Magic"), r"tokenizer\.json.*Magic"),
        ("a vocabulary of the wrong type", with_model(vocab=3), r"tokenizer\.json.*vocab"),
        ("an id that is a text", with_model(vocab={"a": "b"}), r"tokenizer\.json.*vocab"),
        ("an id of a thousand million million", with_model(vocab={**broken["model"]["vocab"], "zzz": 10**15}), r"tokenizer\.json.*vocab"),
        ("two entries of one id", with_model(vocab={**broken["model"]["vocab"], "zzz": 5}), r"tokenizer\.json"),
        ("a merge of unknown parts", with_model(merges=[["qqqq", "zzzz"]]), r"tokenizer\.json.*merges"),
        ("an unknown pre-tokenizer", changed(pre_tokenizer={"type": "Magic"}), r"tokenizer\.json.*pre_tokenizer.*Magic"),
        ("a tokenizer nested 10,000 deep", '{"model": ' + "[" * 10000, r"tokenizer\.json"),
    ]
    for number, (name, content, message) in enumerate(wrong):
        path = write(f"{folder}/tokenizers/{number}/tokenizer.json", content)
        yield pretrain(name, (FAILED, USAGE), message, folder, tokenizer__path=path.parent)
    ranks = "".join(f"{base64.b64encode(bytes([i])).decode()} {i}\n" for i in range(256))
    wrong = [
        ("an empty SentencePiece model", "a.model", b"", r"a\.model: no SentencePiece model: it has no pieces"),
        ("a SentencePiece model that is a picture", "b.model", b"\x89PNG\r\n\x1a\n" * 9, r"b\.model: no SentencePiece model"),
        ("a SentencePiece model cut off", "c.model", b"\n\x0e\n\x05<unk>\x15\0\0", r"c\.model: no SentencePiece model: it is cut off"),
        ("a SentencePiece piece of 2^60 bytes", "d.model", b"\n" + b"\xff" * 8 + b"\x0f", r"d\.model: no SentencePiece model: it is cut off"),
        ("ranks of no known encoding", "e.tiktoken", ranks, r"e\.tiktoken: its 256 tokens are those of no known encoding"),
        ("a rank that is missing", "f.tiktoken", ranks.replace(" 9\n", " 9999\n"), r"f\.tiktoken: line 10: expected a token in base64"),
        ("a tekken without a pattern", "g.json", '{"config": {"default_num_special_tokens": 1, "default_vocab_size": 257}, "vocab": []}', r"g\.json: "),
        ("a tekken of too few tokens", "h.json", '{"config": {"default_num_special_tokens": 1, "default_vocab_size": 257, "pattern": "."}, "vocab": []}',
         r"h\.json: vocab: no token has the rank 0"),
    ]
    for name, file, content, message in wrong:
        yield pretrain(name, (FAILED, USAGE), message, folder, tokenizer__path=write(f"{folder}/other_tokenizers/{file}", content))
    yield pretrain("a folder without a tokenizer", (FAILED, USAGE), r"empty_folder: no tokenizer in this folder", folder, tokenizer__path=f"{folder}/empty_folder")
    yield pretrain("a tokenizer that is not there", (FAILED, USAGE), r"nowhere", folder, tokenizer__path=f"{folder}/nowhere")


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at if at >= 0 else len(data) + at] ^= 0x55
    path.write_bytes(data)


def cut(path, size):
    os.truncate(path, size)


def checkpoints(folder, run):
    weights, moments = "model-00001-of-00001.safetensors", "optimizer-00001-of-00001.safetensors"

    def edit_index(old, new):
        def edit(step):
            path = step / "index.json"
            content = path.read_text()
            assert old in content, old
            path.write_text(content.replace(old, new, 1))

        return edit

    damages = [
        ("an empty index", lambda step: cut(step / "index.json", 0), r"index\.json"),
        ("a cut index", lambda step: cut(step / "index.json", 900), r"index\.json"),
        ("an edited index", edit_index('"step": 2', '"step": 3'), r"index\.json: expected checksum"),
        ("an index that is a picture", lambda step: write(step / "index.json", b"\x89PNG" * 100), r"index\.json"),
        ("a missing index", lambda step: (step / "index.json").unlink(), r"no complete checkpoint"),
        ("missing weights", lambda step: (step / weights).unlink(), weights),
        ("empty weights", lambda step: cut(step / weights, 0), weights + r": expected \d+ bytes, found 0"),
        ("cut weights", lambda step: cut(step / weights, 5000), weights + r": expected \d+ bytes, found 5000"),
        ("longer weights", lambda step: os.truncate(step / weights, (step / weights).stat().st_size + 8), weights + ": expected"),
        ("a flipped bit in the weights", lambda step: flip(step / weights, -1000), weights + ": expected checksum"),
        ("a flipped bit in the weights' header", lambda step: flip(step / weights, 3), weights),
        ("cut moments", lambda step: cut(step / moments, 5000), moments),
        ("a flipped bit in the moments", lambda step: flip(step / moments, -1000), moments + ": expected checksum"),
        ("a cut configuration", lambda step: cut(step / "config.toml", 100), r"config\.toml"),
    ]
    for number, (name, damage, message) in enumerate(damages):
        damaged = pathlib.Path(folder) / f"damaged{number}"
        shutil.copytree(run, damaged)
        damage(damaged / "checkpoint/step-2")
        # One that is named must be whole: a run would otherwise go on from older weights than its user believes.
        yield pretrain(name, (FAILED, USAGE), message, folder, checkpoint__enable="true", checkpoint__initial_load_path=damaged / "checkpoint/step-2",
                       checkpoint__initial_load_model_only="false")
        yield Case(f"to generate from {name}", (FAILED, USAGE), r"checkpoint/step-2|" + message,
                   ["run", "generate", f"generate.checkpoint={damaged}/checkpoint/step-2"]) if "moments" not in name else None
    yield pretrain("a checkpoint of another size", (FAILED, USAGE), r"does not fit", folder, checkpoint__enable="true",
                   checkpoint__initial_load_path=run / "checkpoint/step-2", model__vocab_size=400)
    yield pretrain("a step that was not saved", FAILED, r"there is no checkpoint of step 77", folder, checkpoint__enable="true",
                   checkpoint__load_step=77, job__dump_folder=run)
    yield pretrain("a resumed run with other data", FAILED, r"the data position belongs to other data", folder, checkpoint__enable="true",
                   job__dump_folder=run, dataset__shuffle="false")
    yield Case("to generate from nothing", USAGE, r"nowhere", ["run", "generate", f"generate.checkpoint={folder}/nowhere"])


def places(folder):
    write(f"{folder}/file", "in the way")
    yield pretrain("a file in the dump folder's place", (FAILED, USAGE), r"folder|/file", folder, job__dump_folder=f"{folder}/file")
    # /proc takes no new folder, from root neither.
    yield pretrain("an unwritable dump folder", (FAILED, USAGE), r"/proc/rhea", folder, job__dump_folder="/proc/rhea")
    yield pretrain("an unwritable cache", (FAILED, USAGE), r"/proc/rhea", folder, dataset__cache_folder="/proc/rhea", tokenizer__vocab_size=280)
    yield pretrain("a limit on the size of files", FAILED, r"File too large|ulimit", folder, checkpoint__enable="true",
                   under=["bash", "-c", 'trap "" XFSZ; ulimit -f 1000; exec "$@"', "limited"])
    full = pathlib.Path(folder) / "full"
    full.mkdir()
    for name, size, message in [("a disk full at the first checkpoint", "3m", r"step 2 could not be saved in .*disk is full"),
                                ("a disk full at the first byte", "4k", r"disk is full")]:
        yield pretrain(name, FAILED, message, folder, checkpoint__enable="true", job__dump_folder=f"{full}/run",
                       under=["unshare", "-rm", "bash", "-c", f'mount -t tmpfs -o size={size} none {full}; exec "$@"', "full"])


def environments(folder):
    two = {"WORLD_SIZE": "2", "RANK": "0", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29999"}
    for name, message, env in [
        ("a world of no number", r"WORLD_SIZE=many", {"WORLD_SIZE": "many"}),
        ("a world of nobody", r"WORLD_SIZE must be at least 1", {"WORLD_SIZE": "0"}),
        ("a rank outside the world", r"RANK=2 is not below WORLD_SIZE=2", {**two, "RANK": "2"}),
        ("a world without a rank", r"WORLD_SIZE=2 needs RANK", {key: two[key] for key in two if key != "RANK"}),
        ("a world without an address", r"needs MASTER_ADDR", {key: two[key] for key in two if key != "MASTER_ADDR"}),
        ("a port that is none", r"MASTER_PORT=70000 is no port", {**two, "MASTER_PORT": "70000"}),
    ]:
        yield pretrain(name, USAGE, message, folder, env=env)
    yield pretrain("a rank that nobody joins", FAILED, r"the ranks did not all meet at 127\.0\.0\.1:29999 within 2 s", folder, env=two,
                   comm__init_timeout_seconds=2)


def problem(case):
    """What is wrong with the answer to a case; None if nothing is."""
    environment = dict(os.environ, OMP_NUM_THREADS="2", **case.env)
    try:
        result = subprocess.run([*case.under, BIN / "rhea", *map(str, case.arguments)], capture_output=True, timeout=120, env=environment)
    except subprocess.TimeoutExpired:
        return "it went on for two minutes"
    stderr = result.stderr.decode(errors="replace")
    said = stderr[-3000:]
    expected = case.status if isinstance(case.status, tuple) else (case.status,)
    if result.returncode not in expected:
        return f"exit status {result.returncode}, expected {expected}:\n{said}"
    if crash := CRASHES.search(stderr):
        return f"it speaks of {crash.group()}:\n{said}"
    errors = [line for line in stderr.splitlines() if "INFO" not in line]
    if not re.search(case.message, "\n".join(errors), re.DOTALL):
        return f"no line matches {case.message}:\n{said}"
    if len(errors) > SHORT and "compile" not in case.name:
        return f"{len(errors)} lines of message:\n{said}"
    return None


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    with scratch() as folder:
        write_texts(folder)
        run = pathlib.Path(folder) / "good"
        rhea("run", "pretrain", *small(folder, training__steps=2, checkpoint__enable="true", job__dump_folder=run))
        tokenizer = run / "tokenizer" / "tokenizer.json"
        groups = [overrides(folder), config_files(folder), commands(folder), texts(folder, tokenizer), tokenizers(folder, tokenizer),
                  checkpoints(folder, run), places(folder), environments(folder)]
        cases = [case for group in groups for case in group if case and wanted in case.name]
        bad = 0
        for case in cases:
            if found := problem(case):
                bad += 1
                print(f"FAILED {case.name}: {found}\n", flush=True)
        print(f"{len(cases)} wrong inputs, {bad} not answered as they should be")
        sys.exit(1 if bad or not cases else 0)


if __name__ == "__main__":
    main()
