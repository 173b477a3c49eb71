# SPDX-License-Identifier: Apache-2.0
"""What numba tells of each device, as JSON; then an array that goes there and comes back."""
import json

import numpy
from numba import cuda

told = []
for device in cuda.list_devices():
    with cuda.gpus[device.id]:
        free, total = cuda.current_context().get_memory_info()
        told.append({"name": device.name.decode(), "uuid": device.uuid, "capability": list(device.compute_capability),
                     "multiprocessors": device.MULTIPROCESSOR_COUNT, "free": free, "memory": total})
array = numpy.arange(100000, dtype=numpy.float32)
assert (cuda.to_device(array).copy_to_host() == array).all()
print(json.dumps(told))
