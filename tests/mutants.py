#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Activates each planted fault in turn, and wants a test to fail because of it.

usage: mutants.py [--full] [--jobs N] BIN

BIN is the folder with the test programs of the target `mutants`. tests/mutants.txt names the cheapest test
that catches each fault. With --full the whole program of that test is run.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # what is generated stays under build/
import shipped  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TESTS_RAN = re.compile(r"^\[=+\] (\d+) tests? from .* ran\.", re.MULTILINE)
TEST_FAILED = re.compile(r"^\[  FAILED  \] ([\w./]+)(?:, where .*)?$", re.MULTILINE)


def read_manifest(path):
    rows = [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]
    for row in rows:
        if len(row) != 3:
            sys.exit(f"{path.name}: want fault, program and filter, found: {' '.join(row)}")
    if len({row[0] for row in rows}) != len(rows):
        sys.exit(f"{path.name}: a fault is listed twice")
    return rows


def faults_in_sources(folder):
    found = set()
    for path in folder.rglob("*"):
        if path.suffix in (".h", ".cc") and path.name != "fault.h":
            found |= set(re.findall(r"\bTACET_FAULT\((\w+)\)", path.read_text()))
    return found


def run(program, test_filter, fault, timeout_seconds):
    """Returns (how it ended: passed, failed or a complaint; names of failed tests; seconds)."""
    environment = {key: value for key, value in os.environ.items() if key != "TACET_FAULT"}
    if fault:
        environment["TACET_FAULT"] = fault
    start = time.monotonic()
    try:
        ended = subprocess.run([program, f"--gtest_filter={test_filter}"], env=environment, text=True,
                               errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=timeout_seconds)
    except subprocess.TimeoutExpired:
        return f"no end after {timeout_seconds} s", [], timeout_seconds
    except OSError as error:
        return f"cannot run: {error.strerror}", [], 0.0
    seconds = time.monotonic() - start
    ran = TESTS_RAN.search(ended.stdout)
    failed = list(dict.fromkeys(TEST_FAILED.findall(ended.stdout)))
    if ended.returncode == 0 and ran and int(ran[1]) > 0:
        return "passed", [], seconds
    if ended.returncode == 0:
        return "ran no test", [], seconds
    if ended.returncode == 1 and ran and failed:
        return "failed", failed, seconds
    return f"ended with status {ended.returncode}, not with a failed test", failed, seconds


def check_lists(manifest, programs, sources):
    listed = {row[0] for row in manifest}
    compiled = set().union(*(shipped.faults(program) for program in programs))
    written = faults_in_sources(sources)
    yield from (f"{name}: not in mutants.txt" for name in sorted((compiled | written) - listed))
    yield from (f"{name}: in mutants.txt but in no test program" for name in sorted(listed - compiled))
    yield from (f"{name}: in mutants.txt but not in the sources" for name in sorted(listed - written))
    if not listed:
        yield "mutants.txt lists no fault"
    if not any(shipped.uses_testing(program) for program in programs):
        yield "no test program holds a symbol of tacet::testing, so shipped.py proves nothing"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--manifest", type=pathlib.Path, default=HERE / "mutants.txt")
    parser.add_argument("--sources", type=pathlib.Path, default=HERE.parent / "tacet")
    parser.add_argument("--timeout", type=float, default=None, metavar="SECONDS")
    parser.add_argument("bin", type=pathlib.Path)
    options = parser.parse_args()
    timeout_seconds = options.timeout or (3600 if options.full else 60)

    manifest = read_manifest(options.manifest)
    programs = sorted(options.bin.glob("*_test"))
    problems = list(check_lists(manifest, programs, options.sources))

    # fault -> the (program, filter) pairs that are run with it
    plan = {fault: [(options.bin / program, "*" if options.full else test_filter)]
            for fault, program, test_filter in manifest}

    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def submit(pair, fault):
            return pool.submit(run, *pair, fault, timeout_seconds)
        sound = {pair: submit(pair, None) for pair in sorted({p for pairs in plan.values() for p in pairs})}
        faulty = {fault: [submit(pair, fault) for pair in pairs] for fault, pairs in plan.items()}

        for (program, test_filter), future in sound.items():
            how, failed, _ = future.result()
            if how != "passed":
                problems.append(f"{program.name} {test_filter}: without a fault: {how} {' '.join(failed)}".rstrip())

        width = max(map(len, plan), default=0)
        print(f"{'fault':{width}}  seconds  caught by")
        for fault, futures in faulty.items():
            results = [future.result() for future in futures]
            caught = [name for how, failed, _ in results if how == "failed" for name in failed]
            complaints = sorted({how for how, _, _ in results} - {"passed", "failed"})
            note = caught[0] if caught else "NOT CAUGHT"
            if len(caught) > 1:
                note += f" and {len(caught) - 1} more"
            if complaints:
                note += f" ({'; '.join(complaints)})"
            print(f"{fault:{width}}  {sum(seconds for _, _, seconds in results):7.2f}  {note}")
            if not caught:
                problems.append(f"{fault}: not caught {'; '.join(complaints)}".rstrip())

    print(f"{len(plan)} faults in {time.monotonic() - start:.1f} s; problems: {len(problems)}")
    for problem in problems:
        print(f"  {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
