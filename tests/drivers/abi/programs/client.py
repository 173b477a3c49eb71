# SPDX-License-Identifier: Apache-2.0
"""A Python program that opens libnvidia-ml.so.1 with ctypes, as Python's NVML bindings do."""
import ctypes

library = ctypes.CDLL("libnvidia-ml.so.1")


def must(name, *arguments):
    code = getattr(library, name)(*arguments)
    if code != 0:
        raise SystemExit(f"{name}: {code}")


count = ctypes.c_uint()
device = ctypes.c_void_p()
name = ctypes.create_string_buffer(96)
must("nvmlInit_v2")
must("nvmlDeviceGetCount_v2", ctypes.byref(count))
must("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(0), ctypes.byref(device))
must("nvmlDeviceGetName", device, name, ctypes.c_uint(96))
must("nvmlShutdown")
print(count.value, name.value.decode())
