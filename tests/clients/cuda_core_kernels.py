# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ that NVRTC compiles to PTX, through cuda.core and cuda.bindings, held against NumPy."""
import importlib.metadata

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, EventOptions, LaunchConfig, Program, ProgramOptions, launch

from kernel_checks import Checks

checks = Checks(importlib.metadata.version("cuda-core"))
random = np.random.default_rng(15)
SOURCE = r"""
template <typename T>
__global__ void saxpy(const T a, const T* x, const T* y, T* out, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a * x[i] + y[i];
}
template __global__ void saxpy<float>(float, const float*, const float*, float*, size_t);
template __global__ void saxpy<double>(double, const double*, const double*, double*, size_t);

__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__device__ unsigned int launches;

extern "C" __global__ void smooth(const float* in, float* out, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + 1] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == blockDim.x - 1) tile[threadIdx.x + 2] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = weights[0] * tile[threadIdx.x] + weights[1] * tile[threadIdx.x + 1] + weights[2] * tile[threadIdx.x + 2];
  if (i == 0) atomicAdd(&launches, 1);
}

extern "C" __global__ void sum(const int* in, int* total, int n) {
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += in[i];
  for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(0xFFFFFFFF, own, step);
  if ((threadIdx.x & 31) == 0) atomicAdd(total, own);
}
"""

device = Device()
device.set_current()
stream = device.create_stream()
compiled = Program(SOURCE, code_type="c++", options=ProgramOptions(std="c++17", arch=f"sm_{device.arch}")).compile(
    "ptx", name_expressions=("saxpy<float>", "saxpy<double>"))


def good(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result
    return result[1] if len(result) == 2 else result[1:]


class Array:
    def __init__(self, values):
        self.values = np.ascontiguousarray(values)
        self.buffer = good(driver.cuMemAlloc(self.values.nbytes))
        good(driver.cuMemcpyHtoD(self.buffer, self.values.ctypes.data, self.values.nbytes))

    def numpy(self):
        stream.sync()
        back = np.empty_like(self.values)
        good(driver.cuMemcpyDtoH(back.ctypes.data, self.buffer, back.nbytes))
        return back

    @property
    def address(self):
        return int(self.buffer)


def templates():
    for kind in (np.float32, np.float64):
        name = {np.float32: "saxpy<float>", np.float64: "saxpy<double>"}[kind]
        x, y = random.standard_normal(5000).astype(kind), random.standard_normal(5000).astype(kind)
        out = Array(np.zeros_like(x))
        launch(stream, LaunchConfig(grid=16, block=128), compiled.get_kernel(name), kind(2.5), Array(x).address, Array(y).address, out.address, np.uint64(5000))
        checks.close(name, out.numpy(), 2.5 * x + y, rtol=1e-6, atol=1e-6)


def shared_memory():
    x = random.standard_normal(1000).astype(np.float32)
    out = Array(np.zeros_like(x))
    kernel = compiled.get_kernel("smooth")
    launch(stream, LaunchConfig(grid=8, block=128, shmem_size=4 * 130), kernel, Array(x).address, out.address, np.int32(1000))
    around = np.pad(x, 1)
    checks.close("smooth", out.numpy(), 0.25 * around[:-2] + 0.5 * x + 0.25 * around[2:], atol=1e-6)
    checks.holds("kernel's facts", kernel.attributes.max_threads_per_block == 1024 and kernel.attributes.num_regs > 0)
    checks.holds("occupancy", kernel.occupancy.max_active_blocks_per_multiprocessor(128, 520) > 0)


def shuffles():
    x = random.integers(-1000, 1000, 100000, dtype=np.int32)
    total = Array(np.zeros(1, np.int32))
    launch(stream, LaunchConfig(grid=32, block=256), compiled.get_kernel("sum"), Array(x).address, total.address, np.int32(100000))
    checks.equal("sum", total.numpy(), np.array([x.sum()], np.int32))


def events():
    options = EventOptions(timing_enabled=True)
    before = stream.record(options=options)
    launch(stream, LaunchConfig(grid=32, block=256), compiled.get_kernel("sum"), Array(np.ones(1000, np.int32)).address, Array(np.zeros(1, np.int32)).address, np.int32(1000))
    after = stream.record(options=options)
    after.sync()
    checks.holds("time between events", 0 <= after - before < 60000)


def properties():
    checks.holds("properties", device.properties.multiprocessor_count > 0 and device.compute_capability.major >= 5)
    checks.holds("uuid", len(device.uuid) > 0)


def refused():
    try:
        launch(stream, LaunchConfig(grid=1, block=2000), compiled.get_kernel("sum"), 0, 0, np.int32(0))
    except Exception as error:
        checks.holds("a block of 2000 threads", "INVALID" in str(error) or "block" in str(error), error)
    else:
        checks.holds("a block of 2000 threads", False, "launched")


for name, what in (("templates", templates), ("shared memory", shared_memory), ("shuffles", shuffles), ("events", events), ("properties", properties), ("a block of 2000 threads", refused)):
    checks.attempt(name, what)
checks.tell()
