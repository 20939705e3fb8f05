#!/usr/bin/env python3
"""Tokenizers of published models, as packages on PyPI ship them, against the libraries that they are made for.

    public_tokenizers_test.py RUNNER FOLDER [--megabytes N]

FOLDER holds the packages of tools/requirements-tokenizers.txt. Oracles: tokenizers for tokenizer.json, sentencepiece for
.model, tiktoken for files of ranks and tekken.json. The text is English, code, words of many scripts, emoji, very long words
and all of Unicode; N = 20 is the long form.
"""
import argparse
import base64
import gzip
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import unicodedata

import sentencepiece
import tiktoken
import tiktoken_ext.openai_public as openai
from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests/parity"))
from program import require, scratch
from tokenizer_json_test import TEXTS

SCRIPTS = {"Chinese": (0x4E00, 0x9FA5), "Arabic": (0x0621, 0x064A), "Hindi": (0x0905, 0x0939), "Cyrillic": (0x0410, 0x044F), "Greek": (0x0391, 0x03C9),
           "Hangul": (0xAC00, 0xD7A3), "Thai": (0x0E01, 0x0E2E), "kana": (0x3041, 0x3096), "emoji": (0x1F300, 0x1F64F)}
MODIFIERS = ["\u064e", "\u093e", "\u0301", "\u200d", "\ufe0f", "\U0001F3FD"]
EXPECTED = 13 + 16  # in the packages and trained: one that is not found is a test not made


def documents(megabytes):
    generator = random.Random(11)
    half = int(megabytes * 300_000)
    english = gzip.open("/usr/share/dictd/wn.dict.dz", "rt", encoding="utf-8", errors="ignore").read(half)
    code = "".join(path.read_text(errors="ignore") for path in itertools.islice(sorted(ROOT.glob(".venv/lib/*/site-packages/torch/**/*.py")), 40 + half // 10000))[:half]
    words = []
    for first, last in SCRIPTS.values():
        known = [chr(c) for c in range(first, last + 1) if unicodedata.category(chr(c)) != "Cn"]
        for _ in range(600):
            word = "".join(generator.choice(known) for _ in range(min(int(generator.expovariate(0.25)) + 1, 40)))
            words.append(word + (generator.choice(MODIFIERS) if generator.random() < 0.2 else ""))
    mixed = "".join(generator.choice(words) + generator.choice([" ", " ", " ", "", "\n", ", ", "。", "  "]) for _ in range(half // 12))
    for text in (english, code, mixed):
        yield from (text[start : start + 3000] for start in range(0, len(text), 3000))
    yield "x" * 50_000
    yield "ab" * 10_000 + " " * 3000 + "\n" * 500
    yield "".join(generator.choice(words) for _ in range(4000))


class Json:
    def __init__(self, path):
        self.tokenizer = Tokenizer.from_file(str(path))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, ids):
        return self.tokenizer.decode(ids, skip_special_tokens=False)


class SentencePiece:
    def __init__(self, path):
        self.processor = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def encode(self, text):
        return self.processor.encode(text)

    def decode(self, ids):
        return self.processor.decode(ids)


class Ranks:
    """tiktoken. `shift` is added to the ids of what is no special token."""

    def __init__(self, pattern, ranks, special, shift=0, form=None):
        self.shift, self.form, self.special = shift, form, special
        far = {content: 10_000_000 + i for i, content in enumerate(special)}
        self.ids = {far[content]: i for content, i in special.items()}
        self.encoding = tiktoken.Encoding("of_a_file", pat_str=pattern, mergeable_ranks=ranks, special_tokens=far)

    def encode(self, text):
        text = unicodedata.normalize(self.form, text) if self.form else text
        return [self.ids[i] if i in self.ids else i + self.shift for i in self.encoding.encode(text, allowed_special="all")]

    def decode(self, ids):
        names = {i: content.encode() for content, i in self.special.items()}
        return b"".join(names[i] if i in names else self.encoding.decode_single_token_bytes(i - self.shift) for i in ids).decode(errors="replace")


def of_rank_file(path):
    lines = [line.split() for line in path.read_bytes().splitlines()]
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    if len(ranks) == 151643:  # Qwen's are not among tiktoken's own
        pattern = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
        special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{i}|>" for i in range(205))]
        return Ranks(pattern, ranks, {content: 151643 + i for i, content in enumerate(special)}, form="NFC")
    openai.load_tiktoken_bpe = lambda *args, **kwargs: ranks
    known = {50280: openai.p50k_base, 100256: openai.cl100k_base, 199998: openai.o200k_base}[len(ranks)]()
    return Ranks(known["pat_str"], ranks, known["special_tokens"])


def of_tekken(path):
    file = json.loads(path.read_text())
    shift = file["config"]["default_num_special_tokens"]
    size = file["config"]["default_vocab_size"] - shift
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in file["vocab"][:size]}
    return Ranks(file["config"]["pattern"], ranks, {"<unk>": 0, "<s>": 1, "</s>": 2}, shift)


def tokenizers(folder):
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.name
        if name.startswith("tekken") and name.endswith(".json"):
            yield path, of_tekken(path)
        elif name.endswith("tokenizer.json"):
            yield path, Json(path)
        elif re.search(r"\.model(\.v\d+)?$", name):
            yield path, SentencePiece(path)
        elif name.endswith(".tiktoken") or (path.parent.name == "tokenizers" and path.suffix == "" and len(name) == 40):
            yield path, of_rank_file(path)


def trained(folder):
    """SentencePiece models of every kind, trained on the spot."""
    lines = gzip.open("/usr/share/dictd/wn.dict.dz", "rt", encoding="utf-8", errors="ignore").read(400_000).splitlines() + [text for text in TEXTS[:150] if "\x00" not in text]
    defined = ["ab", "abc", "ing", "(", "▁of", "日本", "  "]
    kinds = {"plain": {}, "bytes": dict(byte_fallback=True), "defined": dict(user_defined_symbols=defined, byte_fallback=True),
             "as_it_is": dict(normalization_rule_name="identity", add_dummy_prefix=False, remove_extra_whitespaces=False),
             "folded": dict(normalization_rule_name="nmt_nfkc_cf", user_defined_symbols=defined), "suffix": dict(treat_whitespace_as_suffix=True),
             "spaces": dict(allow_whitespace_only_pieces=True, remove_extra_whitespaces=False, split_digits=True),
             "across_words": dict(split_by_whitespace=False, byte_fallback=True)}
    for algorithm, (name, options) in itertools.product(["unigram", "bpe"], kinds.items()):
        path = folder / f"{algorithm}_{name}.model"
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_prefix=str(path.with_suffix("")), vocab_size=1500, model_type=algorithm,
                                                 character_coverage=0.98, hard_vocab_limit=False, minloglevel=2, num_threads=2, **options)
        yield path, SentencePiece(path)


def compare(runner, path, oracle, texts):
    """How many texts differ, and how many ids there were."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    result = subprocess.run([runner, path], input=lines.encode(), capture_output=True, check=False)
    require(result.returncode == 0, f"{path}: {result.stderr.decode()}")
    wrong, count = [], 0
    for text, line in zip(texts, result.stdout.decode().splitlines(), strict=True):
        ours = json.loads(line)
        ids = oracle.encode(text)
        decoded = oracle.decode(ids)
        count += len(ids)
        if ours.get("ids") != ids or (ours.get("text") != decoded and "\ufffd" not in decoded):
            wrong.append((text, ours, ids, decoded))
    for text, ours, ids, decoded in wrong[:1]:
        got = ours.get("ids", [])
        first = next((i for i, (a, b) in enumerate(itertools.zip_longest(got, ids)) if a != b), None)
        around = "the ids are the same" if first is None else f"at {first}: ours {got[first:first + 6]}, oracle {ids[first:first + 6]}"
        print(f"FAILED {path}: {len(wrong)} of {len(texts)} texts. {text[:60]!r}: {around} {ours.get('error', '')} "
              f"{(ours.get('text', '')[:60], decoded[:60])}", flush=True)
    return len(wrong), count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--megabytes", type=float, default=1)
    args = parser.parse_args()
    texts = [text for text in TEXTS if "\x00" not in text] + list(documents(args.megabytes))  # sentencepiece ends at a zero
    found = bad = total = 0
    for path, oracle in tokenizers(args.folder):
        wrong, count = compare(args.runner, path, oracle, texts)
        print(f"{path.relative_to(args.folder)}: {count} ids, {'differs' if wrong else 'all the same'}", flush=True)
        found, bad, total = found + 1, bad + (wrong > 0), total + count
    with scratch() as folder:
        for path, oracle in trained(pathlib.Path(folder)):
            wrong, count = compare(args.runner, path, oracle, texts)
            print(f"trained: {path.name}: {count} ids, {'differs' if wrong else 'all the same'}", flush=True)
            found, bad, total = found + 1, bad + (wrong > 0), total + count
    size = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{found} tokenizers, {size:.1f} MB of text, {total} ids; {bad} tokenizers differ")
    require(found >= EXPECTED, f"{args.folder}: {found} tokenizers; expected at least {EXPECTED}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
