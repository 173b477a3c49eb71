# SPDX-License-Identifier: Apache-2.0
"""threads [READINGS]: a thread for each GPU reads its power so many times; another one asks for what all of them have in
common."""
import sys
from concurrent.futures import ThreadPoolExecutor

import pynvml


def read(index, readings):
    good = 0
    try:
        device = pynvml.nvmlDeviceGetHandleByIndex(index)
    except pynvml.NVMLError:
        return 0, readings
    for _ in range(readings):
        try:
            pynvml.nvmlDeviceGetPowerUsage(device)
            good += 1
        except pynvml.NVMLError:
            pass
    return good, readings - good


def driver_version():
    try:
        return pynvml.nvmlSystemGetDriverVersion()
    except pynvml.NVMLError:
        return "N/A"


def main():
    readings = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    try:
        pynvml.nvmlInit()
        gpus = pynvml.nvmlDeviceGetCount()
    except pynvml.NVMLError as error:
        print(error, file=sys.stderr)
        return 1
    with ThreadPoolExecutor(max_workers=gpus + 1) as threads:
        counts = [threads.submit(read, index, readings) for index in range(gpus)]
        version = threads.submit(driver_version)
        for index, count in enumerate(counts):
            good, bad = count.result()
            print(f"GPU {index}: {good} readings, {bad} errors")
        print("driver", version.result())
    pynvml.nvmlShutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
