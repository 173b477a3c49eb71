# SPDX-License-Identifier: Apache-2.0
"""How near each GPU is to each other one: by NVLink, or through which part of the host."""
import sys

import pynvml

PATHS = {
    pynvml.NVML_TOPOLOGY_INTERNAL: "same board",
    pynvml.NVML_TOPOLOGY_SINGLE: "PIX",
    pynvml.NVML_TOPOLOGY_MULTIPLE: "PXB",
    pynvml.NVML_TOPOLOGY_HOSTBRIDGE: "PHB",
    pynvml.NVML_TOPOLOGY_NODE: "NODE",
}


def leads_to(device, link, bus):
    """Whether the link leads to that GPU, or to a switch that all GPUs hang on."""
    try:
        if pynvml.nvmlDeviceGetNvLinkState(device, link) != pynvml.NVML_FEATURE_ENABLED:
            return False
    except pynvml.NVMLError:
        return False
    try:
        kind = pynvml.nvmlDeviceGetNvLinkRemoteDeviceType(device, link)
        if kind == pynvml.NVML_NVLINK_DEVICE_TYPE_SWITCH:
            return True
    except pynvml.NVMLError:
        pass
    try:
        return pynvml.nvmlDeviceGetNvLinkRemotePciInfo(device, link).busId == bus
    except pynvml.NVMLError:
        return False


def path(here, there):
    try:
        bus = pynvml.nvmlDeviceGetPciInfo(there).busId
        links = sum(
            leads_to(here, link, bus) for link in range(pynvml.NVML_NVLINK_MAX_LINKS)
        )
        if links > 0:
            return f"NV{links}"
        level = pynvml.nvmlDeviceGetTopologyCommonAncestor(here, there)
        return PATHS.get(level, "SYS")
    except pynvml.NVMLError as error:
        return str(error)


def main():
    try:
        pynvml.nvmlInit()
        devices = [
            pynvml.nvmlDeviceGetHandleByIndex(i)
            for i in range(pynvml.nvmlDeviceGetCount())
        ]
    except pynvml.NVMLError as error:
        print(error, file=sys.stderr)
        return 1
    for i, here in enumerate(devices):
        row = ("X" if i == k else path(here, there) for k, there in enumerate(devices))
        print("".join(f"{text:>6}" for text in row))
    pynvml.nvmlShutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
