# SPDX-License-Identifier: Apache-2.0
"""Kernels of taichi on its CUDA backend, held against NumPy. Its start fills random states: a thread for each that the GPU
can have at once. How long that took is told, in seconds."""
import time

started, spent = time.perf_counter(), time.process_time()
import numpy as np
import taichi as ti

from kernel_checks import Checks

ti.init(arch=ti.cuda, offline_cache=False, log_level=ti.WARN, random_seed=1)
checks = Checks(".".join(map(str, ti.__version__)))
random = np.random.default_rng(15)
N = 1000
x = ti.field(ti.f32, shape=N)


@ti.kernel
def fill():
    for i in x:
        x[i] = i * 0.5


fill()
ti.sync()
started, spent = time.perf_counter() - started, time.process_time() - spent
X = np.arange(N, dtype=np.float32) * np.float32(0.5)
checks.holds("runs on CUDA", ti.lang.impl.current_cfg().arch == ti.cuda)
checks.equal("filled", x.to_numpy(), X)


@ti.kernel
def total() -> ti.f32:
    t = 0.0
    for i in x:
        t += x[i]
    return t


@ti.kernel
def mathematics(a: ti.types.ndarray(dtype=ti.f64), b: ti.types.ndarray(dtype=ti.f64)):
    for i in a:
        b[i] = ti.sin(a[i]) + ti.exp(-a[i]) * ti.pow(a[i], 1.5) + ti.atan2(a[i], 2.0) + ti.sqrt(a[i]) + ti.log(a[i]) + ti.tanh(a[i])


@ti.kernel
def integers(a: ti.types.ndarray(dtype=ti.i32), b: ti.types.ndarray(dtype=ti.i32)):
    for i in a:
        b[i] = (a[i] << 3) ^ (a[i] & 255) | (a[i] // 7) - a[i] % 5


@ti.kernel
def products(a: ti.types.ndarray(dtype=ti.f32), b: ti.types.ndarray(dtype=ti.f32), c: ti.types.ndarray(dtype=ti.f32)):
    for i, j in c:
        t = 0.0
        for k in range(a.shape[1]):
            t += a[i, k] * b[k, j]
        c[i, j] = t


@ti.kernel
def histogram(a: ti.types.ndarray(dtype=ti.i32), bins: ti.types.ndarray(dtype=ti.i32)):
    for i in a:
        ti.atomic_add(bins[a[i]], 1)


@ti.kernel
def extremes(a: ti.types.ndarray(dtype=ti.f32), out: ti.types.ndarray(dtype=ti.f32)):
    for i in a:
        ti.atomic_max(out[0], a[i])
        ti.atomic_min(out[1], a[i])


@ti.kernel
def through_shared(a: ti.types.ndarray(dtype=ti.f32)):
    ti.loop_config(block_dim=128)
    for i in range(1024):
        t = i % 128
        pad = ti.simt.block.SharedArray((128,), ti.f32)
        pad[t] = a[i]
        ti.simt.block.sync()
        a[i] = pad[127 - t]


@ti.kernel
def from_the_next_lane(a: ti.types.ndarray(dtype=ti.f32), b: ti.types.ndarray(dtype=ti.f32)):
    ti.loop_config(block_dim=128)
    for i in range(1024):
        b[i] = ti.simt.warp.shfl_down_f32(ti.u32(0xFFFFFFFF), a[i], 1)


@ti.kernel
def draw(a: ti.types.ndarray(dtype=ti.f32)):
    for i in a:
        a[i] = ti.random()


@ti.kernel
def decompose(m: ti.types.ndarray(dtype=ti.math.mat2), back: ti.types.ndarray(dtype=ti.math.mat2)):
    for i in m:
        u, s, v = ti.svd(m[i])
        back[i] = u @ s @ v.transpose()


sparse = ti.field(ti.i32)
ti.root.pointer(ti.ij, 8).dense(ti.ij, 8).place(sparse)


@ti.kernel
def activate():
    for i, j in ti.ndrange(32, 32):
        if (i + j) % 5 == 0:
            sparse[i, j] = i + 1


@ti.kernel
def count_active() -> ti.i32:
    c = 0
    for i, j in sparse:
        c += sparse[i, j]
    return c


A, B = random.standard_normal((24, 40)).astype(np.float32), random.standard_normal((40, 16)).astype(np.float32)
I = random.integers(-5000, 5000, 777, dtype=np.int32)
D = random.uniform(0.1, 4, 500)
F = random.standard_normal(1024).astype(np.float32)


def run(name, kernel, *arrays):
    checks.attempt(name, lambda: (kernel(*arrays), ti.sync()))


checks.close("sum", total(), X.sum(dtype=np.float64))
out = np.zeros_like(D)
run("mathematics", mathematics, D, out)
checks.close("mathematics", out, np.sin(D) + np.exp(-D) * D**1.5 + np.arctan2(D, 2.0) + np.sqrt(D) + np.log(D) + np.tanh(D))
out = np.zeros_like(I)
run("integers", integers, I, out)
checks.equal("integers", out, (I << 3) ^ (I & 255) | (I // 7) - I % 5)
out = np.zeros((24, 16), np.float32)
run("matrix product", products, A, B, out)
checks.close("matrix product", out, A @ B, rtol=1e-4, atol=1e-5)
bins = np.zeros(64, np.int32)
run("histogram", histogram, np.abs(I) % 64, bins)
checks.equal("histogram", bins, np.bincount(np.abs(I) % 64, minlength=64).astype(np.int32))
out = np.zeros(2, np.float32)
run("extremes", extremes, F, out)
checks.equal("extremes", out, np.array([F.max(), F.min()]))
out = F.copy()
run("shared memory", through_shared, out)
checks.equal("shared memory", out, F.reshape(8, 128)[:, ::-1].ravel())
out = np.zeros_like(F)
run("shuffle", from_the_next_lane, F, out)
checks.equal("shuffle", out.reshape(32, 32)[:, :31], F.reshape(32, 32)[:, 1:])
out = np.zeros(20000, np.float32)
run("random numbers", draw, out)
checks.holds("random numbers", 0 <= out.min() and out.max() < 1 and abs(out.mean() - 0.5) < 0.02 and abs(out.std() - 0.2887) < 0.02, out)
M = random.standard_normal((50, 2, 2)).astype(np.float32)
matrices, back = ti.Matrix.ndarray(2, 2, ti.f32, shape=50), ti.Matrix.ndarray(2, 2, ti.f32, shape=50)
matrices.from_numpy(M)
run("singular values", decompose, matrices, back)
checks.close("singular values", back.to_numpy(), M, rtol=1e-3, atol=1e-4)
run("sparse fields", activate)
checks.equal("sparse fields", count_active(), sum(i + 1 for i in range(32) for j in range(32) if (i + j) % 5 == 0))
checks.tell(started=round(started, 3), processor=round(spent, 3))
