#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ships holds no planted fault and nothing of tacet::testing.

usage: shipped.py FILE...
"""
import pathlib
import re
import sys

FAULT = re.compile(rb"tacet-fault:(\w*)")
TESTING = b"5tacet7testing"  # tacet::testing as the compiler spells it in symbols
OURS = b"5tacet"


def faults(path):
    return {name.decode() for name in FAULT.findall(pathlib.Path(path).read_bytes())}


def uses_testing(path):
    return TESTING in pathlib.Path(path).read_bytes()


def main():
    problems = []
    for path in sys.argv[1:]:
        if OURS not in pathlib.Path(path).read_bytes():
            problems.append(f"{path}: no symbols of tacet at all, so this test would see nothing")
        problems += [f"{path}: holds the planted fault {name}" for name in sorted(faults(path))]
        if uses_testing(path):
            problems.append(f"{path}: holds symbols of tacet::testing")
    print("\n".join(problems) or f"clean: {len(sys.argv) - 1} files")
    return 1 if problems or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
