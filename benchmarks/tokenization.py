#!/usr/bin/env python3
"""Encoding text and training a tokenizer, beside Hugging Face's tokenizers library, in one run.

  benchmarks/tokenization.py [--megabytes N] [--rounds N]

The text is WordNet's and the Python code in .venv, cut into documents of about 4 kB. Both sides read the same
tokenizer.json; Rhea's time includes reading the file and checking that decoding gives the text back.
"""
import argparse
import gzip
import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("RHEA_BIN", ROOT / "build" / "bin")).resolve()
ENTRIES = 32768


def documents(megabytes):
    words = gzip.open("/usr/share/dictd/wn.dict.dz", "rt", encoding="utf-8", errors="ignore").read()
    code = "".join(path.read_text(errors="ignore") for path in itertools.islice(sorted(ROOT.glob(".venv/lib/*/site-packages/**/*.py")), 3000))
    # Without characters that are younger than Python's tables: the library's are of a later Unicode than PCRE2's, and cut there
    # differently.
    words, code = ("".join(filter(lambda c: unicodedata.category(c) != "Cn", text)) for text in (words, code))
    half = megabytes * 500_000
    for text in (words[:half], code[:half]):
        for start in range(0, len(text), 4000):
            yield text[start : start + 4000]


def rhea(*arguments):
    start = time.monotonic()
    result = subprocess.run([BIN / "rhea", "tokenize", *map(str, arguments)], capture_output=True, text=True, check=True)
    return result.stdout, time.monotonic() - start


# The library's thread pool is made once a process: so each measurement is a process of its own.
LIBRARY = """
import json, sys, time
from tokenizers import Tokenizer
tokenizer = Tokenizer.from_file(sys.argv[1])
texts = [json.loads(line)["text"] for line in open(sys.argv[2])]
tokenizer.encode_batch_fast(texts[:100], add_special_tokens=False)
start = time.monotonic()
count = sum(len(encoding) for encoding in tokenizer.encode_batch_fast(texts, add_special_tokens=False))
print(count, time.monotonic() - start)
"""


def library_encodes(tokenizer, texts, threads):
    environment = dict(os.environ, RAYON_NUM_THREADS=str(threads), TOKENIZERS_PARALLELISM="true" if threads > 1 else "false")
    out = subprocess.run([sys.executable, "-c", LIBRARY, tokenizer, texts], env=environment, capture_output=True, text=True, check=True).stdout.split()
    return int(out[0]), float(out[1])


def rhea_encodes(tokenizer, texts, threads):
    out, _ = rhea(tokenizer, "--count", texts, "--threads", threads)
    number = lambda pattern: float(re.search(pattern, out)[1].replace(",", ""))
    return int(number(r"tokens +([\d,]+)")), number(r"bytes +([\d,]+)") / 1e6 / number(r"speed +([\d.]+)")


def library_trains(texts, path):
    llama3 = json.loads(path.read_text())["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(llama3), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    trainer = trainers.BpeTrainer(vocab_size=ENTRIES, special_tokens=["<|begin_of_text|>", "<|end_of_text|>"], show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    start = time.monotonic()
    tokenizer.train_from_iterator(texts, trainer)
    return json.loads(tokenizer.to_str())["model"]["merges"], time.monotonic() - start


def others(texts, folder):
    """SentencePiece's, BERT's and T5's kind, trained by the library on a part of the text."""
    texts = texts[::8]
    llama2 = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
    llama2.pre_tokenizer = pre_tokenizers.Metaspace()  # to train; afterwards the whole text is one piece, as Llama 2 has it
    llama2.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=ENTRIES, special_tokens=["<unk>"] + [f"<0x{byte:02X}>" for byte in range(256)], show_progress=False))
    llama2.pre_tokenizer = None
    llama2.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    llama2.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    bert = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    bert.normalizer, bert.pre_tokenizer, bert.decoder = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
    bert.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=ENTRIES, special_tokens=["[UNK]"], show_progress=False))
    t5 = Tokenizer(models.Unigram())
    t5.normalizer, t5.pre_tokenizer, t5.decoder = normalizers.NFKC(), pre_tokenizers.Metaspace(), decoders.Metaspace()
    t5.train_from_iterator(texts, trainers.UnigramTrainer(vocab_size=8000, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False))
    for name, tokenizer in (("Llama 2's kind: BPE, no cuts", llama2), ("BERT's kind: WordPiece", bert), ("T5's kind: Unigram", t5)):
        path = folder / f"{name.split()[0]}.json"
        tokenizer.save(str(path))
        yield name, path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        texts = list(documents(args.megabytes))
        path = folder / "texts.jsonl"
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        print(f"{sum(len(text.encode()) for text in texts) / 1e6:.1f} MB in {len(texts)} documents, {os.cpu_count()} processors\n")
        _, ours = rhea("--train", ENTRIES, "--output", folder / "trained", path)
        trained = folder / "trained/tokenizer.json"
        merges, theirs = library_trains(texts, trained)
        same = merges == json.loads(trained.read_text())["model"]["merges"]
        print(f"training a BPE of {ENTRIES}: Rhea {ours:.1f} s, tokenizers {theirs:.1f} s, {theirs / ours:.2f} times as fast; merges {'the same' if same else 'DIFFER'}\n")
        print("| encoding with | threads | Rhea MB/s | tokenizers MB/s | ratio | ids |\n|---|---|---|---|---|---|", flush=True)
        size = sum(len(text.encode()) for text in texts) / 1e6
        for kind, tokenizer in (("Llama 3's kind: byte-level BPE", trained), *others(texts, folder)):
            for threads in (1, 2):
                ours, theirs = [], []
                for _ in range(args.rounds):
                    our_count, seconds = rhea_encodes(tokenizer, path, threads)
                    ours.append(size / seconds)
                    their_count, seconds = library_encodes(tokenizer, path, threads)
                    theirs.append(size / seconds)
                print(f"| {kind} | {threads} | {statistics.median(ours):.1f} | {statistics.median(theirs):.1f} | "
                      f"{statistics.median(ours) / statistics.median(theirs):.2f} | {'same' if our_count == their_count else f'{our_count} and {their_count}'} |", flush=True)


if __name__ == "__main__":
    main()
