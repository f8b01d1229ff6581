#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows pictures and pages of the program to Chromium, light and dark.

usage: pages.py [--keep FOLDER] PROGRAM

Each has to be shown without a word on the console, on paper of the scheme that was asked for. FOLDER keeps the
screenshots, to be looked at. Fails if Chromium is not there.
"""
import argparse
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
BROWSER = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
           "--window-size=1000,1400", "--enable-logging=stderr", "--v=0"]
MEANS = ("SELECT coinsurance_percent, count(*) AS people, avg(family_income) AS income, median(age) AS age "
         "FROM participants GROUP BY coinsurance_percent")
DRAWN = {
    "curve.html": ["curve", MEANS, "--html", "curve.html"],
    "shares.html": ["curve", MEANS, "--shares", "0.55,0.2,0.06,0.14,0.05", "--html", "shares.html"],
    "curve.svg": ["curve", MEANS, "--svg", "curve.svg"],
    "account.svg": ["account", "100 * pure(1/10)", "--delta", "1e-9", "--svg", "account.svg"],
    "loss.svg": ["loss", "laplace(1)", "--svg", "loss.svg"],
}
LIGHT, DARK = (255, 255, 255), (21, 24, 29)


def corner(png):
    """The first pixel, which no filter of PNG changes."""
    data, place = b"", 8
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place:place + 8])
        if kind == b"IDAT":
            data += png[place + 8:place + 8 + length]
        place += length + 12
    return tuple(zlib.decompress(data)[1:4])


def show(page, scheme, shot):
    """What Chromium writes on the console of a page, and the page's first pixel."""
    with tempfile.TemporaryDirectory() as profile:
        ended = subprocess.run(
            [*BROWSER, f"--user-data-dir={profile}", f"--screenshot={shot}",
             f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}", page.as_uri()],
            capture_output=True, text=True, timeout=120)
    said = [line for line in ended.stderr.splitlines() if "CONSOLE" in line]
    return said, corner(shot.read_bytes()) if shot.exists() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    if shutil.which("chromium") is None:
        print("pages.py: there is no chromium", file=sys.stderr)
        return 1
    wrong, shown = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(ROOT / "demo", folder, dirs_exist_ok=True)
        shots = options.keep.resolve() if options.keep else folder / "shots"
        shots.mkdir(parents=True, exist_ok=True)
        loud = folder / "loud.html"
        loud.write_text("<!DOCTYPE html><title>loud</title><script>console.error('heard')</script>")
        if not any("heard" in line for line in show(loud, "light", shots / "loud.png")[0]):
            wrong.append("what a page writes on its console is not heard")
        for file, words in DRAWN.items():
            environment = {**os.environ, "TACET_STATE_DIR": str(folder / "state")}
            subprocess.run([options.program.resolve(), *words], cwd=folder, env=environment, check=True,
                           stdout=subprocess.DEVNULL)
            for scheme, paper in (("light", LIGHT), ("dark", DARK)):
                said, pixel = show(folder / file, scheme, shots / f"{file}.{scheme}.png")
                shown += 1
                if said or pixel != paper:
                    wrong.append(f"{file}, {scheme}: paper {pixel}, console {said}")
    print("\n".join([*wrong, f"{shown} pages shown, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
