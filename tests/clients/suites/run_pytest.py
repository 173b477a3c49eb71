# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of one file with pytest, and writes what became of each as it happens, so that a crash or a hang names
its test.

run_pytest.py FOLDER FILE RESULTS CHOSEN EVERY [LEFT_OUT...] -- [OPTION...]: FILE is relative to FOLDER; appends lines of
JSON to RESULTS. Tests that match CHOSEN are run (a * stands for any text), of each function the first and every EVERYth
after it, but not those that are named in RESULTS already or match a LEFT_OUT. OPTIONs are pytest's.
"""
import collections
import fnmatch
import json
import pathlib
import sys

import pytest

WORST_FIRST = ("failed", "skipped", "passed")


class Told:
    def __init__(self, path, chosen, every, left_out):
        self._done = {json.loads(line)["test"] for line in path.read_text().splitlines()} if path.exists() else set()
        self._chosen, self._every, self._left_out = chosen, every, left_out
        self._out = open(path, "a")
        self._states = []

    def tell(self, test, state, why=""):
        print(json.dumps({"test": test, "state": state, "why": why[:2000]}), file=self._out, flush=True)

    def pytest_collection_modifyitems(self, items):
        seen, chosen = collections.Counter(), []
        for item in items:
            function = item.nodeid.partition("[")[0]
            if matches(item.nodeid, self._chosen):
                if seen[function] % self._every == 0:
                    chosen.append(item)
                seen[function] += 1
        items[:] = [item for item in chosen if item.nodeid not in self._done and
                    not any(matches(item.nodeid, pattern) for pattern in self._left_out)]

    def pytest_collectreport(self, report):
        if report.outcome != "passed" and report.nodeid not in self._done:
            self.tell(report.nodeid, report.outcome, why_of(report))

    def pytest_runtest_logstart(self, nodeid):
        self._states = []
        self.tell(nodeid, "begun")

    # Set-up, the call and its subtests, tearing down: the worst of them counts, and of these the first.
    def pytest_runtest_logreport(self, report):
        expected = hasattr(report, "wasxfail")  # a failure that the suite expects is what it should be
        state = "passed" if expected and report.outcome == "skipped" else report.outcome
        self._states.append((state, "" if state == "passed" else why_of(report)))

    def pytest_runtest_logfinish(self, nodeid):
        self.tell(nodeid, *min(self._states, key=lambda each: WORST_FIRST.index(each[0])))


def matches(test, pattern):
    return fnmatch.fnmatchcase(test, pattern.replace("[", "[[]"))


def why_of(report):
    if isinstance(report.longrepr, tuple):  # a skip: file, line, reason
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash:
        return crash.message
    errors = [line[1:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E ")]
    return " ".join(errors) or str(report.longrepr)


def main():
    folder, file, results, chosen, every, *left_out = sys.argv[1:sys.argv.index("--")]
    options = sys.argv[sys.argv.index("--") + 1:]
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", folder, *options, str(pathlib.Path(folder) / file)],
                       plugins=[Told(pathlib.Path(results), chosen, int(every), left_out)])
    # Tests that fail, files that cannot be read and such without tests are results, and told; what else ends pytest is not.
    told = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.INTERRUPTED)
    sys.exit(0 if code in told else int(code))


if __name__ == "__main__":  # tests start processes that import this file again
    main()
