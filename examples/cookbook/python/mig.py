# SPDX-License-Identifier: Apache-2.0
"""The MIG devices of each GPU, and which instances they lie in."""
import sys

import pynvml


def uuid_of(device, otherwise):
    try:
        return pynvml.nvmlDeviceGetUUID(device)
    except pynvml.NVMLError:
        return otherwise


def mode(device):
    try:
        current, _ = pynvml.nvmlDeviceGetMigMode(device)
    except pynvml.NVMLError as error:
        return error
    return "enabled" if current == pynvml.NVML_DEVICE_MIG_ENABLE else "disabled"


def mig_devices(device):
    try:
        most = pynvml.nvmlDeviceGetMaxMigDeviceCount(device)
    except pynvml.NVMLError:
        return
    for i in range(most):
        try:
            yield pynvml.nvmlDeviceGetMigDeviceHandleByIndex(device, i)
        except pynvml.NVMLError:
            continue


def instance(get, mig):
    try:
        return get(mig)
    except pynvml.NVMLError:
        return 0


def show(mig):
    gpu_instance = instance(pynvml.nvmlDeviceGetGpuInstanceId, mig)
    compute_instance = instance(pynvml.nvmlDeviceGetComputeInstanceId, mig)
    text = f"  {uuid_of(mig, 'N/A')}: GPU instance {gpu_instance}, compute instance {compute_instance}"
    try:
        text += f", {pynvml.nvmlDeviceGetMemoryInfo(mig).total >> 20} MiB"
    except pynvml.NVMLError:
        pass
    print(text)


def main():
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        print(error, file=sys.stderr)
        return 1
    for i in range(pynvml.nvmlDeviceGetCount()):
        try:
            device = pynvml.nvmlDeviceGetHandleByIndex(i)
        except pynvml.NVMLError as error:
            print(f"a GPU: MIG {error}")
            continue
        print(f"{uuid_of(device, 'a GPU')}: MIG {mode(device)}")
        for mig in mig_devices(device):
            show(mig)
    pynvml.nvmlShutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
