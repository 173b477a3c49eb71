# SPDX-License-Identifier: Apache-2.0
"""Kernels of numba-cuda, in Python, held against NumPy."""
import math

import numba_cuda
import numpy as np
from numba import cuda, float32, float64, types

from kernel_checks import Checks

checks = Checks(numba_cuda.__version__)
random = np.random.default_rng(15)
TABLE = np.arange(16, dtype=np.float32) ** 2


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def reduce(x, out):
    s = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    k = 128
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


@cuda.jit
def warps(x, out, votes):
    i = cuda.grid(1)
    v = x[i]
    votes[i] = cuda.popc(cuda.ballot_sync(0xFFFFFFFF, v > 0))
    d = 16
    while d > 0:
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, d)
        d //= 2
    if cuda.laneid == 0:
        out[i // 32] = v


@cuda.jit
def products(A, B, C):
    a, b = cuda.shared.array((16, 16), float32), cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for i in range(A.shape[1] // 16):
        a[tx, ty] = A[x, ty + i * 16]
        b[tx, ty] = B[tx + i * 16, y]
        cuda.syncthreads()
        for j in range(16):
            total += a[tx, j] * b[j, ty]
        cuda.syncthreads()
    C[x, y] = total


@cuda.jit
def mathematics(x, out):
    i = cuda.grid(1)
    v = x[i]
    out[i] = (math.sin(v) + math.cos(v) * math.tan(v) + math.exp(v) + math.log(v) + math.sqrt(v) + math.pow(v, 1.5) + math.erf(v)
              + math.lgamma(v) + math.atan2(v, 2.0) + math.floor(v) + math.fmod(v, 0.7) + math.sinh(v) + math.log1p(v) + math.hypot(v, 3.0))


@cuda.jit
def atomics(x, out):
    v = x[cuda.grid(1)]
    cuda.atomic.add(out, 0, v)
    cuda.atomic.max(out, 1, v)
    cuda.atomic.min(out, 2, v)
    cuda.atomic.add(out, 3 + int(v) % 5, 1)


@cuda.jit
def mandelbrot(image, most):
    x, y = cuda.grid(2)
    c = complex(x * 0.05 - 2, y * 0.05 - 1)
    z = 0j
    n = 0
    while n < most and z.real * z.real + z.imag * z.imag < 4:
        z = z * z + c
        n += 1
    image[x, y] = n


@cuda.jit
def arrays(x, out):
    own = cuda.local.array(32, float64)
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    for k in range(32):
        own[k] = x[(i + k) % x.size]
    total = 0.0
    for k in range(32):
        total += own[31 - k] * table[k & 15]
    out[i] = total


@cuda.jit
def divided(x, out):
    i = cuda.grid(1)
    out[i] = x[i] // 7 + x[i] % 13 - ((x[i] << 3) ^ (x[i] >> 2) & x[i])


@cuda.jit(debug=True, opt=False)
def raising(x):
    if x[cuda.grid(1)] > 2:
        raise ValueError("more than two")


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def vectors():
    x, y = floats(1000), floats(1000)
    out = cuda.to_device(y)
    saxpy[4, 256](np.float32(2.5), cuda.to_device(x), out)
    checks.close("saxpy", out.copy_to_host(), 2.5 * x + y)
    x, out = floats(2560), np.zeros(1, np.float32)
    reduce[10, 256](x, out)
    checks.close("reduction", out[0], x.sum(), rtol=1e-4, atol=1e-4)


def of_warps():
    x = random.integers(-9, 9, 256, dtype=np.int32)
    out, votes = np.zeros(8, np.int32), np.zeros(256, np.int32)
    warps[1, 256](x, out, votes)
    checks.equal("sums of warps", out, x.reshape(8, 32).sum(1, dtype=np.int32))
    checks.equal("votes", votes, np.repeat((x.reshape(8, 32) > 0).sum(1, dtype=np.int32), 32))


def matrices():
    a, b, out = floats(32, 64), floats(64, 48), np.zeros((32, 48), np.float32)
    products[(2, 3), (16, 16)](a, b, out)
    checks.close("matrix product", out, a @ b, rtol=1e-4, atol=1e-4)


def of_math():
    for kind, rtol in ((np.float32, 2e-5), (np.float64, 1e-12)):
        x = random.uniform(0.2, 3, 128).astype(kind)
        out = np.zeros_like(x)
        mathematics[1, 128](x, out)
        d = x.astype(np.float64)
        expected = (np.sin(d) + np.cos(d) * np.tan(d) + np.exp(d) + np.log(d) + np.sqrt(d) + d**1.5 + [math.erf(v) for v in d]
                    + [math.lgamma(v) for v in d] + np.arctan2(d, 2) + np.floor(d) + np.fmod(d, kind(0.7)) + np.sinh(d) + np.log1p(d) + np.hypot(d, 3))
        if kind is np.float32:
            expected += np.fmod(x, 0.7) - np.fmod(d, kind(0.7))
        checks.close(f"mathematics of {np.dtype(kind).name}", out, expected, rtol=rtol, atol=rtol)


def of_atomics():
    x = random.integers(0, 100, 512).astype(np.float64)
    out = np.zeros(8)
    out[2] = 1000
    atomics[2, 256](x, out)
    checks.equal("atomics", out, np.concatenate([[x.sum(), x.max(), x.min()], np.bincount(x.astype(int) % 5, minlength=5)]))


def of_complex():
    image = np.zeros((48, 40), np.int32)
    mandelbrot[(3, 5), (16, 8)](image, 60)
    expected = np.zeros_like(image)
    for (x, y), _ in np.ndenumerate(image):
        z, n, c = 0j, 0, complex(x * 0.05 - 2, y * 0.05 - 1)
        while n < 60 and z.real * z.real + z.imag * z.imag < 4:
            z, n = z * z + c, n + 1
        expected[x, y] = n
    checks.holds("mandelbrot", (image != expected).mean() < 0.01, image)


def of_memory():
    x, out = random.standard_normal(128), np.zeros(128)
    arrays[1, 128](x, out)
    checks.close("local and constant arrays", out, [sum(x[(i + 31 - k) % 128] * TABLE[k & 15] for k in range(32)) for i in range(128)])
    x = random.integers(-1000, 1000, 128)
    out = np.zeros_like(x)
    divided[1, 128](x, out)
    checks.equal("integers", out, x // 7 + x % 13 - ((x << 3) ^ (x >> 2) & x))


def of_errors():
    try:
        raising[1, 4](np.arange(4))
    except ValueError as error:
        checks.holds("an exception of a kernel", "more than two" in str(error), error)
    else:
        checks.holds("an exception of a kernel", False)


def of_streams():
    stream, x = cuda.stream(), floats(256)
    begin, end = cuda.event(), cuda.event()
    begin.record(stream)
    on_device, out = cuda.to_device(x, stream=stream), cuda.device_array(256, np.float32, stream=stream)
    out.copy_to_device(np.zeros(256, np.float32), stream=stream)
    saxpy[1, 256, stream](np.float32(3), on_device, out)
    end.record(stream)
    back = out.copy_to_host(stream=stream)
    stream.synchronize()
    checks.close("on a stream", back, 3 * x)
    checks.holds("time between events", begin.elapsed_time(end) >= 0)


@cuda.reduce
def added(a, b):
    return a + b


@cuda.jit(device=True)
def _twice(v):
    return v * 2


@cuda.jit
def through_a_function(x):
    i = cuda.grid(1)
    x[i] = _twice(x[i])


def of_functions():
    x = np.arange(5000, dtype=np.float64)
    checks.equal("cuda.reduce", added(x), x.sum())
    x = np.arange(64)
    through_a_function[1, 64](x)
    checks.equal("a device function", x, np.arange(64) * 2)
    records = np.zeros(8, dtype=np.dtype([("a", np.int32), ("b", np.float64)], align=True))
    of_records[1, 8](records)
    checks.equal("records", records["b"], np.arange(8) * 1.5)


@cuda.jit
def of_records(x):
    i = cuda.grid(1)
    x[i].a = i
    x[i].b = i * 1.5


@cuda.jit
def in_step(rows):
    """Each row is made of the one before, read from the other end of the grid."""
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    for row in range(1, rows.shape[0]):
        grid.sync()
        rows[row, i] = rows[row - 1, rows.shape[1] - 1 - i] + row


@cuda.jit(max_registers=32)
def few_registers(x):
    i = cuda.grid(1)
    x[i] = x[i] * 2


def of_grids():
    rows = np.zeros((9, 8 * 32), dtype=np.int64)
    rows[0] = np.arange(8 * 32)
    expected = rows.copy()
    for row in range(1, 9):
        expected[row] = expected[row - 1, ::-1] + row
    in_step[8, 32](rows)
    checks.equal("a grid in step", rows, expected)
    x = np.arange(64)
    few_registers[2, 32](x)
    most = max(few_registers.get_regs_per_thread().values())
    checks.holds("a limit of registers", most <= 32 and np.array_equal(x, np.arange(64) * 2), most)


for name, what in (("vectors", vectors), ("warps", of_warps), ("matrices", matrices), ("mathematics", of_math), ("atomics", of_atomics),
                   ("complex numbers", of_complex), ("memory", of_memory), ("errors", of_errors), ("streams", of_streams), ("functions", of_functions),
                   ("grids", of_grids)):
    checks.attempt(name, what)
checks.tell()
