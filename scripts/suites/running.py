# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of one module of a suite, and keeps what became of each."""
import collections
import json
import os
import subprocess
import time

SECONDS = 900     # without a test's end; with other work beside them
MOST_CRASHES = 5  # of one module; more of them tell nothing new
OURS = ("NVMLAB_", "NUMBA_", "CUDA_", "TI_", "TRITON_", "PYTHONPATH", "DEV")  # settings of the caller's that would change results

Result = collections.namedtuple("Result", "test state why")


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def finish(process, results):
    """The exit code, or None when no test has ended for SECONDS."""
    seen, since = -1, time.monotonic()
    while True:
        try:
            return process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            size = results.stat().st_size if results.exists() else 0
            if size != seen:
                seen, since = size, time.monotonic()
            elif time.monotonic() - since > SECONDS:
                process.kill()
                process.wait()
                return None


def of_module(build, suite, module, folder):
    """What became of the tests of a module. After a crash or a hang the rest goes on in a new process."""
    name = module.replace("/", ".").removesuffix(".py")
    results, ended, told = folder / f"{name}.jsonl", folder / f"{name}.ended", []
    if ended.exists():
        return [Result(*each) for each in json.loads(ended.read_text())]
    results.unlink(missing_ok=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    environment.update(PYTHONDONTWRITEBYTECODE="1", XDG_CACHE_HOME=str(folder / "cache"), **suite.environment(folder))
    for _ in range(MOST_CRASHES):
        command = [build / "bin/nvmlab", "run", *suite.machine, "--", *suite.command(module, results)]
        with open(folder / f"{name}.log", "a") as log:
            code = finish(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, cwd=folder), results)
        lines = read_lines(results)
        finished = {line["test"] for line in lines if line["state"] != "begun"} | {each.test for each in told}
        open_ones = [line["test"] for line in lines if line["test"] not in finished]
        if code == 0 and not open_ones:
            break
        state, why = ("hung", f"no end after {SECONDS} s") if code is None else ("crashed", f"exit code {code}")
        told.append(Result(open_ones[-1] if open_ones else module, state, why))
        if not open_ones:
            break
    told += [Result(line["test"], line["state"], line["why"]) for line in lines if line["state"] != "begun"]
    told = [each._replace(test=each.test.removeprefix(suite.prefix)) for each in told]
    ended.write_text(json.dumps(told))
    return told
