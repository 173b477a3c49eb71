# SPDX-License-Identifier: Apache-2.0
"""Kernels of Dr.Jit, which writes its PTX itself, held against NumPy: arithmetic, gathering, loops, calls by a table, arrays of
a thread, textures, derivatives."""
import os

os.environ["HOME"] = os.environ["XDG_CACHE_HOME"]  # what it compiled it keeps in a folder there

import drjit as dr
import numpy as np
from drjit.cuda import Array2f, Float, Float64, PCG32, TensorXf, Texture2f, UInt32
from drjit.cuda.ad import Float as Differentiable

from kernel_checks import Checks

checks = Checks(dr.__version__)
N = 1000


def told(values):
    return np.array(values).ravel()


x = dr.linspace(Float, 0.5, 2, N)
X = told(x).astype(np.float64)
for name in ("sin", "cos", "exp", "log", "sqrt", "tanh", "floor"):
    checks.close(name, told(getattr(dr, name)(x)), getattr(np, name)(X))
for name in ("sin", "exp", "atan"):
    wide = getattr(dr, name)(Float64(X))
    checks.close(f"{name} of doubles", told(wide), getattr(np, {"atan": "arctan"}.get(name, name))(X))

i = dr.arange(UInt32, N)
I = np.arange(N)
checks.close("sum", told(dr.sum(x)), [X.sum()])
checks.equal("sums so far", told(dr.cumsum(i)), np.cumsum(I))
checks.equal("what is left", told(dr.compress(i % 7 == 3)), I[I % 7 == 3])
ends = dr.zeros(UInt32, 10)
dr.scatter_add(ends, i, i % 10)
checks.equal("scattered", told(ends), [I[I % 10 == k].sum() for k in range(10)])
most = dr.zeros(UInt32, 4)
dr.scatter_reduce(dr.ReduceOp.Max, most, i, i % 4)
checks.equal("the most of each", told(most), [996, 997, 998, 999])


@dr.syntax
def collatz(n: UInt32):
    steps = UInt32(0)
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def collatz_here(n):
    steps = 0
    while n != 1:
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    return steps


checks.equal("a loop", told(collatz(i + 1)), [collatz_here(n) for n in range(1, N + 1)])
called = dr.switch(i % 3, [lambda v: v + 1, lambda v: v * 10, lambda v: v - 5], Float(i))
checks.equal("calls by a table", told(called), np.choose(I % 3, [I + 1, I * 10, I - 5]))
own = dr.alloc_local(Float, 10, value=dr.zeros(Float))
own[i % 10] = Float(i)
checks.equal("arrays of a thread", told(own[(i * 2) % 10]), np.where(I % 10 == (I * 2) % 10, I, 0))
drawn = told(PCG32(100000).next_float32())
checks.holds("random numbers", drawn.min() >= 0 and drawn.max() < 1 and abs(drawn.mean() - 0.5) < 0.01)

side = 16
for channels in (1, 3, 4):
    texels = TensorXf(dr.arange(Float, side * side * channels), (side, side, channels))
    place = Array2f(dr.linspace(Float, 0.1, 0.9, 33), dr.linspace(Float, 0.2, 0.7, 33))
    by_texture = Texture2f(texels, use_accel=True).eval(place)
    by_hand = Texture2f(texels, use_accel=False).eval(place)
    # Textures take the weight of a texel to 8 bits; neighbours of a row are `channels` apart, those of a column 16 times that.
    apart = max(np.abs(told(a) - told(b)).max() for a, b in zip(by_texture, by_hand))
    checks.holds(f"a texture of {channels}", apart <= channels * (side + 1) / 256)

a = Differentiable([1, 2, 3])
dr.enable_grad(a)
dr.backward(dr.sum(dr.sin(a) ** 2))
checks.close("derivatives", told(dr.grad(a)), np.sin(2 * np.array([1, 2, 3])))
checks.tell()
