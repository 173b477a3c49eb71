# SPDX-License-Identifier: Apache-2.0
"""Kernels that triton compiles to PTX (TRITON_PTXAS_PATH is ptx_as_it_is.sh), held against NumPy. Memory is that of the
driver API, by ctypes: no PyTorch."""
import ctypes

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

from kernel_checks import Checks

checks = Checks(triton.__version__)
random = np.random.default_rng(15)
cuda = ctypes.CDLL("libcuda.so.1")
TYPES = {np.dtype(np.float32): tl.float32, np.dtype(np.float16): tl.float16, np.dtype(np.int32): tl.int32}


def good(code):
    assert code == 0, f"CUDA error {code}"


class Array:
    """What triton asks of an argument: an address on the device and the type that is there."""

    def __init__(self, values):
        triton.runtime.driver.active.get_current_device()  # makes its context current
        self.values, self.dtype, address = np.ascontiguousarray(values), TYPES[values.dtype], ctypes.c_uint64()
        good(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(self.values.nbytes)))
        self.address = address.value
        good(cuda.cuMemcpyHtoD_v2(address, self.values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.values.nbytes)))

    def data_ptr(self):
        return self.address

    def numpy(self):
        back = np.empty_like(self.values)
        good(cuda.cuMemcpyDtoH_v2(back.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.address), ctypes.c_size_t(back.nbytes)))
        return back


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(o, x, s, n, B: tl.constexpr):
    r, c = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + r * s + c, mask=c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + r * s + c, e / tl.sum(e, axis=0), mask=c < n)


@triton.jit
def layer_norm(x, y, w, b, s, N, eps, B: tl.constexpr):
    r, c = tl.program_id(0), tl.arange(0, B)
    m = c < N
    v = tl.load(x + r * s + c, mask=m, other=0.0).to(tl.float32)
    mu = tl.sum(v, axis=0) / N
    d = tl.where(m, v - mu, 0.0)
    rs = 1 / tl.sqrt(tl.sum(d * d, axis=0) / N + eps)
    tl.store(y + r * s + c, d * rs * tl.load(w + c, mask=m) + tl.load(b + c, mask=m), mask=m)


@triton.jit
def histogram(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(o + v, 1, mask=i < n)
    tl.atomic_max(o + 64 + v * 0, v, mask=i < n)


@triton.jit
def scan(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.cumsum(tl.load(x + i), axis=0))


@triton.jit
def sort(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.sort(tl.load(x + i)))


@triton.jit
def mathematics(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(o + i, tl.sin(v) + tl.cos(v) + tl.log(v) + tl.exp2(v) + tl.sqrt_rn(v) + tl.fma(v, v, v) + tl.floor(v) + tl.rsqrt(v) + libdevice.atan(v))


@triton.jit
def product(a, b, o, B: tl.constexpr):
    r, c = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    tl.store(o + r * B + c, tl.dot(tl.load(a + r * B + c), tl.load(b + r * B + c)))


@triton.jit
def behind_a_lock(lock, o):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(o, tl.load(o) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def added():
    x, y = floats(1000), floats(1000)
    out = Array(np.zeros(1000, np.float32))
    add[(4,)](Array(x), Array(y), out, 1000, B=256)
    checks.equal("sums", out.numpy(), x + y)


def rows():
    x = floats(9, 200)
    out = Array(np.zeros_like(x))
    softmax[(9,)](out, Array(x), 200, 200, B=256)
    e = np.exp(x - x.max(1, keepdims=True))
    checks.close("softmax", out.numpy(), e / e.sum(1, keepdims=True))
    halves, w, b = x.astype(np.float16), floats(200).astype(np.float16), floats(200).astype(np.float16)
    out = Array(np.zeros_like(halves))
    layer_norm[(9,)](Array(halves), out, Array(w), Array(b), 200, 200, 1e-5, B=256)
    x = halves.astype(np.float32)
    checks.close("layer norm", out.numpy(), (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w + b, rtol=4e-3, atol=4e-3)


def atomics():
    x = random.integers(0, 60, 1000, dtype=np.int32)
    out = Array(np.zeros(65, np.int32))
    histogram[(4,)](Array(x), out, 1000, B=256)
    checks.equal("histogram", out.numpy()[:64], np.bincount(x, minlength=64).astype(np.int32))
    checks.equal("largest", out.numpy()[64], x.max())
    lock, count = Array(np.zeros(1, np.int32)), Array(np.zeros(1, np.float32))
    behind_a_lock[(40,)](lock, count)
    checks.equal("behind a lock", count.numpy(), np.array([40], np.float32))


def along():
    x = random.integers(-50, 50, 512, dtype=np.int32)
    out = Array(np.zeros_like(x))
    scan[(1,)](Array(x), out, B=512)
    checks.equal("running sum", out.numpy(), x.cumsum(dtype=np.int32))
    out = Array(np.zeros_like(x))
    sort[(1,)](Array(x), out, B=512)
    checks.equal("sorted", out.numpy(), np.sort(x))


def by_element():
    x = np.abs(floats(128)) + np.float32(0.1)
    out = Array(np.zeros_like(x))
    mathematics[(1,)](Array(x), out, B=128)
    d = x.astype(np.float64)
    expected = np.sin(d) + np.cos(d) + np.log(d) + np.exp2(d) + np.sqrt(d) + (d * d + d) + np.floor(d) + 1 / np.sqrt(d) + np.arctan(d)
    checks.close("mathematics", out.numpy(), expected, rtol=1e-4)


def products():
    """On tensor cores: halves as they are, float32 as TF32, which has 10 bits of fraction."""
    for kind in (np.float16, np.float32):
        a, b = floats(32, 32).astype(kind), floats(32, 32).astype(kind)
        out = Array(np.zeros((32, 32), np.float32))
        product[(1,)](Array(a), Array(b), out, B=32)
        checks.close(f"matrix product of {kind.__name__}", out.numpy(), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-2, atol=1e-2)


for name, what in (("sums", added), ("rows", rows), ("atomics", atomics), ("along", along), ("mathematics", by_element), ("products", products)):
    checks.attempt(name, what)
checks.tell()
