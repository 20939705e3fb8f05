#!/usr/bin/env python3
"""Every kind of tokenizer.json against Hugging Face's tokenizers library: ids, ids with special tokens, decoded text.

    tokenizer_json_test.py RUNNER [FOLDER...]     FOLDER: more tokenizer.json files, of public models

The library builds (and where it can, trains) one tokenizer for each normalizer, pre-tokenizer, model, post-processor and
decoder and for what the well-known families make of them; both sides then read the file that it writes.
"""
import json
import pathlib
import random
import subprocess
import sys
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from program import require, scratch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

PIECES = ["the quick brown fox", " jumps", "don't I'll we've", "  two  spaces ", "\n\n\tindented", "123 4567 89", "x=[1,2];", "naïve café",
          "Größe ẞ İstanbul ΑΣ", "русский текст", "日本語の文章", "العربية", "हिन्दी", "ภาษาไทย", "emoji 👩‍👩‍👧 🇩🇪 ❤️", "e\u0301a\u0308", "\u00a0nbsp", "\u3000",
          "a" * 150, "!?…—", "\r\n", "ﬁ ﬀ ½ ²", "한국어", "\x07bell\x00", "▁mark", "<s>", "</s> ", "[MASK]", "tab\tend", "(a) [b] {c}", "i.e., this & that", "½⅓Ⅷ"]


def texts():
    generator = random.Random(7)
    made = ["", " ", "a", "\n", *PIECES]
    for _ in range(150):
        made.append("".join(generator.choice(PIECES) + generator.choice(["", " ", "\n"]) for _ in range(generator.randint(1, 12))))
    # All of Unicode that this Python's tables know, each character once, in the middle of letters. What a newer table
    # has given a category since is left out: the library's tables are of another year than ours.
    known = [chr(c) for c in range(1, 0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    made += ["a".join(known[i : i + 200]) for i in range(0, len(known), 200)]
    for _ in range(100):
        made.append("".join(generator.choice(known) for _ in range(generator.randint(1, 60))))
    return made


TEXTS = texts()
TRAINING = [text for text in TEXTS[:180]]
SPECIAL = ["<unk>", "<s>", "</s>", "[MASK]"]


def trained(model, trainer, **stages):
    tokenizer = Tokenizer(model)
    for name, stage in stages.items():
        setattr(tokenizer, name, stage)
    tokenizer.train_from_iterator(TRAINING, trainer)
    return tokenizer


def bpe(vocab_size=900, byte_fallback=False, trainer={}, model={}, **stages):
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=SPECIAL, show_progress=False, **trainer)
    tokenizer = trained(models.BPE(unk_token="<unk>", **model), trainer, **stages)
    if not byte_fallback:
        return tokenizer
    return with_byte_tokens(tokenizer)


def with_byte_tokens(tokenizer):
    """The same with tokens for all bytes, as Llama 2's has."""
    file = json.loads(tokenizer.to_str())
    vocab = file["model"]["vocab"]
    for byte in range(256):
        if isinstance(vocab, dict):
            vocab.setdefault(f"<0x{byte:02X}>", len(vocab))
        else:
            vocab.append([f"<0x{byte:02X}>", 0.0])
    file["model"]["byte_fallback"] = True
    return Tokenizer.from_str(json.dumps(file))


def unigram(byte_fallback=False, **stages):
    trainer = trainers.UnigramTrainer(vocab_size=700, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False)
    tokenizer = trained(models.Unigram(), trainer, **stages)
    return with_byte_tokens(tokenizer) if byte_fallback else tokenizer


def word_piece(**stages):
    trainer = trainers.WordPieceTrainer(vocab_size=900, special_tokens=["[UNK]", "[CLS]", "[SEP]", *SPECIAL], show_progress=False)
    return trained(models.WordPiece(unk_token="[UNK]"), trainer, **stages)


def word_level(**stages):
    return trained(models.WordLevel(unk_token="<unk>"), trainers.WordLevelTrainer(vocab_size=400, special_tokens=SPECIAL, show_progress=False), **stages)


def with_added(tokenizer):
    tokenizer.add_tokens([AddedToken("fox", single_word=True), AddedToken("jump"), AddedToken("text", lstrip=True), AddedToken("end", rstrip=True),
                          AddedToken("NaÏve", normalized=True)])
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, special=True), AddedToken("</s>", rstrip=True, special=True)])
    return tokenizer


def families():
    space, nothing = pre_tokenizers.WhitespaceSplit(), None
    llama3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    byte_alphabet = dict(initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    byte_level = dict(decoder=decoders.ByteLevel(), trainer=byte_alphabet)
    llama2 = dict(normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
                  decoder=decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]))
    yield "GPT-2", bpe(pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False), **byte_level)
    yield "GPT-2 with a space", bpe(pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=True), **byte_level)
    yield "Llama 3", with_added(bpe(pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(llama3), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]), model=dict(ignore_merges=True), **byte_level))
    yield "Qwen", bpe(normalizer=normalizers.NFC(), pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(llama3), "isolated"),
                      pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]), **byte_level)
    yield "StarCoder", bpe(pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel()]), **byte_level)
    yield "Falcon", bpe(pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.ByteLevel(add_prefix_space=False),
                        pre_tokenizers.Digits(individual_digits=False), pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated")]), **byte_level)
    yield "RoBERTa", bpe(pre_tokenizer=pre_tokenizers.ByteLevel(), post_processor=processors.RobertaProcessing(("</s>", 2), ("<s>", 1)), **byte_level)
    yield "Llama 2", bpe(byte_fallback=True, **llama2)
    yield "Llama 2 with added tokens", with_added(bpe(byte_fallback=True, **llama2))
    yield "Llama 2 without bytes, fused", bpe(model=dict(fuse_unk=True), **llama2)
    yield "Gemma", bpe(byte_fallback=True, normalizer=normalizers.Replace(" ", "▁"), pre_tokenizer=pre_tokenizers.Split(" ", "merged_with_previous"),
                       decoder=decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]))
    for scheme in ("always", "first", "never"):
        for split in (True, False):
            stage = dict(replacement="▁", prepend_scheme=scheme)
            yield f"Metaspace {scheme} {split}", with_added(bpe(byte_fallback=True, pre_tokenizer=pre_tokenizers.Metaspace(split=split, **stage),
                                                           decoder=decoders.Metaspace(**stage)))
    template = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    for lower in (True, False):
        yield f"BERT {lower}", word_piece(normalizer=normalizers.BertNormalizer(lowercase=lower), pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
                                          post_processor=template, decoder=decoders.WordPiece())
    yield "BERT kept as it is", word_piece(normalizer=normalizers.BertNormalizer(False, False, False, False), decoder=decoders.WordPiece(cleanup=False),
                                           pre_tokenizer=pre_tokenizers.Whitespace(), post_processor=processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1)))
    yield "T5", unigram(normalizer=normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]),
                        pre_tokenizer=pre_tokenizers.Metaspace(), decoder=decoders.Metaspace())
    yield "Unigram with bytes", unigram(byte_fallback=True, pre_tokenizer=pre_tokenizers.Metaspace(), decoder=decoders.Sequence(
        [decoders.ByteFallback(), decoders.Metaspace()]))
    yield "BPE with suffix", bpe(model=dict(end_of_word_suffix="</w>"), trainer=dict(end_of_word_suffix="</w>"), normalizer=normalizers.Lowercase(),
                                 pre_tokenizer=pre_tokenizers.BertPreTokenizer(), decoder=decoders.BPEDecoder())
    yield "BPE with prefix", bpe(model=dict(continuing_subword_prefix="##", fuse_unk=True), trainer=dict(continuing_subword_prefix="##"),
                                 pre_tokenizer=pre_tokenizers.Whitespace(), decoder=decoders.WordPiece())
    yield "words", word_level(pre_tokenizer=pre_tokenizers.Whitespace())
    yield "speech", word_level(pre_tokenizer=pre_tokenizers.Split("", "isolated"), decoder=decoders.CTC(pad_token="<s>", word_delimiter_token="a"))
    for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"):
        yield name, word_level(normalizer=getattr(normalizers, name)(), pre_tokenizer=space)
        yield f"{name} in characters", unigram(normalizer=getattr(normalizers, name)(), pre_tokenizer=nothing)
    for left, right in ((True, True), (True, False), (False, True)):
        yield f"Strip {left} {right}", unigram(normalizer=normalizers.Strip(left, right))
    yield "accents", unigram(normalizer=normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]))
    for behavior in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
        yield f"Punctuation {behavior}", word_level(pre_tokenizer=pre_tokenizers.Punctuation(behavior))
        for invert in (False, True):
            yield f"Split {behavior} {invert}", word_level(pre_tokenizer=pre_tokenizers.Split(" ", behavior, invert))
            yield f"Split Regex {behavior} {invert}", word_level(pre_tokenizer=pre_tokenizers.Split(Regex(r"\s+|\d"), behavior, invert))
    for individual in (False, True):
        yield f"Digits {individual}", word_level(pre_tokenizer=pre_tokenizers.Digits(individual))
    yield "Whitespace", word_level(pre_tokenizer=pre_tokenizers.Whitespace())
    yield "CharDelimiterSplit", word_level(pre_tokenizer=pre_tokenizers.CharDelimiterSplit("a"))
    yield "FixedLength", word_level(pre_tokenizer=pre_tokenizers.FixedLength(3))


def compare(runner, name, path, oracle):
    lines = "".join(json.dumps(text) + "\n" for text in TEXTS)
    result = subprocess.run([runner, path], input=lines.encode(), capture_output=True, check=False)
    require(result.returncode == 0, f"{name}: {result.stderr.decode()}")
    unigram = json.loads(pathlib.Path(path).read_text())["model"].get("type") == "Unigram"
    wrong, count = [], 0
    for text, line in zip(TEXTS, result.stdout.decode().splitlines()):
        ours = json.loads(line)
        ids = oracle.encode(text, add_special_tokens=False).ids
        special = oracle.encode(text, add_special_tokens=True).ids
        decoded = oracle.decode(ids, skip_special_tokens=False)
        count += len(ids)
        # Bytes that make no character are kept by us; the library writes one or several replacement characters.
        same_text = ours.get("text") == decoded or "\ufffd" in decoded
        # Cuts of a Unigram model that are as likely: the library's JSON reader is inexact in the last bit of a score, which then decides.
        if unigram and ours.get("ids") != ids and sorted(ours.get("ids", [])) == sorted(ids):
            continue
        if ours.get("ids") != ids or ours.get("special") != special or not same_text:
            wrong.append((text, ours, ids, decoded))
    for text, ours, ids, decoded in wrong[:1]:
        first = next((i for i, (a, b) in enumerate(zip(ours.get("ids", []), ids)) if a != b), -1)
        window = slice(max(0, first - 2), first + 4)
        print(f"FAILED {name}: {len(wrong)} of {len(TEXTS)} texts differ. {text[:60]!r}: at {first} ours {ours.get('ids', [])[window]} "
              f"({[oracle.id_to_token(i) for i in ours.get('ids', [])[window]]}), oracle {ids[window]} ({[oracle.id_to_token(i) for i in ids[window]]}) "
              f"{ours.get('error', '')} {'' if ours.get('text') == decoded else (ours.get('text', '')[:60], decoded[:60])}", flush=True)
    return len(wrong), count


def main():
    runner, folders = sys.argv[1], sys.argv[2:]
    bad = total = kinds = 0
    with scratch() as folder:
        for name, tokenizer in families():
            path = pathlib.Path(folder) / "tokenizer.json"
            tokenizer.save(str(path))
            wrong, count = compare(runner, name, path, Tokenizer.from_file(str(path)))
            bad, total, kinds = bad + (wrong > 0), total + count, kinds + 1
    for path in [found for folder in folders for found in sorted(pathlib.Path(folder).rglob("*tokenizer*.json"))]:
        try:
            oracle = Tokenizer.from_file(str(path))
        except Exception:  # another file of that name
            continue
        oracle.no_truncation()
        oracle.no_padding()
        wrong, count = compare(runner, path, path, oracle)
        print(f"{path}: {'differs' if wrong else 'the same'}")
        bad, total, kinds = bad + (wrong > 0), total + count, kinds + 1
    print(f"{kinds} tokenizers, {len(TEXTS)} texts, {total} ids; {bad} tokenizers differ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
