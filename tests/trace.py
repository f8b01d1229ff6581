#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves from system calls that an answer leaves the program only after its charge is on stable storage.

usage: trace.py PROGRAM

Runs `tacet query` under strace. Before the first byte on standard output, a sync of the ledger's log must have
begun after the last write to it had ended, and must have succeeded. With TACET_SOAK in the environment, also
makes the program's system calls fail, or kills it, one by one.
"""
import fractions
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WRITES = ("write", "writev", "pwrite64", "pwritev", "pwritev2")
SYNCS = ("fsync", "fdatasync")
LOG = "/ledger.db-wal>"

CALL = re.compile(r"^(\d+) +(\w+)\((\d+)<(.*)$")
RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>(.*)$")
RESULT = re.compile(r"\) += (-?\d+)")

CATALOG = """\
[budget]
epsilon = "1000000"
[query]
epsilon = "1/100"
[tables.people]
source = "people.csv"
person = "id"
rows_per_person = 1
[tables.people.columns]
age = { type = "integer", range = [0, 110] }
"""
STATEMENT = "SELECT count(*) FROM people WHERE age > 40"


def read_calls(trace):
    """Yields (name, descriptor, the rest of the line, line of its begin, line of its end, result or None)."""
    pending = {}
    for number, line in enumerate(trace.splitlines()):
        if match := CALL.match(line):
            process, name, descriptor, rest = match.groups()
            if rest.endswith("<unfinished ...>"):
                pending[process] = (name, int(descriptor), rest, number)
                continue
            result = RESULT.search(rest)
            yield name, int(descriptor), rest, number, number, int(result[1]) if result else None
        elif match := RESUMED.match(line):
            process, name, rest = match.groups()
            if process in pending and pending[process][0] == name:
                _, descriptor, begin, begun = pending.pop(process)
                result = RESULT.search(rest)
                yield name, descriptor, begin, begun, number, int(result[1]) if result else None


def complaint(trace):
    """What is wrong with the order of things; None if nothing is."""
    calls = list(read_calls(trace))
    answers = [begun for name, descriptor, _, begun, _, _ in calls if name in WRITES and descriptor == 1]
    if not answers:
        return "nothing was answered"
    answered = min(answers)
    written = [ended for name, _, rest, begun, ended, _ in calls
               if name in WRITES and LOG in rest and begun < answered]
    if not written:
        return "nothing was written to the ledger's log before the answer"
    if any(name in SYNCS and LOG in rest and begun > max(written) and ended < answered and result == 0
           for name, _, rest, begun, ended, result in calls):
        return None
    return "the answer came before a sync of the ledger's log had succeeded"


def check_that_it_can_fail():
    write = '1 pwrite64(5</a/.tacet/ledger.db-wal>, "x"..., 24, 32) = 24'
    sync = "1 fdatasync(5</a/.tacet/ledger.db-wal>) = 0"
    answer = '1 write(1<pipe:[7]>, "42", 2) = 2'
    begun = '2 pwrite64(5</a/.tacet/ledger.db-wal>, "x"..., 24, 32 <unfinished ...>'
    ended = "2 <... pwrite64 resumed>) = 24"
    sync_begun = "3 fdatasync(5</a/.tacet/ledger.db-wal> <unfinished ...>"
    sync_ended = "3 <... fdatasync resumed>) = 0"
    good = [[write, sync, answer], [write, sync, write, sync, answer, write], [begun, ended, sync, answer],
            [write, sync_begun, sync_ended, answer]]
    bad = [[], [answer], [write, sync], [sync, answer], [write, answer], [sync, write, answer],
           [write, answer, sync], [write, sync, write, answer],
           [write, sync.replace("= 0", "= -1 EIO (Input/output error) (INJECTED)"), answer],
           [write, sync.replace("ledger.db-wal", "ledger.db"), answer],
           [begun, sync, ended, answer], [write, sync_begun, answer, sync_ended], [write, sync_begun, answer]]
    for lines in good:
        assert complaint("\n".join(lines)) is None, lines
    for lines in bad:
        assert complaint("\n".join(lines)) is not None, lines


class Project:
    def __init__(self, program, folder):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = pathlib.Path(folder)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("TACET_")}
        self.environment["TACET_STATE_DIR"] = str(self.folder / "state")
        self.trace = self.folder / "trace"
        (self.folder / "tacet.toml").write_text(CATALOG)
        (self.folder / "people.csv").write_text("id,age\n1,30\n2,50\n3,70\n")
        imported = self.run("import")
        assert imported.returncode == 0, imported.stderr

    def run(self, *arguments, under=()):
        return subprocess.run([*under, self.program, *arguments], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def query(self, *strace_options):
        """Asks under strace; returns how it ended and what was traced."""
        under = ["strace", "-f", "-y", "-o", str(self.trace), *strace_options]
        ended = self.run("query", STATEMENT, "--json", under=under)
        return ended, self.trace.read_text()

    def budget(self):
        """Returns how many charges there are and what they come to."""
        ended = self.run("budget", "--json")
        assert ended.returncode == 0, ended
        document = json.loads(ended.stdout)
        return document["charges"], fractions.Fraction(document["spent"]["epsilon"])


def check_order(project, queries):
    charges, _ = project.budget()
    for _ in range(queries):
        ended, trace = project.query("-e", "trace=" + ",".join(WRITES + SYNCS))
        assert ended.returncode == 0, ended.stderr
        problem = complaint(trace)
        if problem:
            sys.exit(f"trace: {problem}\n{trace}")
    assert project.budget()[0] == charges + queries
    print(f"{queries} queries: each answer after a sync of its charge")


def check_faults(project):
    faults = [f"{call}:{what}" for call in ("fdatasync", "fsync", "pwrite64", "ftruncate", "unlink")
              for what in ("error=EIO", "error=ENOSPC", "signal=SIGKILL")]
    charges, spent = project.budget()
    for fault in faults:
        call = fault.split(":")[0]
        for when in range(1, 1000):
            ended, trace = project.query("-e", f"trace={call}", "-e", f"inject={fault}:when={when}")
            was_reached = "INJECTED" in trace or "killed by SIGKILL" in trace
            where = f"{fault}, time {when}: {ended}"
            assert ended.returncode in (0, 4, -9), where
            charges_now, spent_now = project.budget()
            is_answered = '"rows"' in ended.stdout
            assert charges_now >= charges + (1 if is_answered else 0), where
            assert charges_now <= charges + 1, where
            assert spent_now == fractions.Fraction(charges_now, 100) and spent_now >= spent, where
            charges, spent = charges_now, spent_now
            if not was_reached:
                assert ended.returncode == 0 and is_answered, where
                break
        print(f"{fault}: {when - 1} places, nothing forgotten")
        assert when > 1 or call in ("unlink", "ftruncate"), f"{fault} was never reached"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check_that_it_can_fail()
    is_soak = bool(os.environ.get("TACET_SOAK"))
    with tempfile.TemporaryDirectory() as folder:
        project = Project(sys.argv[1], folder)
        check_order(project, 1000 if is_soak else 20)
        if is_soak:
            check_faults(project)


if __name__ == "__main__":
    main()
