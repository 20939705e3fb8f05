#!/usr/bin/env python3
"""Prints rhea/tokenizers/unicode_tables.h: what Hugging Face's tokenizers library takes for punctuation, numbers and marks.

Its tables are of other Unicode versions than anyone's (8 to 17, one for each question), and vocabularies were made with
them. So they are asked for every code point, and kept.
"""
from tokenizers import normalizers, pre_tokenizers

CODES = [code for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]


def ranges(codes):
    found = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def splits(stage):
    return [code for code in CODES if len(stage.pre_tokenize_str("a" + chr(code) + "a")) > 1]


def drops(stage):
    return [code for code in CODES if stage.normalize_str("a" + chr(code) + "a") == "aa"]


def kept(form):
    """Characters that Unicode 15.1 decomposes and the library does not."""
    import unicodedata
    newer = set(range(0x1E030, 0x1E06E))  # compatibility decompositions of Unicode 15
    stage = getattr(normalizers, form)()
    return [code for code in CODES if stage.normalize_str(chr(code)) == chr(code) and
            (code in newer and "K" in form or unicodedata.normalize(form, chr(code)) != chr(code))]


def main():
    bert = normalizers.BertNormalizer
    tables = [
        ("kPunctuation", "Punctuation, BertPreTokenizer", splits(pre_tokenizers.Punctuation("isolated"))),
        ("kNumeric", "Digits", splits(pre_tokenizers.Digits(individual_digits=True))),
        ("kMark", "StripAccents", drops(normalizers.StripAccents())),
        ("kNonspacingMark", "BertNormalizer, strip_accents", drops(bert(False, False, True, False))),
        ("kControl", "BertNormalizer, clean_text", drops(bert(True, False, False, False))),
        ("kKeptByNfd", "what NFD and NFC leave although Unicode decomposes it", kept("NFD")),
        ("kKeptByNfkd", "and NFKD and NFKC", kept("NFKD")),
    ]
    print("// Made by tests/parity/make_unicode_tables.py from Hugging Face's tokenizers library; see there.\n#pragma once\n")
    print("#include <cstdint>\n\nnamespace rhea::unicode_tables {\n\nstruct Range {\n  std::int32_t first, last;\n};\n")
    for name, comment, codes in tables:
        print(f"// {comment}\ninline constexpr Range {name}[] = {{")
        line = "   "
        for first, last in ranges(codes):
            item = f" {{0x{first:X}, 0x{last:X}}},"
            if len(line) + len(item) > 126:
                print(line)
                line = "   "
            line += item
        print(f"{line}\n}};\n")
    print("}  // namespace rhea::unicode_tables")


if __name__ == "__main__":
    main()
