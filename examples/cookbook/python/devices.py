# SPDX-License-Identifier: Apache-2.0
"""The UUID of every GPU, or why there is none."""
import sys

import pynvml


def main():
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        print(error, file=sys.stderr)
        return 1
    for i in range(pynvml.nvmlDeviceGetCount()):
        try:
            print(pynvml.nvmlDeviceGetUUID(pynvml.nvmlDeviceGetHandleByIndex(i)))
        except pynvml.NVMLError as error:
            print(error)
    pynvml.nvmlShutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
