#!/usr/bin/env python3
"""No object of ours holds a gloo class: Debian's headers are of another version than the Gloo inside libtorch, so a vtable
or constructor of ours would have another layout than the library expects.

  no_gloo_classes_test.py LIBRHEA
"""
import re
import subprocess
import sys


def main():
    symbols = subprocess.run(["nm", "--demangle", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    ours = [line for line in symbols.splitlines() if re.match(r"^[0-9a-f]+ [A-Za-z] ", line)]
    if not any("rhea::ProcessGroup" in line for line in ours):
        sys.exit(f"{sys.argv[1]}: not one symbol of rhea::ProcessGroup; is this librhea.so?")
    classes = [line for line in ours if re.search(r"(vtable|typeinfo) for gloo::|gloo::\w+::\w+\(.*\)$", line) and "c10d::" not in line]
    if classes:
        sys.exit("these gloo classes are in our code:\n" + "\n".join(classes[:20]))
    print(f"{len(ours)} symbols, no gloo class")


if __name__ == "__main__":
    main()
