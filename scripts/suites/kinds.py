# SPDX-License-Identifier: Apache-2.0
"""The suites: which modules (files of tests) each has, and by what command and in what environment one of them is run.

A suite reads what it is (`needs`) from scripts/fetch-clients, and from REPOSITORIES where its tests are in no package.
"""
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLIENTS = pathlib.Path(os.environ.get("NVMLAB_CLIENTS_DIR") or ROOT / "build/clients").resolve()
REPOSITORIES = pathlib.Path(os.environ.get("NVMLAB_SUITES_DIR") or ROOT / "build/suites").resolve()
TABLES = ROOT / "tests/clients/suites"


def rows_of(name, table):
    path = TABLES / f"{name}_{table}.tsv"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


class Suite:
    """What is common: tests are named as the suite names them, less `prefix`."""
    prefix = ""
    machine = ("--profile", "dgx-h100", "--gpus", "2", "--driver", "580")
    needs = ()  # clients of scripts/fetch-clients
    note = ""   # for the page: which tests these are

    @classmethod
    def lacks(cls):
        """What has to be fetched before it can run, as a sentence, or nothing."""
        lacking = [client for client in cls.needs if not (CLIENTS / client / "version").exists()]
        return f"scripts/fetch-clients {' '.join(lacking)}" if lacking else ""

    @property
    def version(self):
        return (CLIENTS / self.name / "version").read_text().strip()

    def left_out(self):
        return [self.prefix + test for test, _ in rows_of(self.name, "left_out")]

    def environment(self, folder):
        return {}


class NumbaCuda(Suite):
    """The tests that the wheel of numba-cuda brings; the simulator's and the benchmarks use no GPU or measure one."""
    name = "numba-cuda"
    prefix = "numba.cuda.tests."
    needs = ("numba-cuda",)
    note = "All tests of its wheel but those of its simulator and its benchmarks."

    def modules(self):
        packages = next((CLIENTS / self.name / "lib").glob("python3*/site-packages"))
        tests = packages / "numba_cuda/numba/cuda/tests"
        for file in sorted(tests.glob("*/**/test_*.py")):
            parts = file.relative_to(tests).with_suffix("").parts
            if parts[0] not in ("cudasim", "benchmarks"):
                yield self.prefix + ".".join(parts)

    def command(self, module, results):
        return [CLIENTS / self.name / "bin/python3", TABLES / "run_unittest.py", module, results, *self.left_out()]


class Pytest(Suite):
    """Files of tests for pytest under `tests`, an attribute of the suite."""
    machine = (*Suite.machine, "--cudart", "12")  # which PyTorch has to find, where tests use it
    python = "pytest"  # the client whose Python runs them
    chosen = "*"       # which tests; a * stands for any text
    every = 1          # of the parameters of a function
    options = ()       # pytest's

    def command(self, module, results):
        return [CLIENTS / self.python / "bin/python3", TABLES / "run_pytest.py", self.tests, module, results, self.chosen, str(self.every),
                *self.left_out(), "--", *self.options]


class Repository(Pytest):
    """Tests that are in no package: REPOSITORIES/NAME is a clone of the client's repository."""
    commit = ""  # which; a name that git knows there

    def __init__(self):
        self.tests = REPOSITORIES / self.name

    @classmethod
    def lacks(cls):
        if not (REPOSITORIES / cls.name).is_dir():
            return f"a clone of its repository in {REPOSITORIES / cls.name}, at {cls.commit} (NVMLAB_SUITES_DIR)"
        return super().lacks()

    @property
    def version(self):
        described = subprocess.run(["git", "-C", self.tests, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
        return f"{super().version}, tests of {described.stdout.strip() or 'no commit'}"


class Tinygrad(Repository):
    """What its own CI runs on PTX: all of test/backend but the one file that it leaves out there, and the short test_tiny."""
    name = "tinygrad"
    commit = "a9069c177a"
    needs = ("tinygrad", "torch", "pytest")
    prefix = "test/"
    options = ("--import-mode=append",)  # the package that was fetched, not the repository's
    note = "What its own CI runs on PTX: `test/backend` but `test_multitensor.py`, and `test/test_tiny.py`; `DEV=CUDA:PTX`."

    def modules(self):
        for file in sorted([*self.tests.glob("test/backend/test_*.py"), self.tests / "test/test_tiny.py"]):
            if file.name != "test_multitensor.py":
                yield str(file.relative_to(self.tests))

    def environment(self, folder):
        compilers = ("clang", *(f"clang-{n}" for n in range(30, 13, -1)))  # for what tests compute on the CPU
        clang = next((name for name in compilers if shutil.which(name)), "clang")
        return {"PYTHONPATH": f"{CLIENTS / self.name}:{CLIENTS / 'torch'}:{self.tests}", "DEV": "CUDA:PTX", "CC": clang, "TEST_TIMEOUT": "600"}


class Taichi(Repository):
    """The files of tests/python with the arch that is CUDA; tests for other archs and for none are not chosen. Those that
    come first are spread over the names, so that a run that is ended early (--for) has some of all."""
    name = "taichi"
    commit = "v1.7.4"
    needs = ("taichi", "torch", "pytest")
    prefix = "tests/python/"
    chosen = "*arch=cuda*"
    note = "What is for `arch=cuda` in the files of `tests/python`, of which every 8th by name comes first, and then the others."

    def modules(self):
        files = sorted(self.tests.glob("tests/python/test_*.py"))
        for file in (*files[::8], *files[4::8], *files[2::4], *files[1::2]):
            yield str(file.relative_to(self.tests))

    def environment(self, folder):
        return {"PYTHONPATH": f"{CLIENTS / self.name}:{CLIENTS / 'torch'}:{self.tests}", "TI_WANTED_ARCHS": "cuda", "TI_OFFLINE_CACHE": "0"}


class Triton(Repository):
    """Its tests of the language and of the runtime, of which there are some twenty thousand: of each function the first of its
    parameters, and every so many after it. On an A100: code for later GPUs is not executed."""
    name = "triton"
    commit = "192cdbe70c"
    needs = ("triton", "torch", "pytest")
    prefix = "python/test/unit/"
    every = 24
    options = ("--import-mode=append",)
    machine = ("--profile", "a2-highgpu-1g", "--driver", "580", "--cudart", "12")
    note = f"Of each function in the files of `python/test/unit/language` and `runtime` that ask for a device, the first of its parameters and every {every}th after it; on an A100."

    def modules(self):
        for folder in ("language", "runtime"):
            for file in sorted(self.tests.glob(f"python/test/unit/{folder}/test_*.py")):
                if re.search(r"def test_\w+\([^)]*\bdevice\b", file.read_text()):
                    yield str(file.relative_to(self.tests))

    def environment(self, folder):
        as_it_is = str(TABLES.parent / "ptx_as_it_is.sh")
        return {"PYTHONPATH": f"{CLIENTS / self.name}:{CLIENTS / 'torch'}", "TRITON_CACHE_DIR": str(folder / "cache"),
                "TRITON_PTXAS_PATH": as_it_is, "TRITON_PTXAS_BLACKWELL_PATH": as_it_is}


class Pycuda(Pytest):
    """The tests of its sdist. Its SourceModule asks nvcc for a cubin; bin/nvcc stands before that and asks for PTX."""
    name = "pycuda"
    machine = Suite.machine
    python = "pycuda"
    needs = ("pycuda",)
    prefix = "test/"
    note = "All tests of its sdist, built without cuRAND; `tests/clients/suites/bin/nvcc` asks NVIDIA's nvcc for PTX where pycuda asks for a cubin."

    def __init__(self):
        self.tests = CLIENTS / self.name / "source"

    def modules(self):
        for file in sorted(self.tests.glob("test/test_*.py")):
            yield str(file.relative_to(self.tests))

    def environment(self, folder):
        nvcc = next((CLIENTS / self.name / "lib").glob("python3*/site-packages/nvidia/cu*/bin/nvcc"))
        device_runtime = nvcc.parent.parent / "lib"  # libcudadevrt.a, which pycuda seeks where libraries are
        return {"PATH": f"{TABLES / 'bin'}:{os.environ['PATH']}", "NVCC_OF_NVIDIA": str(nvcc), "LD_LIBRARY_PATH": str(device_runtime)}


ALL = (NumbaCuda, Tinygrad, Pycuda, Taichi, Triton)
