# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of one module, and writes what became of each as it happens, so that a crash or a hang names its test.

run_unittest.py MODULE RESULTS [LEFT_OUT...]: appends lines of JSON to RESULTS; tests that are named there already or in
LEFT_OUT are not run.
"""
import importlib
import inspect
import json
import pathlib
import sys
import unittest
import warnings


class Told(unittest.TestResult):
    def __init__(self, path):
        super().__init__()
        self._out = open(path, "a")
        self._of = None

    def tell(self, test, state, why=""):
        print(json.dumps({"test": test, "state": state, "why": why}), file=self._out, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self._of = None
        self.tell(test.id(), "begun")

    # A test may end more than once: the worst of its subtests and its end counts, which comes first.
    def _ended(self, test, state, why=""):
        if self._of is None:
            self._of = state
            self.tell(test.id(), state, why)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._ended(test, "passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._ended(test, "skipped", reason)

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self._ended(test, "passed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._ended(test, "failed", "unexpected success")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._ended(test, "failed", self._why(error))

    def addError(self, test, error):
        super().addError(test, error)
        skipped = error[0].__name__ == "Skipped"  # pytest's, which unittest does not know
        self._ended(test, "skipped" if skipped else "failed", str(error[1]) if skipped else self._why(error))

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._ended(test, "failed", self._why(error))

    @staticmethod
    def _why(error):
        return f"{error[0].__name__}: {error[1]}"[:2000]


class OfFunction(unittest.FunctionTestCase):
    """A test that is a function of its module, as pytest has them."""
    def id(self):
        return f"{self._testFunc.__module__}.{self._testFunc.__name__}"


def functions_of(module):
    for name, what in vars(module).items():
        if name.startswith("test_") and inspect.isfunction(what) and what.__module__ == module.__name__:
            yield OfFunction(what)


def each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


def main():
    # NVIDIA's linker is left out, so that PTX stays PTX; a test that counts warnings would count this one.
    warnings.filterwarnings("ignore", message="cuda.bindings.nvjitlink is not available")
    module, results, done = sys.argv[1], pathlib.Path(sys.argv[2]), set(sys.argv[3:])
    if results.exists():
        done |= {json.loads(line)["test"] for line in results.read_text().splitlines()}
    try:
        imported = importlib.import_module(module)
        loaded = [*each(unittest.defaultTestLoader.loadTestsFromModule(imported)), *functions_of(imported)]
    except BaseException as reason:  # pytest's Skipped is no Exception
        if not isinstance(reason, unittest.SkipTest) and type(reason).__name__ != "Skipped":
            raise
        with open(results, "a") as out:
            print(json.dumps({"test": module, "state": "skipped", "why": str(reason)}), file=out)
        return
    # Tests of a class stay together, so that what they set up once is set up once.
    chosen = unittest.TestSuite(test for test in loaded if test.id() not in done)
    chosen.run(Told(results))


if __name__ == "__main__":  # tests start processes that import this file again
    main()
