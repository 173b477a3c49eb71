# SPDX-License-Identifier: Apache-2.0
"""What NVIDIA's Python binding of the driver API tells of each device, as JSON; then memory, a stream and an event."""
import json

from cuda.bindings import driver


def good(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result
    return result[1] if len(result) == 2 else result[1:]


good(driver.cuInit(0))
told = []
for index in range(good(driver.cuDeviceGetCount())):
    device = good(driver.cuDeviceGet(index))
    answers = [driver.cuDeviceGetAttribute(each, device)[0] for each in driver.CUdevice_attribute]
    told.append({
        "name": good(driver.cuDeviceGetName(96, device)).split(b"\0")[0].decode(),
        "uuid": good(driver.cuDeviceGetUuid(device)).bytes.hex(),
        "memory": good(driver.cuDeviceTotalMem(device)),
        "bus": good(driver.cuDeviceGetPCIBusId(64, device)).split(b"\0")[0].decode(),
        "attributes": sum(answer == driver.CUresult.CUDA_SUCCESS for answer in answers),
    })
context = good(driver.cuDevicePrimaryCtxRetain(good(driver.cuDeviceGet(0))))
good(driver.cuCtxSetCurrent(context))
memory = good(driver.cuMemAlloc(256))
back = bytearray(256)
good(driver.cuMemcpyHtoD(memory, bytes(range(256)), 256))
good(driver.cuMemcpyDtoH(back, memory, 256))
assert bytes(back) == bytes(range(256))
stream, event = good(driver.cuStreamCreate(0)), good(driver.cuEventCreate(0))
good(driver.cuEventRecord(event, stream))
good(driver.cuStreamSynchronize(stream))
assert driver.cuModuleLoadData(b"")[0] == driver.CUresult.CUDA_ERROR_INVALID_IMAGE
print(json.dumps(told))
