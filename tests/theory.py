#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of a document and compares what it prints with what the document says.

usage: theory.py [--update] PROGRAM [DOCUMENT...]

A block whose fence says ```console holds lines `$ tacet ...`, each with its output below it (standard error
included). A block whose fence names a file (```csv coin.csv) is that file. The commands of a document run, in order,
in one empty folder. Times (`12 ms`, `0.4 s`) and the width of spaces and rules may differ, nothing else. Where a fence
says ```console random, the output is a sample: the commands must succeed, and what they print is not compared.
--update writes what the commands print into the document instead. Without a document: docs/theory*.md, budgets.md and
local.md.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TIME = re.compile(r"(?:< )?\b\d+(?:\.\d+)?(?:e-?\d+)? ?(?:us|µs|ms|s)\b")
RULE = re.compile("─+")


def same(printed, written):
    def normal(text):
        # Rules are as wide as their columns, and so as the times in them.
        return [" ".join(RULE.sub("─", TIME.sub("TIME", line)).split()) for line in text.rstrip().splitlines()]
    return normal(printed) == normal(written)


def blocks(lines):
    """(first line, last line, info string) of every fenced block, fences not included."""
    start = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start, info = number + 1, line[3:].strip()
        else:
            yield start, number, info
            start = None


def commands(lines):
    """[(command, written output)] of a console block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(output)) for command, output in found]


def run(program, command, folder):
    """What a command prints, and whether it succeeds."""
    words = shlex.split(command)
    if words[0] != "tacet":
        return f"not a command of tacet: {command}", False
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "TACET_STATE_DIR": f"{folder}/state"}
    ended = subprocess.run([program, *words[1:]], cwd=folder, env=environment, text=True, timeout=60,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ended.stdout.rstrip("\n"), ended.returncode == 0


def check(program, document, update):
    """How many commands the document has, and how many print something else than it says."""
    lines = document.read_text().splitlines()
    result, copied, ran, wrong = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for first, last, info in blocks(lines):
            inside = lines[first:last]
            words = info.split()
            random = words == ["console", "random"]
            if len(words) == 2 and not random:
                (pathlib.Path(folder) / words[1]).write_text("\n".join(inside) + "\n")
            if words[:1] != ["console"]:
                continue
            result += lines[copied:first]
            for command, written in commands(inside):
                printed, succeeded = run(program, command, folder)
                ran += 1
                shown = written if random and succeeded else printed
                result += ["$ " + command] + ([] if not shown else shown.split("\n"))
                if not same(shown, written):
                    wrong += 1
                    if not update:
                        print(f"{document.name}: $ {command}\n--- written\n{written}\n--- printed\n{printed}\n")
            copied = last
    result += lines[copied:]
    if update:
        document.write_text("\n".join(result) + "\n")
    return ran, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("document", type=pathlib.Path, nargs="*")
    options = parser.parse_args()
    docs = HERE.parent / "docs"
    documents = options.document or [*sorted(docs.glob("theory*.md")), docs / "budgets.md", docs / "local.md"]
    counts = [check(options.program.resolve(), document, options.update) for document in documents]
    ran, wrong = (sum(column) for column in zip(*counts))
    if options.update:
        print(f"{ran} commands, {wrong} outputs written anew")
        return 0
    print(f"{ran - wrong} passed, {wrong} failed")
    return 1 if wrong or any(count == 0 for count, _ in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
