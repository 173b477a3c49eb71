# SPDX-License-Identifier: Apache-2.0
"""What drivers from 418 to 615 tell of each GPU, with one program. A function that the installed driver lacks raises an
exception, after which what came before it is asked."""
import sys

import pynvml


def text(read):
    try:
        return read()
    except pynvml.NVMLError as error:
        return error


def memory(device):
    try:
        now = pynvml.nvmlDeviceGetMemoryInfo(device, version=pynvml.nvmlMemory_v2)
        return f"{now.total >> 20} MiB, reserved: {now.reserved >> 20} MiB"
    except pynvml.NVMLError:
        total = pynvml.nvmlDeviceGetMemoryInfo(device).total
        return f"{total >> 20} MiB, reserved: not told"


def processes(device):
    for read in (
        pynvml.nvmlDeviceGetComputeRunningProcesses_v3,
        pynvml.nvmlDeviceGetComputeRunningProcesses_v2,
    ):
        try:
            return len(read(device))
        except pynvml.NVMLError_FunctionNotFound:
            continue
    return count_processes_v1(device)


def count_processes_v1(device):
    """The first version has a struct of its own, which the module knows no more; only their number is asked for."""
    count = pynvml.c_uint(0)
    function = pynvml._nvmlGetFunctionPointer("nvmlDeviceGetComputeRunningProcesses")
    code = function(device, pynvml.byref(count), None)
    if code not in (pynvml.NVML_SUCCESS, pynvml.NVML_ERROR_INSUFFICIENT_SIZE):
        raise pynvml.NVMLError(code)
    return count.value


def held_back(device):
    try:
        reasons = pynvml.nvmlDeviceGetCurrentClocksEventReasons(device)
    except pynvml.NVMLError_FunctionNotFound:
        reasons = pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(device)
    return "yes" if reasons & pynvml.nvmlClocksEventReasonSwPowerCap else "no"


def temperature(device):
    return f"{pynvml.nvmlDeviceGetTemperature(device, pynvml.NVML_TEMPERATURE_GPU)} C"


def mig_mode(device):
    current, _ = pynvml.nvmlDeviceGetMigMode(device)
    return "enabled" if current == pynvml.NVML_DEVICE_MIG_ENABLE else "disabled"


def firmware(device):
    version = pynvml.nvmlDeviceGetGspFirmwareVersion(device)
    return version.decode() if isinstance(version, bytes) else version


def show(device):
    print(pynvml.nvmlDeviceGetName(device))
    print("  memory:", text(lambda: memory(device)))
    print("  processes:", text(lambda: processes(device)))
    print("  held back by its limit:", text(lambda: held_back(device)))
    print("  temperature:", text(lambda: temperature(device)))
    print("  MIG:", text(lambda: mig_mode(device)))
    print("  lanes:", text(lambda: pynvml.nvmlDeviceGetMaxPcieLinkWidth(device)))
    print("  firmware:", text(lambda: firmware(device)))


def main():
    try:
        pynvml.nvmlInit()
        print("driver", text(pynvml.nvmlSystemGetDriverVersion))
        for i in range(pynvml.nvmlDeviceGetCount()):
            show(pynvml.nvmlDeviceGetHandleByIndex(i))
    except pynvml.NVMLError as error:
        print(error, file=sys.stderr)
        return 1
    pynvml.nvmlShutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
