# SPDX-License-Identifier: Apache-2.0
"""Tensors of tinygrad, and some steps of training, on its PTX renderer (DEV=CUDA:PTX), held against NumPy."""
import importlib.metadata

import numpy as np
from tinygrad import Context, Tensor, TinyJit, dtypes, nn

from kernel_checks import Checks

checks = Checks(importlib.metadata.version("tinygrad"))
random = np.random.default_rng(15)


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


A, B, V = floats(64, 48), floats(48, 32), floats(300)
HALF_A, HALF_B = A.astype(np.float16), B.astype(np.float16)
P = np.abs(V) + np.float32(0.1)
I, J = random.integers(-1000, 1000, 257, dtype=np.int32), random.integers(1, 90, 257, dtype=np.int32)
IMAGE, WEIGHT = floats(2, 3, 12, 12), floats(4, 3, 3, 3)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def convolved(image, weight):
    windows = np.lib.stride_tricks.sliding_window_view(image, weight.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, weight)


def normalised(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def of_exactly():
    """name, tinygrad's way, NumPy's way: results that rounding cannot part."""
    t = Tensor
    yield "add", t(V) + 1, V + np.float32(1)
    yield "compare", t(V) > 0.5, V > np.float32(0.5)
    yield "where", (t(V) > 0).where(t(V), 0), np.where(V > 0, V, 0)
    yield "maximum", t(V).maximum(0.25), np.maximum(V, np.float32(0.25))
    yield "max of rows", t(A).max(1), A.max(1)
    yield "argmax", t(A).argmax(1), A.argmax(1).astype(np.int32)
    yield "transposed", t(A).T.contiguous(), A.T
    yield "integers", t(I) * t(J) - 7, I * J - 7
    yield "quotient", t(I) // t(J), I // J
    yield "remainder", t(I) % t(J), I % J
    yield "bits", (t(I) & 0xFF) ^ (t(J) | 3), (I & 0xFF) ^ (J | 3)
    yield "shifts", (t(J) << 3) + (t(J) >> 1), (J << 3) + (J >> 1)
    yield "sum of integers", t(I).sum(), I.sum(dtype=np.int32)
    yield "running sum", t(I).cumsum(), I.cumsum(dtype=np.int32)
    yield "sorted", t(V[:128]).sort()[0], np.sort(V[:128])
    yield "gathered", t(A)[t([5, 1, 7])], A[[5, 1, 7]]
    yield "padded", t(A).pad(((1, 2), (3, 0))), np.pad(A, ((1, 2), (3, 0)))
    yield "triangle", t(A).tril(), np.tril(A)
    yield "to half", t(V).cast(dtypes.float16), V.astype(np.float16)
    yield "to bytes", t(J).cast(dtypes.uint8) + 200, J.astype(np.uint8) + np.uint8(200)
    yield "doubles", t(V).cast(dtypes.float64) * 2.5, V.astype(np.float64) * 2.5
    yield "long integers", t(I).cast(dtypes.int64) << 20, I.astype(np.int64) << 20


def of_nearly():
    t = Tensor
    yield "matrix product", t(A) @ t(B), A @ B
    yield "matrix product of halves", t(HALF_A) @ t(HALF_B), HALF_A.astype(np.float32) @ HALF_B.astype(np.float32)  # on tensor cores
    yield "sum", t(A).sum(0), A.sum(0)
    yield "sin, exp, log, sqrt", t(P).sin() + t(V).exp() + t(P).log() + t(P).sqrt(), np.sin(P) + np.exp(V) + np.log(P) + np.sqrt(P)
    yield "softmax", t(A).softmax(), softmax(A)
    yield "convolution", t(IMAGE).conv2d(t(WEIGHT)), convolved(IMAGE, WEIGHT)
    yield "pooling", t(IMAGE).max_pool2d(), IMAGE.reshape(2, 3, 6, 2, 6, 2).max((3, 5))
    yield "layer norm", t(A).layernorm(), normalised(A)
    yield "deviation", t(V).std(), V.std(ddof=1)


def each(cases, check, **how):
    for name, tensor, expected in cases:
        checks.attempt(name, lambda: check(name, tensor.numpy(), expected, **how))


def training():
    """Two layers fit a function by gradient descent; NumPy takes the same steps by the chain rule."""
    x, y = floats(32, 8), floats(32, 1)
    w1, w2 = floats(8, 16) * 0.3, floats(16, 1) * 0.3
    t1, t2 = Tensor(w1), Tensor(w2)
    optimiser = nn.optim.SGD([t1, t2], lr=0.05)
    with Context(TRAINING=1):
        for step in range(4):
            hidden = x @ w1
            active = np.maximum(hidden, 0)
            error = active @ w2 - y
            by_output = 2 * error / error.size
            by_hidden = (by_output @ w2.T) * (hidden > 0)
            w1, w2 = w1 - 0.05 * (x.T @ by_hidden), w2 - 0.05 * (active.T @ by_output)
            optimiser.zero_grad()
            loss = ((Tensor(x) @ t1).relu() @ t2 - Tensor(y)).square().mean()
            loss.backward()
            checks.close(f"loss of step {step}", loss.numpy(), (error * error).mean(), rtol=1e-4)  # it is computed when it is asked for
            optimiser.step()
            checks.close(f"weights of step {step}", t1.numpy(), w1, rtol=1e-3, atol=1e-5)


def replayed():
    @TinyJit
    def step(x):
        return (x * 2 + 1).sum().realize()

    for i in range(5):  # the third call and those after it launch what was captured
        checks.close(f"captured call {i}", step(Tensor(V + np.float32(i)).realize()).numpy(), (V + np.float32(i)).sum() * 2 + V.size, rtol=1e-4, atol=1e-3)


each(of_exactly(), checks.equal)
each(of_nearly(), checks.close, rtol=2e-3, atol=2e-3)
checks.attempt("training", training)
checks.attempt("captured calls", replayed)
checks.tell()
