# SPDX-License-Identifier: Apache-2.0
"""What a device plugin's health check does: registers every GPU for critical errors, waits, prints each event.

pynvml_health.py EVENTS: prints "ready", then a line "INDEX TYPE DATA" for each of so many events.
"""
import sys

import pynvml

pynvml.nvmlInit()
events = pynvml.nvmlEventSetCreate()
indices = {}
for index in range(pynvml.nvmlDeviceGetCount()):
    device = pynvml.nvmlDeviceGetHandleByIndex(index)
    wanted = pynvml.nvmlEventTypeXidCriticalError | pynvml.nvmlEventTypeDoubleBitEccError
    pynvml.nvmlDeviceRegisterEvents(device, wanted & pynvml.nvmlDeviceGetSupportedEventTypes(device), events)
    indices[pynvml.nvmlDeviceGetUUID(device)] = index
print("ready", flush=True)
for _ in range(int(sys.argv[1])):
    event = pynvml.nvmlEventSetWait_v2(events, 20000)
    print(indices[pynvml.nvmlDeviceGetUUID(event.device)], event.eventType, event.eventData, flush=True)
pynvml.nvmlEventSetFree(events)
pynvml.nvmlShutdown()
