# SPDX-License-Identifier: Apache-2.0
"""Calls every function that the installed nvidia-ml-py has, with arguments that a user could pass.

    PYTHONPATH=build/clients/pynvml-12 python3 pynvml_sweep.py model/facts/nvml.json

Prints one line for each function and each result that it gave, "function TAB result TAB example TAB detail": the result
is "ok", the name of an NVMLError, the name of another exception, "signal N" or "hangs". Names, parameters and
enumerators come from the module by introspection and from the facts of NVIDIA's headers. Each function runs in a child
of its own, so that what one sets or breaks is not seen by the next.
Test: pynvml_sweep_test.cpp, which says what is to be expected.
"""
import ctypes
import inspect
import itertools
import json
import os
import re
import signal
import sys

import pynvml as nvml

SECONDS = 300
MOST_CALLS = 200  # of one function
NOT_CALLED = {"nvmlExceptionClass", "nvmlStructToFriendlyObject", "nvmlFriendlyObjectToStruct"}  # helpers, not NVML


def newest(versions):
    return versions[-1]


class Facts:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        self.functions = {name: newest(all_)["parameters"] for name, all_ in facts["functions"].items()}
        self.typedefs = {name: newest(all_).get("target", "") for name, all_ in facts["typedefs"].items()}
        self.enums = {}
        for name, all_ in facts["enumerators"].items():
            if not name.endswith(("_COUNT", "_MAX")):
                self.enums.setdefault(newest(all_)["enum"], []).append(newest(all_)["value"])

    def base(self, type_):
        name = type_.replace("const ", "").rstrip("*")
        while name in self.typedefs:
            name = self.typedefs[name].rstrip("*")
        return name

    def parameter(self, function, position, name):
        """The C parameter behind one of the module's: the same name, else the same place."""
        parameters = self.functions.get(function, [])
        for each in parameters:
            if each["name"] == name:
                return each["type"]
        return parameters[position]["type"] if position < len(parameters) else ""


class World:
    """One GPU and everything that can be asked about it, as arguments by name."""

    def __init__(self):
        self.device = nvml.nvmlDeviceGetHandleByIndex(0)
        other = nvml.nvmlDeviceGetHandleByIndex(min(1, nvml.nvmlDeviceGetCount() - 1))
        pci = nvml.nvmlDeviceGetPciInfo(self.device)
        nowhere = ctypes.c_void_p(0x1234)  # a handle of an object that this node has none of
        self.by_name = {
            "handle": [self.device], "device": [self.device], "device1": [self.device], "device2": [other],
            "handle1": [self.device], "handle2": [other], "migDevice": [self.device], "unit": [nowhere],
            "gpuInstance": [nowhere], "computeInstance": [nowhere], "pciInfo": [pci], "pciBusId": [pci.busId],
            "serial": self.maybe(nvml.nvmlDeviceGetSerial), "uuid": self.maybe(nvml.nvmlDeviceGetUUID),
            "result": [0, 3, 999], "flags": [0], "pid": [os.getpid()], "memoryClockMHz": self.maybe(self.memory_clock),
            "maxMemClockMHz": self.maybe(self.memory_clock), "maxGraphicsClockMHz": self.maybe(self.graphics_clock),
            "minGpuClockMHz": self.maybe(self.graphics_clock), "maxGpuClockMHz": self.maybe(self.graphics_clock),
            "minMemClockMHz": self.maybe(self.memory_clock), "nodeSetSize": [4], "cpuSetSize": [4],
            "limit": self.maybe(nvml.nvmlDeviceGetPowerManagementLimit), "timeoutms": [1], "timeoutMs": [1],
            "eventTypes": [0], "fieldIds": [[1, 82, 160]], "eventSet": self.maybe(lambda _: nvml.nvmlEventSetCreate()),
            "timeStamp": [0], "speed": [50], "infoRomObject": [0, 1, 2],
            "gpmSample": self.maybe(lambda _: nvml.nvmlGpmSampleAlloc()) or [nowhere],
            "setHandle": self.system_event_set(), "eventData": [None], "c_nonce": [bytes(32)],
            "hostname": [b"gpu-0"],
            "countRef": [ctypes.byref(ctypes.c_uint(0))], "placementsRef": [None], "gpuInstancesRef": [None],
            "computeInstancesRef": [None], "color": [0, 1],
        }

    def maybe(self, getter):
        try:
            return [getter(self.device)]
        except nvml.NVMLError:
            return []

    @staticmethod
    def system_event_set():
        try:
            return [nvml.nvmlSystemEventSetCreate(nvml.nvmlSystemEventSetCreateRequest_v1)]
        except (AttributeError, nvml.NVMLError):
            kind = getattr(nvml, "c_nvmlSystemEventSet_t", None)
            return [kind()] if kind else []

    def memory_clock(self, device):
        return nvml.nvmlDeviceGetSupportedMemoryClocks(device)[0]

    def graphics_clock(self, device):
        return nvml.nvmlDeviceGetSupportedGraphicsClocks(device, self.memory_clock(device))[0]


def structs_of(stem):
    """Classes of the module for a C struct: that very one, else one that says its version, the newest first."""
    plain = re.sub(r"(_v\d+)?_t$", "", stem)
    found = []
    for name, value in vars(nvml).items():
        match = re.fullmatch(r"(?:c_)?" + re.escape(plain) + r"(?:_v(\d+)|V)?_t", name)
        if match and inspect.isclass(value) and issubclass(value, ctypes.Structure):
            versioned = any(field[0] == "version" for field in value._fields_)
            found.append(((name in (stem, "c_" + stem), versioned, int(match.group(1) or 1)), value))
    return [value for _, value in sorted(found, key=lambda each: each[0], reverse=True)]


def make_struct(stem):
    for cls in structs_of(stem):
        try:
            struct = cls()
        except TypeError:  # a list that wants to know how long
            struct = cls(1)
        version = re.search(r"_v(\d+)_t$", cls.__name__)
        if any(field[0] == "version" for field in cls._fields_) and struct.version == 0:
            number = int(version.group(1) if version else 1)
            # Structs of GPM count their versions without the size.
            struct.version = number if "Gpm" in stem else ctypes.sizeof(cls) | number << 24
        return struct
    return None


def version_word(source):
    """The word that a wrapper wants: `if version != nvmlSomething_v1`, or that of the struct that it makes."""
    match = re.search(r"version\s*!=\s*(\w+)", source)
    if match:
        return [getattr(nvml, match.group(1))]
    match = re.search(r"\b((?:c_)?nvml\w+?(?:_v(\d+))?_t)\(\)", source)
    if match and any(field[0] == "version" for field in getattr(nvml, match.group(1))._fields_):
        return [ctypes.sizeof(getattr(nvml, match.group(1))) | int(match.group(2) or 1) << 24]
    return [1, 2]


def pointed_at(facts, function, base, name, used_as_struct):
    """The object behind a pointer."""
    struct = make_struct(base)
    if struct is None and used_as_struct:  # under another name, in another place
        bases = [facts.base(each["type"]) for each in facts.functions.get(function, []) if "*" in each["type"]]
        struct = next(filter(None, map(make_struct, bases)), None)
    if struct is not None:
        return struct
    return ctypes.create_string_buffer(96) if base == "char" or name == "version" else ctypes.c_ulonglong(0)


def choices(facts, world, function, source, position, name):
    c_function = re.search(r'_nvmlGetFunctionPointer\("(\w+)"\)', source)
    function = c_function.group(1) if c_function else function
    type_ = facts.parameter(function, position, name)
    base = facts.base(type_)
    if name in world.by_name and world.by_name[name]:
        return world.by_name[name]
    used_as_struct = re.search(r"\b" + name + r"\.(?!contents)", source)
    address_taken = re.search(r"byref\(\s*" + name + r"\b", source)
    handed_on = re.search(r"\bfn\([^)]*\b" + name + r"\b", source)
    if name == "version" and not ("*" in type_ and handed_on):
        return version_word(source)
    # What a wrapper puts into a struct of its own is a number, whatever the C function takes.
    if used_as_struct or address_taken or ("*" in type_ and handed_on):
        behind = pointed_at(facts, function, base, name, used_as_struct)
        return [behind if used_as_struct or address_taken else ctypes.byref(behind)]
    if base in facts.enums:
        return sorted(set(facts.enums[base]))
    return [0]


def calls_of(facts, world, function):
    source = inspect.getsource(function)
    lists = []
    for position, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.default is inspect.Parameter.empty:
            lists.append(choices(facts, world, function.__name__, source, position, parameter.name))
    return itertools.islice(itertools.product(*lists), MOST_CALLS)


def shown(arguments):
    return ", ".join(str(each) if isinstance(each, (int, str, bytes, list)) else type(each).__name__
                     for each in arguments)


def result_of(function, arguments):
    try:
        function(*arguments)
        return "ok", ""
    except nvml.NVMLError as error:
        name = type(error).__name__.replace("NVMLError_", "")
        return (name if name != "NVMLError" else "NVMLError %d" % error.value), str(error)
    except Exception as error:  # pylint: disable=broad-except
        return type(error).__name__, str(error)


def sweep(function, calls, out):
    results = {}
    for arguments in calls:
        os.pwrite(out.fileno(), shown(arguments).encode()[:400].ljust(400), 0)
        result, detail = result_of(function, arguments)
        results.setdefault(result, (shown(arguments), detail))
    out.seek(400)
    out.write(json.dumps(results).encode())
    out.flush()


def in_child(function, calls):
    """Results of one function by (result, example, detail)."""
    with os.fdopen(os.memfd_create("sweep"), "w+b") as out:
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            sweep(function, calls, out)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        last = out.read(400).decode(errors="replace").strip()
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            return [("hangs" if number == signal.SIGALRM else "signal %d" % number, last, "")]
        if os.WEXITSTATUS(status) != 0:
            return [("exit %d" % os.WEXITSTATUS(status), last, "")]
        return [(result, *rest) for result, rest in json.loads(out.read()).items()]


def main():
    facts = Facts(sys.argv[1])
    nvml.nvmlInit()
    world = World()
    for name, function in sorted(vars(nvml).items()):
        if name.startswith("nvml") and inspect.isfunction(function) and name not in NOT_CALLED:
            for row in in_child(function, calls_of(facts, world, function)):
                print("\t".join([name] + [cell.replace("\t", " ").replace("\n", " ") for cell in row]), flush=True)


if __name__ == "__main__":
    main()
