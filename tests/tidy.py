#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules that a program can check. Prints every breach as path:line: rule.

usage: tidy.py [ROOT]
"""
import os
import pathlib
import re
import subprocess
import sys

# Which module may include which. What these may include, they may too.
ARROWS = {
    "base": [],
    "sampler": ["base"],
    "measure": ["base"],
    "mechanism": ["sampler", "measure"],
    "local": ["mechanism"],
    "catalog": ["base"],
    "sql": ["base"],
    "plan": ["sql", "catalog", "mechanism"],
    "ledger": ["measure"],
    "engine": ["sql", "base"],
    "execute": ["plan", "engine", "ledger"],
    "gateway": ["execute"],
    "server": ["gateway"],
    "cli": ["gateway", "local"],
    "python": ["gateway"],
    "audit": ["gateway"],
    "testing": ["mechanism"],
}

LINES_MAX = 600
SPDX = re.compile(r"^(//|#) SPDX-License-Identifier: Apache-2\.0$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCE_SUFFIXES = (".h", ".cc", ".h.in", ".py", ".cmake", ".sh")
BUILD_NAMES = ("CMakeLists.txt", "CMakePresets.json", "Makefile", ".clang-format", ".clang-tidy", "pins")
DATA_SUFFIXES = (".csv", ".json", ".toml", ".svg")

# Spelled in two halves here, so that this file keeps its own rules.
REGISTRIES = re.compile("|".join(
    re.escape(name) + r"\." + end for name, end in [
        ("npmjs", "org"), ("npmjs", "com"), ("pypi", "org"), ("pythonhosted", "org"),
        ("proxy.golang", "org"), ("sum.golang", "org"), ("pkg.go", "dev"),
        ("deb.debian", "org"), ("snapshot.debian", "org"), ("crates", "io")]))
ADDRESS = re.compile("http" + r"s?://")
MACHINE_PATH = re.compile(r"(?<![\w.~$}<>)/-])/(?:" + "|".join(["home", "root", "work", "Users"]) + r")\b")
OUTSIDE = re.compile(r"\.\./" + "shared")
LEFTOVER = re.compile(r"\b(?:" + "|".join(["TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK", "TB" "D"]) + r")\b")
SKIPPED = re.compile("|".join([
    "GTEST_" "SKIP", r"\bDISA" r"BLED_\w", r"unittest\." "skip", r"\bskip" "Test", r"pytest\.mark\." "(?:skip|xfail)",
    r"\bPROPERTIES\b[^)]*\bDISA" r"BLED\b"]))


def closure(module):
    reached = {module}
    for target in ARROWS[module]:
        reached |= closure(target)
    return reached


def files(root):
    """Tracked files and those that could be; in an exported tree, all but what is generated."""
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True, text=True).stdout.split("\0")
        return sorted({name for name in listed if name and (root / name).is_file()})
    found = []
    for folder, names, entries in os.walk(root):
        inside = pathlib.Path(folder).relative_to(root)
        names[:] = [n for n in names if n != "__pycache__" and (inside / n).as_posix() != "build"]
        found += [(inside / entry).as_posix() for entry in entries]
    return sorted(found)


def is_test(name):
    return (name.startswith(("tacet/testing/", "tests/"))
            or name.endswith(("_test.cc", "_bench.cc", "_fuzz.cc", "_testing.h")))


def check_includes(name, lines):
    parts = name.split("/")
    module = parts[1] if parts[0] == "tacet" and len(parts) > 2 else None
    if module is not None and module not in ARROWS:
        yield 1, f"module {module} is not in the table of arrows"
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        bracket, path = match.groups()
        if not path.startswith("tacet/"):
            if bracket == '"' and module is not None:
                yield number, f'include "{path}" as tacet/MODULE/file.h, or third parties in <>'
            continue
        target = path.split("/")[1]
        if path.endswith("_testing.h") and not is_test(name):
            yield number, "only tests may include what is made for them"
        if target == "testing":
            if not is_test(name):
                yield number, "only tests may include tacet/testing"
        elif target not in ARROWS:
            yield number, f"module {target} is not in the table of arrows"
        elif module is not None and target not in closure(module):
            yield number, f"{module} may not include {target}"


def check_file(name, text):
    lines = text.splitlines()
    base = name.rsplit("/", 1)[-1]
    is_script = text.startswith("#!")
    is_source = name.endswith(SOURCE_SUFFIXES)
    is_build = (is_script or base in BUILD_NAMES or name.endswith((".cmake", ".py", ".sh"))
                or name.startswith((".ci/", "scripts/")))

    if (is_source or is_build) and not base.endswith(".json"):
        if sum(bool(SPDX.match(line)) for line in lines) != 1:
            yield 1, "needs exactly one SPDX line"
    if name.endswith((".h", ".h.in")) and "#pragma once" not in lines:
        yield 1, "a header needs #pragma once"
    if len(lines) > LINES_MAX and base != "LICENSE" and not name.endswith(DATA_SUFFIXES):
        yield LINES_MAX + 1, f"longer than {LINES_MAX} lines"
    if name.endswith((".h", ".cc", ".h.in")):
        yield from check_includes(name, lines)

    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield number, "an absolute path of some machine"
        if REGISTRIES.search(line):
            yield number, "a package registry's host name"
        if is_build and ADDRESS.search(line):
            yield number, "an address in a build file; fetch by package name"
        if OUTSIDE.search(line):
            yield number, "a path outside the repository"
        if LEFTOVER.search(line):
            yield number, "a leftover marker"
        if SKIPPED.search(line):
            yield number, "a skipped test"


def breaches(root):
    for name in files(root):
        data = (root / name).read_bytes()
        if b"\0" in data:
            continue
        for number, rule in check_file(name, data.decode("utf-8", errors="replace")):
            yield f"{name}:{number}: {rule}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = list(breaches(root.resolve()))
    print("\n".join(found + [f"breaches of the house rules: {len(found)}"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
