# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy against those of NumPy: element by element, a kernel of our own, reductions, a stream, two devices."""
import cupy
import numpy

runtime = cupy.cuda.runtime
print(runtime.getDeviceCount(), runtime.getDeviceProperties(0)["name"].decode())
host = numpy.arange(10000, dtype=numpy.float32)
array = cupy.asarray(host)
assert (cupy.asnumpy(array * 2 + array) == host * 3).all()

add = cupy.RawKernel(r"""
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}""", "add")
sums = cupy.zeros_like(array)
add((40,), (256,), (array, array, sums, numpy.int32(array.size)))
assert (cupy.asnumpy(sums) == host * 2).all()

assert float(array.sum()) == float(host.sum(dtype=numpy.float64)) and float(array.max()) == 9999
table = numpy.random.default_rng(7).random((50, 60))
assert numpy.allclose(cupy.asnumpy(cupy.asarray(table).mean(axis=0)), table.mean(axis=0))

stream = cupy.cuda.Stream()
with stream:
    roots = cupy.sqrt(array)
stream.synchronize()
assert numpy.allclose(cupy.asnumpy(roots), numpy.sqrt(host))
with cupy.cuda.Device(1):
    ones = cupy.ones((100, 100))
    assert ones.device.id == 1 and float(ones.sum()) == 10000
print("all right")
