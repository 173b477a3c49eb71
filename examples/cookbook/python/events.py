# SPDX-License-Identifier: Apache-2.0
"""events [COUNT]: tells of each XID error of the GPUs, until there were COUNT of them or it is interrupted."""
import signal
import sys
import threading

import pynvml


def register(events):
    """Registers what can be watched, and answers how many GPUs there are and how many of them are watched."""
    count = pynvml.nvmlDeviceGetCount()
    watched = 0
    for i in range(count):
        try:
            device = pynvml.nvmlDeviceGetHandleByIndex(i)
            pynvml.nvmlDeviceRegisterEvents(
                device, pynvml.nvmlEventTypeXidCriticalError, events
            )
            watched += 1
        except pynvml.NVMLError as error:
            print(f"not watched: GPU {i}: {error}", file=sys.stderr)
    return count, watched


def uuid_of(device):
    try:
        return pynvml.nvmlDeviceGetUUID(device)
    except pynvml.NVMLError:
        return "a GPU"


def watch(events, stop, most):
    seen = 0
    while seen < most and not stop.is_set():
        try:
            event = pynvml.nvmlEventSetWait_v2(events, 100)
        except pynvml.NVMLError_Timeout:
            continue
        print(f"{uuid_of(event.device)}: XID {event.eventData}", flush=True)
        seen += 1


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else sys.maxsize
    stop = threading.Event()
    for interrupt in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interrupt, lambda *_: stop.set())
    try:
        pynvml.nvmlInit()
        events = pynvml.nvmlEventSetCreate()
        count, watched = register(events)
        if watched == 0:
            return 1
        print(f"watching {count} GPUs", flush=True)
        watch(events, stop, most)
        pynvml.nvmlEventSetFree(events)
        pynvml.nvmlShutdown()
    except pynvml.NVMLError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
