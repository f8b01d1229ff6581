#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants a breach of each house rule in a tree of its own, and wants it reported."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
SPDX_SCRIPT = SPDX.replace("//", "#")
HEADER = SPDX + "#pragma once\n"

# name of the file, its text, the rule that must be reported. Some are spelled in two halves, so that
# this file keeps the rules.
PLANTED = [
    ("tacet/base/a.cc", SPDX + '#include "tacet/sampler/b.h"\n', "base may not include sampler"),
    ("tacet/base/a.cc", SPDX + "#include <tacet/sampler/b.h>\n", "base may not include sampler"),
    ("tacet/sampler/a.h", HEADER + '#include "tacet/measure/b.h"\n', "sampler may not include measure"),
    ("tacet/ledger/a_test.cc", SPDX + '#include "tacet/sql/b.h"\n', "ledger may not include sql"),
    ("tacet/base/a.cc", SPDX + '#include "tacet/nowhere/b.h"\n', "nowhere is not in the table"),
    ("tacet/nowhere/a.cc", SPDX, "nowhere is not in the table"),
    ("tacet/base/a.cc", SPDX + '#include "b.h"\n', "as tacet/MODULE/file.h"),
    ("tacet/base/a.cc", SPDX + '#include "tacet/testing/b.h"\n', "only tests may include"),
    ("examples/a.cc", SPDX + '#include "tacet/testing/b.h"\n', "only tests may include"),
    ("tacet/base/a.cc", SPDX + '#include "tacet/base/b_testing.h"\n', "only tests may include"),
    ("tacet/base/a.cc", "int a;\n", "SPDX"),
    ("tacet/base/a.cc", SPDX + SPDX, "SPDX"),
    ("cmake/a.cmake", "set(a 1)\n", "SPDX"),
    ("Makefile", "all:\n", "SPDX"),
    ("tests/a.py", "a = 1\n", "SPDX"),
    ("scripts/a", "#!/bin/sh\n", "SPDX"),
    ("bench/a", "#!/bin/sh\n", "SPDX"),
    ("tacet/base/a.h", SPDX, "#pragma once"),
    ("tacet/base/version.h.in", SPDX, "#pragma once"),
    ("README.md", "see /ho" "me/me/a\n", "absolute path"),
    ("tacet/base/a.cc", SPDX + 'open("/ro' 'ot/a");\n', "absolute path"),
    ("docs/a.md", "cd /wo" "rk\n", "absolute path"),
    ("docs/a.md", "from registry.npm" "js.org\n", "registry"),
    ("docs/a.md", "from pypi" ".org\n", "registry"),
    ("scripts/a", "#!/bin/sh\n" + SPDX_SCRIPT + "curl http" "s://example.com\n", "address in a build file"),
    ("CMakeLists.txt", SPDX_SCRIPT + "# http" "://example.com\n", "address in a build file"),
    ("CMakePresets.json", '{"vendor": "http' 's://example.com"}\n', "address in a build file"),
    ("docs/a.md", "see ../sha" "red/a.md\n", "outside the repository"),
    ("tacet/base/a.cc", SPDX + "\n" * 600, "longer than 600"),
    ("docs/a.md", "TO" "DO: write\n", "leftover"),
    ("tacet/base/a.cc", SPDX + "// FIX" "ME\n", "leftover"),
    ("tacet/base/a_test.cc", SPDX + "GTEST_" "SKIP();\n", "skipped"),
    ("tacet/base/a_test.cc", SPDX + "TEST(A, DISA" "BLED_B) {}\n", "skipped"),
    ("tests/CMakeLists.txt", SPDX_SCRIPT + "set_tests_properties(a PROPERTIES DISA" "BLED ON)\n", "skipped"),
    ("tests/a.py", SPDX_SCRIPT + "@unittest" ".skip\n", "skipped"),
]

CLEAN = {
    "tacet/base/a.h": HEADER,
    "tacet/cli/a.cc": SPDX + '#include <vector>\n\n#include "tacet/base/a.h"\n',
    "tacet/base/a_test.cc": SPDX + '#include "tacet/testing/b.h"\n',
    "tacet/base/a_testing.h": HEADER + '#include "tacet/testing/b.h"\n',
    "docs/a.md": "An address in prose, http" "s://example.com, and a path, /usr/local.\n",
    "build/a.cc": "generated\n",
}


def tidy(tree):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run([sys.executable, HERE / "tidy.py", folder], capture_output=True, text=True)
        return run.returncode, run.stdout


class Tidy(unittest.TestCase):
    def test_a_clean_tree_passes(self):
        self.assertEqual((0, "breaches of the house rules: 0\n"), tidy(CLEAN))

    def test_every_rule_can_fail(self):
        for name, text, rule in PLANTED:
            with self.subTest(name=name, rule=rule):
                status, output = tidy({**CLEAN, name: text})
                self.assertEqual(1, status)
                reported = [line for line in output.splitlines() if line.startswith(name + ":")]
                self.assertTrue(any(rule in line for line in reported), output)
                self.assertIn("rules: 1\n", output)


if __name__ == "__main__":
    unittest.main()
