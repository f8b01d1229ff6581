#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner of planted faults must itself be able to fail: it is given stand-ins for test programs."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PASSES = 'print("[==========] 1 test from 1 test suite ran. (0 ms total)")'
FAILS = PASSES + '; print("[  FAILED  ] Suite.Test"); sys.exit(1)'
NO_TESTS = 'print("[==========] 0 tests from 0 test suites ran. (0 ms total)")'


def mutants(sound=PASSES, faulty=FAILS, manifest="bug one_test Suite.Test\n", compiled="bug", written="bug",
            testing="N5tacet7testing4SeedE"):
    program = (f"#!{sys.executable}\n# tacet-fault:{compiled} {testing}\nimport os, sys, time\n"
               f"if 'TACET_FAULT' in os.environ:\n    {faulty}\nelse:\n    {sound}\n")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "one_test").write_text(program)
        (root / "one_test").chmod(0o755)
        (root / "one.cc").write_text(f"if (TACET_FAULT({written})) return;\n")
        (root / "list.txt").write_text("# fault program filter\n" + manifest)
        ended = [subprocess.run(
            [sys.executable, HERE / "mutants.py", "--manifest", root / "list.txt", "--sources", root,
             "--timeout", "2", *mode, root], capture_output=True, text=True) for mode in ([], ["--full"])]
        assert ended[0].returncode == ended[1].returncode, ended
        return ended[0].returncode, ended[0].stdout + ended[0].stderr


class Mutants(unittest.TestCase):
    def refused(self, complaint, **stand_in):
        status, output = mutants(**stand_in)
        self.assertEqual(1, status, output)
        self.assertIn(complaint, output)

    def test_a_caught_fault_passes(self):
        status, output = mutants()
        self.assertEqual(0, status, output)
        self.assertIn("Suite.Test", output)

    def test_a_fault_that_no_test_notices(self):
        self.refused("NOT CAUGHT", faulty=PASSES)

    def test_a_crash_is_no_catch(self):
        self.refused("not with a failed test", faulty="os.abort()")

    def test_a_hang_is_no_catch(self):
        self.refused("no end after", faulty="time.sleep(60)")

    def test_a_test_that_fails_without_the_fault(self):
        self.refused("without a fault", sound=FAILS)

    def test_a_filter_that_matches_nothing(self):
        self.refused("ran no test", sound=NO_TESTS, faulty=NO_TESTS)

    def test_a_fault_that_is_not_listed(self):
        self.refused("other: not in mutants.txt", compiled="bug tacet-fault:other")

    def test_a_fault_that_is_written_but_not_listed(self):
        self.refused("other: not in mutants.txt", written="bug) || TACET_FAULT(other")

    def test_a_listed_fault_that_is_not_compiled(self):
        self.refused("in no test program", compiled="other")

    def test_a_program_without_the_marks_of_testing(self):
        self.refused("shipped.py proves nothing", testing="")

    def test_an_empty_list(self):
        self.refused("lists no fault", manifest="")

    def test_a_line_of_the_wrong_shape(self):
        self.refused("want fault, program and filter", manifest="bug one_test\n")


if __name__ == "__main__":
    unittest.main()
