# SPDX-License-Identifier: Apache-2.0
"""A monitor that outlives the driver: when it is unloaded or a GPU vanishes, NVML is opened anew, until it answers
again. reopen ROUNDS MILLISECONDS: so many rounds, with a pause between them."""
import sys
import time

import pynvml

GONE = (  # what only another nvmlInit can mend
    pynvml.NVML_ERROR_DRIVER_NOT_LOADED,
    pynvml.NVML_ERROR_UNINITIALIZED,
    pynvml.NVML_ERROR_GPU_IS_LOST,
)


def look():
    """The number of GPUs that answer; None where NVML has to be opened anew. A driver that was unloaded has no GPUs left."""
    try:
        count = pynvml.nvmlDeviceGetCount()
    except pynvml.NVMLError:
        return None
    good = 0
    for i in range(count):
        try:
            pynvml.nvmlDeviceGetPowerUsage(pynvml.nvmlDeviceGetHandleByIndex(i))
            good += 1
        except pynvml.NVMLError as error:
            if error.value in GONE:
                return None
    return good if count > 0 else None


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    pause = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    is_open = False
    for turn in range(rounds):
        if turn > 0:
            time.sleep(pause / 1000)
        if not is_open:
            try:
                pynvml.nvmlInit()
            except pynvml.NVMLError as error:
                print(f"no NVML: {error}", flush=True)
                continue
            is_open = True
        good = look()
        if good is not None:
            print(f"{good} GPUs", flush=True)
        else:
            print("NVML is opened anew", flush=True)
            pynvml.nvmlShutdown()
            is_open = False


if __name__ == "__main__":
    main()
