#!/usr/bin/env python3
"""Holds the include graph of rhea/ to its layers: no room includes one above it, equals do not include each other.

Also: files stay readable (700 lines; recipes 150), and only rhea/ft knows of fault tolerance. Exit 1 with a line each.
"""
import re
import subprocess
import sys
from collections import defaultdict

LAYERS = [
    ["core"],
    ["config"],
    ["ops", "tokenizers", "metrics"],
    ["models", "data", "optim", "distributed"],
    ["peft", "checkpoint", "eval"],
    ["train"],
    ["ft"],
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
INCLUDE = re.compile(r'#include\s+[<"]rhea/([a-z_]+)/')
FAULT_TOLERANCE = re.compile(r"\b(lighthouse|quorum|torchft|fault_tolerance)\b", re.IGNORECASE)


def main():
    listed = subprocess.run(["git", "ls-files", "rhea", "recipes", "cli"], capture_output=True, text=True, check=True)
    problems, uses = [], defaultdict(set)
    for path in listed.stdout.splitlines():
        if not path.endswith((".h", ".cpp")):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.count("\n")
        limit = 150 if path.startswith("recipes/") else 700
        if lines > limit:
            problems.append(f"{path}: {lines} lines, more than {limit}")
        if not path.startswith("rhea/"):
            continue
        room = path.split("/")[1]
        if room not in LEVEL:
            problems.append(f"{path}: '{room}' is no room")
            continue
        if room != "ft" and FAULT_TOLERANCE.search(re.sub(r"//.*", "", text)):
            problems.append(f"{path}: names fault tolerance, which only rhea/ft knows")
        for other in INCLUDE.findall(text):
            if other != room:
                uses[room, other].add(path)
    for (room, other), paths in sorted(uses.items()):
        where = ", ".join(sorted(paths)[:3])
        if LEVEL.get(other, -1) > LEVEL[room]:
            problems.append(f"{room} includes {other}, which lies above it: {where}")
        elif LEVEL.get(other) == LEVEL[room] and (other, room) in uses:
            problems.append(f"{room} and {other} include each other: {where}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
