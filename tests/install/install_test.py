#!/usr/bin/env python3
"""Installs Rhea into a scratch folder and uses it from there: find_package(Rhea) in another project, the programs, and a
recipe of one's own built against the installation.

  install_test.py BUILD_FOLDER
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="rhea-install-") as folder:
        prefix = pathlib.Path(folder) / "prefix"
        run("cmake", "--install", build, "--prefix", prefix)
        shutil.copytree(HERE / "consumer", f"{folder}/consumer")
        run("cmake", "-S", f"{folder}/consumer", "-B", f"{folder}/consumer/build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", f"{folder}/consumer/build")
        loss = float(run(f"{folder}/consumer/build/consumer").split()[-1])
        if not 3 < loss < 7:  # ln 64 = 4.2 for an untrained model
            sys.exit(f"the consumer's untrained model has loss {loss}")

        rhea, environment = prefix / "bin/rhea", dict(os.environ, XDG_CACHE_HOME=folder, OMP_NUM_THREADS="1")
        if "llama3/debugmodel" not in run(rhea, "ls", cwd=folder):
            sys.exit("the installed rhea lists no configurations")
        (pathlib.Path(folder) / "text.txt").write_text("one two three four five six seven eight nine ten\n" * 200)
        run(rhea, "cp", "pretrain", "mine.cpp", cwd=folder)
        out = run(rhea, "run", "mine.cpp", "dataset.path=text.txt", "model.flavor=debugmodel_2l", "model.vocab_size=260",
                  "training.seq_len=16", "training.local_batch_size=2", "training.steps=2", "training.mixed_precision_param=float32",
                  cwd=folder, env=environment)
        if "step: 1" not in out.replace("  ", " "):
            sys.exit(f"the copied recipe logged no step:\n{out}")
    print("installed, found by another project, and a copied recipe built on it")


if __name__ == "__main__":
    main()
