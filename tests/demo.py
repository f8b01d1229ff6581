#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demonstration shows what it did before, can be gone on with, and ends well where something is in its way.

usage: demo.py [--update] PROGRAM

Its transcript, without numbers and what depends on them, is tests/data/demo_transcript.txt; --update writes it.
"""
import difflib
import fcntl
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = SOURCE / "tests" / "data" / "demo_transcript.txt"
PROMPT = "Enter: next, q: stop"
SECONDS_MAX = 60

MASKS = [
    (re.compile(r"\b[0-9a-f]{16,32}\b"), "HASH"),
    (re.compile(r"(?<![\w/])-?\d+(?:[.,:T-]?\d+)*(?:e-\d+)?Z?"), "#"),
    (re.compile(r"< # ms"), "# ms"),
    (re.compile(r",[FM],"), ",S,"),
    (re.compile(r"'[FM]'"), "'S'"),
    (re.compile(r"^(#( \S+)+) SELECT .*"), r"\1 SELECT"),  # lists are cut where the screen ends
    (re.compile(r"[█░]+"), "█"),
    (re.compile(r"─+"), "─"),
]


def masked(transcript, names):
    """Without numbers, the blanks that line them up, and how often a line looks the same because of them."""
    for name, word in names.items():
        transcript = transcript.replace(name, word)
    lines = []
    pending = ""
    for line in transcript.splitlines():
        pending += (" " if pending else "") + line.strip()
        if pending.startswith("$") and pending.count('"') % 2 == 1:
            continue  # a command goes on until its quote is closed
        text, pending = re.sub(r" +", " ", pending), ""
        for pattern, word in MASKS:
            text = pattern.sub(word, text)
        if not lines or text != lines[-1]:
            lines.append(text)
    return "\n".join(lines) + "\n"


class Tests:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.problems = []
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("XDG_STATE_HOME", "NO_COLOR", "TACET_CATALOG")}
        self.environment |= {"TACET_STATE_DIR": str(folder / "state"), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}

    def want(self, condition, complaint, text=""):
        if not condition:
            self.problems.append(f"{complaint}\n{text}".rstrip())

    def run(self, *words, program=None, **options):
        options.setdefault("env", self.environment)
        return subprocess.run([program or self.program, *words], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_MAX, **options)

    def transcript(self, update):
        """Straight through without a terminal, whatever catalog the reader works with and whatever its folders are called."""
        demo = self.folder / "the whole"
        program = self.installed_at(self.folder / "my $tools")
        ended = self.run("demo", "--pause", "--trials", "4", "--folder", str(demo), program=program,
                         env=self.environment | {"TACET_CATALOG": "elsewhere.toml"})
        self.want(ended.returncode == 0, f"status {ended.returncode}", ended.stdout)
        text = masked(ended.stdout, {str(demo): "FOLDER", str(program): "PROGRAM",
                                     self.environment["TACET_STATE_DIR"]: "STATE"})
        if update:
            GOLDEN.write_text(text)
        difference = difflib.unified_diff(GOLDEN.read_text().splitlines(), text.splitlines(), "golden", "shown",
                                          lineterm="")
        self.want(text == GOLDEN.read_text(), "another transcript; see --update", "\n".join(difference))
        self.goes_on(ended.stdout)

    def installed_at(self, place):
        """The program as it is installed, in a folder of its own."""
        (place / "bin").mkdir(parents=True)
        shutil.copy(self.program, place / "bin" / "tacet")
        shutil.copytree(SOURCE / "demo", place / "share" / "tacet" / "demo")
        return place / "bin" / "tacet"

    def goes_on(self, transcript):
        """What is there to be typed works, and so does what was shown."""
        way = re.findall(r"^  ((?:cd|alias|unset) .*)$", transcript, re.MULTILINE)
        typed = re.findall(r"^  (tacet .*)$", transcript, re.MULTILINE)
        self.want(len(way) == 3 and len(typed) >= 3, "there is too little to go on with", transcript)
        typed += ["tacet ledger verify", "tacet query --catalog attack/tacet.toml 'SELECT count(*) FROM released'"]
        for line in typed:
            ended = self.run("-c", "\n".join(way + [line]), program="sh",
                             env=self.environment | {"TACET_CATALOG": "elsewhere.toml"})
            self.want(ended.returncode == 0, f"status {ended.returncode} of {line}", ended.stdout)

    def stops_at_a_terminal(self):
        """Step by step on a narrow screen; q ends it and says where the folder is."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        demo = self.folder / "steps"
        running = subprocess.Popen([self.program, "demo", "--pause", "--folder", str(demo)], stdin=theirs,
                                   stdout=theirs, stderr=subprocess.DEVNULL, env=self.environment | {"NO_COLOR": "1"})
        os.close(theirs)
        shown = self.read_until(ours, PROMPT, 1)
        self.want("\n1. " in shown and "\n2. " not in shown, "no stop after the first step", shown)
        os.write(ours, b"\n")
        shown += self.read_until(ours, PROMPT, 1)
        self.want("\n2. " in shown and "\n3. " not in shown, "no stop after the second step", shown)
        os.write(ours, b"q\n")
        shown += self.read_until(ours, None, 0)
        status = running.wait(timeout=SECONDS_MAX)
        os.close(ours)
        self.want(status == 0, f"status {status} after q", shown)
        self.want("\n3. " not in shown and str(demo) in shown, "q does not end it well", shown)
        self.want("\x1b" not in shown, "colours in spite of NO_COLOR", repr(shown))
        wide = [line for line in re.split(r"\r?\n", shown)
                if len(line) > 40 and re.match(r"\d+\. |Tacet |\$ ", line)]
        self.want(not wide, "wider than the screen", "\n".join(wide))

    @staticmethod
    def read_until(descriptor, text, count):
        shown = ""
        deadline = time.monotonic() + SECONDS_MAX
        while (text is None or shown.count(text) < count) and time.monotonic() < deadline:
            if not select.select([descriptor], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(descriptor, 4096)
            except OSError:  # the program has ended
                break
            if not data:
                break
            shown += data.decode(errors="replace").replace("\r\n", "\n")
        return shown

    def ends_at_ctrl_c(self):
        """It says once that it does, and what stays."""
        demo = self.folder / "interrupted"
        shown = self.interrupted_at("\n3. ", demo)
        self.want("stays charged" in shown, "Ctrl-C does not say that charges stay", shown)
        ended = self.run("ledger", "verify", cwd=demo)
        self.want(ended.returncode == 0, "the ledger is broken after Ctrl-C", ended.stdout)
        demo = self.folder / "barely begun"
        shown = self.interrupted_at("$ tacet import", demo)
        has_ledger = (demo / ".tacet" / "ledger.db").exists()
        self.want(("stays charged" in shown) == has_ledger, "charges are spoken of before there is a ledger", shown)

    def interrupted_at(self, text, demo):
        running = subprocess.Popen([self.program, "demo", "--trials", "1000", "--folder", str(demo)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env=self.environment)
        shown = self.read_until(running.stdout.fileno(), text, 1)
        running.send_signal(signal.SIGINT)
        shown += running.communicate(timeout=SECONDS_MAX)[0].decode()
        self.want(running.returncode == 130, f"status {running.returncode} after Ctrl-C", shown)
        self.want(f"hint: {demo} is left as it is" in shown, "Ctrl-C does not say what stays", shown)
        self.want(shown.count("error: ") == 1, "Ctrl-C is not told of once", shown)
        return shown

    def fails_well(self):
        """Each with a clear message, and with nothing in the way of the next time."""
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(self.program, alone / "tacet")
        self.refuses(4, "data of the demonstration is not there", "demo", program=alone / "tacet")
        self.refuses(2, "exists already", "demo", "--folder", str(alone))
        self.refuses(4, "cannot make a temporary folder", "demo",
                     env=self.environment | {"TMPDIR": str(self.folder / "nowhere")})
        self.refuses(4, "cannot make the folder", "demo", "--folder", str(self.folder / "nowhere" / "demo"))
        self.refuses(2, "it is 1 to 1000", "demo", "--trials", "0")
        self.refuses(2, "it is 1 to 1000", "demo", "--trials", "1001")
        full = self.folder / "full"
        # The data does not fit.
        self.refuses(4, "cannot write to", "demo", "--folder", str(full), **self.small_disk(100_000))
        self.want(not full.exists(), "a folder is left that cannot be filled")
        # What is made of it does not: the command that fails says so itself.
        shown = self.refuses(4, "ended with status", "demo", "--folder", str(full), **self.small_disk(1_000_000))
        self.want(shown.count("error: ") == 2, "the error of the step is not shown", shown)

    @staticmethod
    def small_disk(size):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        return {"preexec_fn": limit, "restore_signals": False}

    def refuses(self, status, message, *words, **options):
        ended = self.run(*words, **options)
        self.want(ended.returncode == status and message in ended.stdout,
                  f"status {ended.returncode} of {' '.join(words)}, without: {message}", ended.stdout)
        return ended.stdout


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) != 1:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        tests = Tests(pathlib.Path(words[0]).resolve(), folder)
        tests.transcript("--update" in sys.argv)
        tests.stops_at_a_terminal()
        tests.ends_at_ctrl_c()
        tests.fails_well()
    print("\n\n".join(tests.problems) or "the demonstration shows what it should")
    return 1 if tests.problems else 0


if __name__ == "__main__":
    sys.exit(main())
