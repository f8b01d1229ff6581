#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of a document and compares what it prints with what the document says.

usage: theory.py [--update [--samples]] PROGRAM [DOCUMENT...]

A block whose fence says ```console holds lines `$ COMMAND`, each with its output below it (standard error included).
The commands of a document run, in order, by the shell, in one folder that is empty at first; a line
`<!-- begins with demo -->` puts a file of the repository, or all that is in a folder, there. Every command must succeed,
or fail where the fence also says `fails`. Times (`12 ms`, `0.4 s`) and the width of spaces and rules may differ, nothing else. Where
the fence also says `random`, the output is a sample and is not compared.

A block whose fence names a file is that file (```csv coin.csv), but where it is code (```cpp, ```cmake) it quotes the
repository's file: its lines must stand there as they are. A picture that a command draws must be the one of that name in
docs/pictures, if there is one. Links to files and headings of the repository must lead somewhere, and where a document
says how many statements are in tests/sql, it must be right.

--update writes what the commands print into the document instead, and pictures; --samples also what is random. What
cannot be mended so (a command that fails, a quote, a link) is still an error. Without a document: README.md and docs/*.md.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIME = re.compile(r"(?:< )?\b\d+(?:\.\d+)?(?:e-?\d+)? ?(?:us|µs|ms|s)\b")
RULE = re.compile("─+")
STATEMENTS = re.compile(r"(?<![\d,])(\d+) statements")
LINK = re.compile(r"\]\(([^()\s]+)\)")
BEGINS = re.compile(r"^<!-- begins with (\S+) -->$", re.MULTILINE)


def same(printed, written):
    def normal(text):
        # Rules are as wide as their columns, and so as the times in them.
        return [" ".join(RULE.sub("─", TIME.sub("TIME", line)).split()) for line in text.rstrip().splitlines()]
    return normal(printed) == normal(written)


def blocks(lines):
    """(first line, last line, words of the fence) of every fenced block, fences not included."""
    start = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start, words = number + 1, line[3:].split()
        else:
            yield start, number, words
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
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "LC_ALL": "C.UTF-8",
                   "TACET_STATE_DIR": f"{folder}/home/.local/state/tacet",
                   "PATH": f"{program.parent}:{os.environ['PATH']}"}
    ended = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True, timeout=60,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ended.stdout.rstrip("\n").replace(f"{folder}/home", "~"), ended.returncode == 0


def put(source, folder):
    if source.is_dir():
        shutil.copytree(source, folder, dirs_exist_ok=True)
    else:
        shutil.copy(source, folder)


def quotes(lines, path):
    """Whether the lines stand in the file one after the other, wherever they begin on their line."""
    def bare(text):
        return "\n".join(line.rstrip() for line in text)
    try:
        there = (ROOT / path).read_text().splitlines()
    except OSError:
        return False
    wanted = textwrap.dedent(bare(lines))
    return any(textwrap.dedent(bare(there[i:i + len(lines)])) == wanted for i in range(len(there)))


def anchors(document):
    """The names under which headings can be linked to."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def dead_links(document, text):
    for link in LINK.findall(text):
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if "://" in link:
            continue
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            yield f"{document.name}: the link {link} leads nowhere"


def statements():
    return sum(path.read_text().count("\n----\n") for path in (ROOT / "tests" / "sql").glob("*.test"))


class Check:
    """How many commands, quotes and links a document has, and what is wrong with them."""

    def __init__(self, program, update, samples):
        self.program, self.update, self.samples = program, update, samples
        self.ran, self.wrong = 0, []

    def expect(self, holds, complaint):
        self.ran += 1
        if not holds:
            self.wrong.append(complaint)

    def console(self, document, words, inside, folder):
        """The lines of a console block as they should be."""
        result = []
        for command, written in commands(inside):
            printed, succeeded = run(self.program, command, folder)
            as_said = succeeded != ("fails" in words)
            keep = "random" in words and as_said and not self.samples
            shown = written if keep else printed
            result += ["$ " + command] + ([] if not shown else shown.split("\n"))
            ended = "" if as_said else f"--- it {'succeeds' if succeeded else 'fails'}\n"
            self.expect(as_said and (self.update or same(shown, written)),
                        f"{document.name}: $ {command}\n{ended}--- written\n{written}\n--- printed\n{printed}\n")
        return result

    def pictures(self, document, folder):
        for drawn in sorted(pathlib.Path(folder).glob("*.svg")):
            kept = ROOT / "docs" / "pictures" / drawn.name
            if kept.exists() and self.update:
                shutil.copyfile(drawn, kept)
            if kept.exists():
                self.expect(drawn.read_bytes() == kept.read_bytes(), f"{document.name}: {drawn.name} is drawn otherwise now")

    def document(self, document):
        text = document.read_text()
        lines = text.splitlines()
        result, copied = [], 0
        with tempfile.TemporaryDirectory() as folder:
            for name in BEGINS.findall(text):
                put(ROOT / name, folder)
            for first, last, words in blocks(lines):
                inside = lines[first:last]
                if words[:1] == ["console"]:
                    result += lines[copied:first] + self.console(document, words[1:], inside, folder)
                    copied = last
                elif len(words) == 2 and words[0] in ("cpp", "cmake"):
                    self.expect(quotes(inside, words[1]), f"{document.name}: not what stands in {words[1]}:\n"
                                + "\n".join(inside) + "\n")
                elif len(words) == 2:
                    (pathlib.Path(folder) / words[1]).write_text("\n".join(inside) + "\n")
            self.pictures(document, folder)
        if self.update:
            document.write_text("\n".join(result + lines[copied:]) + "\n")
        dead = list(dead_links(document, text))
        self.ran += len(LINK.findall(text)) - len(dead)
        for complaint in dead:
            self.expect(False, complaint)
        for said in STATEMENTS.findall(text):
            self.expect(int(said) == statements(), f"{document.name}: tests/sql has {statements()} statements, not {said}")
        return self.ran, self.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--samples", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("document", type=pathlib.Path, nargs="*")
    options = parser.parse_args()
    documents = options.document or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        program = pathlib.Path(folder, "tacet")
        program.symlink_to(options.program.resolve())

        def check(document):
            return Check(program, options.update, options.update and options.samples).document(document.resolve())
        results = list(pool.map(check, documents))
    ran = sum(count for count, _ in results)
    wrong = [complaint for _, complaints in results for complaint in complaints]
    print("\n".join(wrong + [f"{ran - len(wrong)} passed, {len(wrong)} failed"]))
    return 1 if wrong or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
