#!/usr/bin/env python3
"""Holds the documentation to the program: its commands run, its links lead somewhere, its keys exist.

Each page with commands gets a scratch folder that looks like a clone in which everything is built. Blocks marked bash
are run as scripts. Blocks marked console show commands behind "$ ", and lines of what they print: those must come, in
that order; where one begins with ERROR the command must be refused. Blocks with file=NAME are written to that file
first. Blocks marked diff are edits of recipes/pretrain.cpp: all of a page together, they must apply, compile and train.

    commands_test.py [PAGE.md ...]   all pages, or the commands of these only

What takes long or needs the network is replaced by a stand-in that checks what can be checked (see STAND_INS and
RHEA). What cannot be run at all is listed in EXCEPTIONS, with the reason.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import program  # noqa: E402

ROOT, BIN = program.ROOT, program.BIN

EXCEPTIONS = {
    r"pip install": "needs the network",
    r"tensorboard --logdir": "a server: it runs until it is stopped",
    r"^cmake --(build|install) ": "a full build takes minutes; tests/install builds against an installation",
}

# The program, made small: each training run goes three steps further than the one before it on the page.
RHEA = """#!/usr/bin/env bash
training() {{ [ "$1" = run ] && [[ " $* " != *" --help "* ]] && {{ [ "$2" = pretrain ] || grep -qs pretrain_config "$2"; }}; }}
if training "$@"; then
  steps=3
  [ -n "${{RANK:-}}" ] || steps=$(($(cat "{scratch}/steps" 2>/dev/null || echo 0) + 3))
  [ -n "${{RANK:-}}" ] || echo $steps >"{scratch}/steps"
  flavor=debugmodel_2l
  [[ "$*" != *gpt2* ]] || flavor=debugmodel
  set -- "$@" model.flavor=$flavor training.steps=$steps training.seq_len=64 validation.steps=1 metrics.final_sample_tokens=4
  set -- "$@" dataset.cache_folder="{cache}"
elif [ "$1 $2" = "run generate" ] && [[ " $* " != *" --help "* ]]; then
  set -- "$@" generate.max_new_tokens=8
fi
exec "{rhea}" "$@"
"""

# name: what stands in for it. {root} is the repository.
STAND_INS = {
    "tools/setup.sh": 'bash -n "{root}/tools/setup.sh"',
    "tools/check_sanitized.sh": 'bash -n "{root}/tools/check_sanitized.sh"',
    "tools/lint.sh": 'bash -n "{root}/tools/lint.sh"',
    "tools/build.sh": 'bash -n "{root}/tools/build.sh" && grep -q "\\"name\\": \\"$1\\"" "{root}/CMakePresets.json"',
    "bin/ctest": "true",
    "bin/cmake": '[ "$1" = --preset ] && grep -q "\\"name\\": \\"$2\\"" "{root}/CMakePresets.json"',
    "bin/ninja": '[ "$1" = -C ]',
    "bin/git": '[ "$1" = clone ]',
}

FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def markdown_files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, check=True,
                            capture_output=True, text=True)
    return [ROOT / name for name in sorted(listed.stdout.split()) if (ROOT / name).exists()]


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def make_clone(folder, cache):
    for name in ("configs", "recipes", "docs"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("run_train.sh", "run_tests.sh", "CMakePresets.json"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("rhea", "tests", "benchmarks", ".venv"):
        (folder / name).symlink_to(ROOT / name)
    for name, body in STAND_INS.items():
        write_program(folder / name, "#!/usr/bin/env bash\n" + body.format(root=ROOT) + "\n")
    write_program(folder / "build/bin/rhea", RHEA.format(scratch=folder, cache=cache, rhea=BIN / "rhea"))
    write_texts(folder)


def write_texts(folder):
    """my_texts/ and held_out.txt: enough distinct words for a tokenizer of 2,048 entries."""
    state = 1
    (folder / "my_texts").mkdir()
    for number in range(41):
        words = []
        for _ in range(1500):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            word = state >> 33
            words.append("".join("bdfgklmnprstvz"[word >> s & 7] + "aeiou"[(word >> s) % 5] for s in range(0, 4 + word % 9, 3)))
        lines = [" ".join(words[i : i + 12]) for i in range(0, len(words), 12)]
        (folder / (f"my_texts/{number}.txt" if number < 40 else "held_out.txt")).write_text("\n".join(lines) + "\n")


def environment(folder):
    values = dict(os.environ, OMP_NUM_THREADS="1", NO_COLOR="1", XDG_CACHE_HOME=str(folder / "xdg"))
    values["PATH"] = os.pathsep.join([str(folder / "bin"), str(folder / "build/bin"), values["PATH"]])
    home = pathlib.Path.home()
    values.setdefault("CCACHE_DIR", str(home / ".ccache" if (home / ".ccache").is_dir() else home / ".cache/ccache"))
    return {key: value for key, value in values.items() if key not in ("WORLD_SIZE", "RANK", "LOCAL_RANK")}


def run(command, folder):
    return subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=folder, env=environment(folder), timeout=600,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def is_exception(command):
    return any(re.search(pattern, command) for pattern in EXCEPTIONS)


def commands_of(body):
    """The commands of a bash block: its lines, with those that end in a backslash joined."""
    lines = body.replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def console_commands(body):
    """(command, lines it prints) of a console block."""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and line.strip() not in ("", "..."):
            found[-1][1].append(line.rstrip())
    return found


def check_output(command, expected, result):
    refused = any(line.startswith("ERROR") for line in expected)
    if (result.returncode != 0) != refused:
        return [f"ended with {result.returncode}: {command}\n{result.stdout[-3000:]}"]
    rest = result.stdout
    for line in expected:
        if line not in rest:
            return [f"does not print, where it should: {line}\n  {command}\n{result.stdout[-3000:]}"]
        rest = rest[rest.index(line) + len(line) :]
    return []


def apply_diff(text, body):
    """The text after the edit: the lines that the diff shows as there before must be there once, one after the other."""
    lines = [line for line in body.splitlines() if not line.startswith(("@@", "---", "+++"))]
    before = [line[1:] for line in lines if not line.startswith("+")]
    after = [line[1:] for line in lines if not line.startswith("-")]
    old, new = "\n".join(before) + "\n", "\n".join(after) + "\n"
    return text.replace(old, new) if text.count(old) == 1 else None


def check_diffs(page, diffs, folder):
    source = (ROOT / "recipes/pretrain.cpp").read_text(encoding="utf-8")
    for body in diffs:
        edited = apply_diff(source, body)
        if edited is None:
            return [f"{page}: this edit does not fit recipes/pretrain.cpp (with the edits before it):\n{body}"]
        source = edited
    (folder / "edited.cpp").write_text(source, encoding="utf-8")
    command = "rhea run edited.cpp --config llama3/first_run job.dump_folder=outputs/edited"
    return [f"{page}: the edits together: {problem}" for problem in check_output(command, [], run(command, folder))]


def check_commands(page, cache):
    text = page.read_text(encoding="utf-8")
    blocks = [match.groups() for match in FENCE.finditer(text)]
    problems, started = [], time.monotonic()
    with program.scratch() as name:
        folder = pathlib.Path(name)
        make_clone(folder, cache)
        count = 0
        for language, info, body in blocks:
            file = re.search(r"\bfile=(\S+)", info)
            if file:
                (folder / file[1]).write_text(body, encoding="utf-8")
        for language, info, body in blocks:
            listed = [(command, []) for command in commands_of(body)] if language == "bash" else []
            listed = console_commands(body) if language == "console" else listed
            for command, expected in listed:
                if not is_exception(command):
                    count += 1
                    found = check_output(command, expected, run(command, folder))
                    problems += [f"{page.relative_to(ROOT)}: {problem}" for problem in found]
        diffs = [body for language, _, body in blocks if language == "diff"]
        if diffs:
            count += 1
            problems += check_diffs(page.relative_to(ROOT), diffs, folder)
    print(f"{page.relative_to(ROOT)}: {count} commands in {time.monotonic() - started:.0f} s", flush=True)
    return problems


def anchors_of(path):
    """As GitHub makes them of headings."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(page):
    problems = []
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in sorted(set(re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists():
            problems.append(f"{page.relative_to(ROOT)}: the link {target} leads to nothing")
        elif anchor and anchor not in anchors_of(path):
            problems.append(f"{page.relative_to(ROOT)}: {name or 'the page'} has no heading #{anchor}")
    return problems


def known_keys(documentation):
    keys, section = set(), None
    for line in documentation.splitlines():
        if match := re.match(r"### \[(\w+)\]", line):
            section = match[1]
        elif match := re.match(r"\| `(\w+)` \|", line):
            keys.add((section, match[1]))
    return keys


def check_keys(page, keys):
    """Every section.key that a page names. C++ is left out but for config.section.key: objects have the sections' names too."""
    problems = []
    text = page.read_text(encoding="utf-8")
    sections = {section for section, _ in keys}
    cpp = "\n".join(body for language, _, body in (match.groups() for match in FENCE.finditer(text)) if language in ("cpp", "diff"))
    refused = re.compile(r"^ERROR ", re.MULTILINE)
    prose = FENCE.sub(lambda match: "" if match[1] in ("cpp", "diff") or refused.search(match[3]) else match[0], text)
    named = re.findall(r"(?<![\w./-])(\w+)\.([a-z_0-9]+)\b(?![(/.])", prose) + re.findall(r"\bconfig\.(\w+)\.(\w+)\b", cpp)
    for section, key in named:
        is_file = key in ("h", "cpp", "md", "py", "json", "jsonl", "toml", "yaml", "txt", "svg", "sh", "bin")
        if section in sections and not is_file and (section, key) not in keys:
            problems.append(f"{page.relative_to(ROOT)}: there is no key {section}.{key}")
    return problems


def check_configs():
    problems = []
    for path in sorted(ROOT.glob("configs/**/*.toml")) + sorted(ROOT.glob("configs/**/*.yaml")):
        result = program.rhea("validate", path, check=False)
        if result.returncode != 0:
            problems.append(f"rhea validate {path.relative_to(ROOT)}: ended with {result.returncode}\n{result.stdout}{result.stderr}")
    return problems


def check_generated_page(documentation):
    page = ROOT / "docs/config.md"
    if page.read_text(encoding="utf-8") != documentation:
        return ["docs/config.md is not what `rhea docs` prints: build/bin/rhea docs > docs/config.md"]
    return []


def main():
    pages = markdown_files()
    documentation = program.rhea("docs").stdout
    keys = known_keys(documentation)
    program.require(len(keys) > 50, f"found only {len(keys)} keys in what `rhea docs` prints")
    problems = check_generated_page(documentation) + check_configs()
    for page in pages:
        problems += check_links(page) + check_keys(page, keys)
    wanted = [page for page in pages if len(sys.argv) < 2 or page.name in sys.argv[1:]]
    with_commands = [page for page in wanted if re.search(r"^```(bash|console|diff)", page.read_text(encoding="utf-8"), re.MULTILINE)]
    with program.scratch() as cache, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda page: check_commands(page, cache), with_commands):
            problems += found
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
