#!/usr/bin/env python3
"""Hugging Face's tokenizers library as the oracle: it loads the tokenizer.json that a run trained, and encodes the run's
documents to the very ids in the run's token cache.
"""
import json
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from program import require, rhea, scratch, small
from tokenizers import Tokenizer

PIECES = ["the quick brown fox", " jumps", "don't I'll we've", "  two  spaces ", "\n\n\tindented", "123 4567 89", "x=[1,2];", "naïve café",
          "Größe", "русский текст", "日本語の文章", "العربية", "हिन्दी", "emoji 👩‍👩‍👧 🇩🇪", "e\u0301", "\u00a0nbsp", "\u3000", "a" * 200, "!?…—", "\r\n"]


def write_documents(path):
    generator = random.Random(5)
    documents = []
    for _ in range(1500):
        documents.append("".join(generator.choice(PIECES) + generator.choice(["", " ", "\n"]) for _ in range(generator.randint(1, 30))))
    documents += [chr(c) + "a" for c in range(1, 0x3000, 3) if not 0xD800 <= c < 0xE000]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents), encoding="utf-8")
    return documents


def cached_documents(path):
    """The token cache's format, as rhea/data/token_file.h describes it."""
    data = path.read_bytes()
    magic, version, width, tokens, count = struct.unpack_from("<8sIIQQ", data, len(data) - 64)
    require((magic, version) == (b"RHEATOKS", 1), f"{path}: no token cache of version 1")
    ids = struct.unpack_from(f"<{tokens}{'H' if width == 2 else 'I'}", data, 0)
    bounds = struct.unpack_from(f"<{count + 1}Q", data, (tokens * width + 7) // 8 * 8)
    return [list(ids[a:b]) for a, b in zip(bounds, bounds[1:])]


def main():
    with scratch() as folder:
        folder = pathlib.Path(folder)
        documents = write_documents(folder / "texts.jsonl")
        rhea("run", "pretrain", *small(folder, model__vocab_size=1000, training__steps=1))
        oracle = Tokenizer.from_file(str(folder / "run/tokenizer/tokenizer.json"))
        (cache,) = (folder / "cache").glob("*.tokens")
        ours = cached_documents(cache)
        require(len(ours) == len(documents), f"{len(ours)} documents in the cache instead of {len(documents)}")
        for text, ids in zip(documents, ours):
            expected = oracle.encode(text, add_special_tokens=False).ids
            require(ids == expected, f"{text!r}:\n  ours   {ids}\n  oracle {expected}")
            require(oracle.decode(ids) == text, f"{text!r} is decoded to {oracle.decode(ids)!r}")
        print(f"{sum(map(len, ours))} ids of {len(documents)} documents are the same")


if __name__ == "__main__":
    main()
