# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of one module of a suite, and keeps what became of each."""
import collections
import hashlib
import json
import os
import re
import subprocess
import time

SECONDS = 900     # without a test's end; with other work beside them
MOST_CRASHES = 5  # of one module; more of them tell nothing new
LIBRARIES = ("bin/nvmlab", "lib/libcuda.so.1", "lib/libnvidia-ml.so.1", "lib/libnvmlab-*.so", "lib/cudart/*/libcudart.so.*")  # what results depend on
OURS = ("NVMLAB_", "NUMBA_", "CUDA_", "TI_", "TRITON_", "PYTHONPATH", "DEV")  # settings of the caller's that would change results
LATE = re.compile(r"\bTimeout(Error|Expired|Exception)?\b|\b[Tt]ime(d)?[ -]?out\b")  # a limit of the test's own

Result = collections.namedtuple("Result", "test state why tries", defaults=[1])


def digest_of(build):
    """Two builds with the same digest give the same results."""
    digest = hashlib.sha256()
    for pattern in LIBRARIES:
        for path in sorted(build.glob(pattern)):
            digest.update(str(path.relative_to(build)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


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


def paths_of(module, folder):
    name = module.replace("/", ".").removesuffix(".py")
    return folder / f"{name}.jsonl", folder / f"{name}.ended", folder / f"{name}.log"


def of_module(build, suite, module, folder, until):
    """What became of the tests of a module; nothing if it would be begun too late."""
    results, ended, _ = paths_of(module, folder)
    if ended.exists():
        return [Result(*each) for each in json.loads(ended.read_text())]
    if time.monotonic() > until:
        return None
    results.unlink(missing_ok=True)
    return keep(suite, ended, run_rest(build, suite, module, folder, []))


def late(results):
    """Those that may have failed for want of time alone, and were run once."""
    return [each for each in results if each.tries == 1 and (each.state == "hung" or each.state == "failed" and LATE.search(each.why))]


def second_try(build, suite, module, folder, before):
    """Runs the late ones again, and what a hang of them kept from being run."""
    results, ended, _ = paths_of(module, folder)
    again = {suite.prefix + each.test for each in late(before)}
    results.write_text("".join(json.dumps(line) + "\n" for line in read_lines(results) if line["test"] not in again))
    told = [each._replace(test=suite.prefix + each.test) for each in before if each.state == "crashed" or each.state == "hung" and each.tries > 1]
    after = run_rest(build, suite, module, folder, told)
    tried = again | {suite.prefix + each.test for each in before if each.tries > 1}
    return keep(suite, ended, [each._replace(tries=2) if each.test in tried else each for each in after])


def wait_for_quiet(seconds):
    """Until there are processors for all that wants to run, but no longer than that."""
    until = time.monotonic() + seconds
    while os.getloadavg()[0] > (os.cpu_count() or 1) and time.monotonic() < until:
        time.sleep(5)


def keep(suite, ended, told):
    told = [each._replace(test=each.test.removeprefix(suite.prefix)) for each in told]
    ended.write_text(json.dumps(told))
    return told


def run_rest(build, suite, module, folder, told):
    """Runs the tests that the module's results do not name; `told` crashed or hung before. After a crash or a hang the rest goes
    on in a new process."""
    results, _, log_path = paths_of(module, folder)
    told = list(told)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    environment.update(PYTHONDONTWRITEBYTECODE="1", XDG_CACHE_HOME=str(folder / "cache"), **suite.environment(folder))
    for _ in range(MOST_CRASHES):
        command = [build / "bin/nvmlab", "run", *suite.machine, "--", *suite.command(module, results)]
        with open(log_path, "a") as log:
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
    return told + [Result(line["test"], line["state"], line["why"]) for line in lines if line["state"] != "begun"]
