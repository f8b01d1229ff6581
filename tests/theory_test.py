#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The check of documents must itself be able to fail: it is given small ones and a stand-in for the program."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = '#!/bin/sh\n[ "$1" = fail ] && { echo "error: no"; exit 1; }\necho "ran $*"\n'
SOUND = """# One page
See [itself](page.md#one-page).
```csv a.csv
1,2
```
```console
$ tacet one
ran one
$ cat a.csv
1,2
```
```console fails
$ tacet fail
error: no
```
```console random
$ tacet drawn
ran something else
```
```cmake tests/outside/CMakeLists.txt
add_executable(outside main.cc)
```
"""
PLANTED = [
    ("ran one\n", "ran two\n", "--- printed\nran one"),
    ("$ tacet one\nran one", "$ tacet fail\nerror: no", "--- it fails"),
    ("$ tacet fail\nerror: no", "$ tacet one\nran one", "--- it succeeds"),
    ("$ tacet drawn", "$ tacet fail", "--- it fails"),
    ("outside main.cc", "outside other.cc", "not what stands in"),
    ("page.md#one-page", "page.md#two-pages", "leads nowhere"),
    ("page.md#one-page", "none.md", "leads nowhere"),
    ("See", "3 statements, see", "statements, not 3"),
]


def theory(document, *options):
    with tempfile.TemporaryDirectory() as folder:
        program, page = pathlib.Path(folder, "program"), pathlib.Path(folder, "page.md")
        program.write_text(PROGRAM)
        program.chmod(0o755)
        page.write_text(document)
        run = subprocess.run([sys.executable, HERE / "theory.py", *options, program, page], capture_output=True, text=True)
        return run.returncode, run.stdout, page.read_text()


class Theory(unittest.TestCase):
    def test_a_true_page_passes_and_stays_as_it_is(self):
        self.assertEqual((0, "6 passed, 0 failed\n", SOUND), theory(SOUND))
        self.assertEqual(SOUND, theory(SOUND, "--update")[2])

    def test_every_rule_can_fail(self):
        for sound, planted, complaint in PLANTED:
            with self.subTest(planted=planted):
                status, output, _ = theory(SOUND.replace(sound, planted))
                self.assertEqual(1, status)
                self.assertIn(complaint, output)
                self.assertIn(" passed, 1 failed", output)

    def test_an_update_makes_it_true(self):
        self.assertEqual(SOUND, theory(SOUND.replace("ran one", "ran two"), "--update")[2])
        self.assertEqual(1, theory(SOUND.replace("$ tacet one", "$ tacet fail"), "--update")[0])
        self.assertIn("$ tacet drawn\nran drawn\n", theory(SOUND, "--update", "--samples")[2])


if __name__ == "__main__":
    unittest.main()
