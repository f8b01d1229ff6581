#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the kernel into a folder of its own, then configures, builds and runs tests/outside with it.

usage: outside_project.py --build DIR --cmake CMAKE --compiler CXX
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

OUTSIDE = pathlib.Path(__file__).resolve().parent / "outside"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--compiler", required=True)
    options = parser.parse_args()

    # No DuckDB in sight: the cache that bootstrap fills is looked for under these.
    hidden = ("DUCKDB_ROOT", "LD_LIBRARY_PATH", "XDG_CACHE_HOME", "HOME")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}

    def run(*command):
        print("$", *command, flush=True)
        return subprocess.run([str(part) for part in command], check=True, env=environment, text=True,
                              stdout=subprocess.PIPE).stdout

    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder, "prefix")
        built = pathlib.Path(folder, "build")
        run(options.cmake, "--install", options.build, "--component", "kernel", "--prefix", prefix)
        installed = [path.relative_to(prefix).as_posix() for path in prefix.rglob("*")]
        unwanted = [name for name in installed if re.search(r"duckdb|testing|_test|/cli", name)]
        if unwanted:
            sys.exit(f"installed with the kernel but no part of it: {unwanted}")
        run(options.cmake, "-G", "Ninja", "-S", OUTSIDE, "-B", built, f"-DCMAKE_CXX_COMPILER={options.compiler}",
            f"-DCMAKE_PREFIX_PATH={prefix}")
        run(options.cmake, "--build", built)
        if "duckdb" in run("ldd", built / "outside").lower():
            sys.exit("the outside program wants DuckDB")
        printed = run(built / "outside")
        print(printed, end="")
        if not re.fullmatch(r"tacet \d+\.\d+\.\d+: -?\d+\n", printed):
            sys.exit("that is not a version and a noisy count")


if __name__ == "__main__":
    main()
