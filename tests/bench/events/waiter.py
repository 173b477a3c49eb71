# SPDX-License-Identifier: Apache-2.0
"""Waits for critical errors of GPU 0 with NVIDIA's Python binding, as `nvmlab-bench-events --wait` does in C++."""
import time

import pynvml

LAST = 0xFFFF

pynvml.nvmlInit()
events = pynvml.nvmlEventSetCreate()
device = pynvml.nvmlDeviceGetHandleByIndex(0)
pynvml.nvmlDeviceRegisterEvents(device, pynvml.nvmlEventTypeXidCriticalError, events)
print("ready", flush=True)
data = None
while data != LAST:
    data = pynvml.nvmlEventSetWait_v2(events, 60000).eventData
    print(data, time.monotonic_ns())
