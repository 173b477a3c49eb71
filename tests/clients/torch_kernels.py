# SPDX-License-Identifier: Apache-2.0
"""PyTorch of a wheel on CUDA: devices, memory, streams and events; kernels that torch.compile makes (TRITON_PTXAS_PATH is
ptx_as_it_is.sh), held against those of the processor. Kernels of the wheel itself are code of real GPUs, and say so."""
import torch
import torch._inductor.config

from kernel_checks import Checks

# Of several ways to compile a kernel the first is taken: to time them PyTorch fills memory by a kernel of its own.
torch._inductor.config.triton.autotune_pointwise = False
checks = Checks(torch.__version__)
cuda = torch.cuda
first, second = torch.device("cuda:0"), torch.device("cuda:1")


def devices():
    checks.holds("is available", cuda.is_available())
    checks.equal("count", cuda.device_count(), 2)
    checks.equal("name", cuda.get_device_name(0), "NVIDIA A100-SXM4-40GB")
    checks.equal("capability", cuda.get_device_capability(1), (8, 0))
    facts = cuda.get_device_properties(0)
    checks.equal("multiprocessors", facts.multi_processor_count, 108)
    free, total = cuda.mem_get_info(0)
    checks.equal("memory", total, facts.total_memory)
    checks.holds("free memory", 0 < free < total, free)
    checks.holds("peers", cuda.can_device_access_peer(0, 1))
    with cuda.device(1):
        checks.equal("current", cuda.current_device(), 1)


def memory():
    free = cuda.mem_get_info(0)[0]
    large = torch.empty(1 << 28, dtype=torch.uint8, device=first)
    checks.equal("allocated", cuda.memory_allocated(0), 1 << 28)
    checks.holds("taken from the GPU", free - cuda.mem_get_info(0)[0] >= 1 << 28)
    del large
    cuda.empty_cache()
    checks.equal("given back", cuda.memory_reserved(0), 0)
    values = torch.arange(1000, dtype=torch.float32)
    checks.equal("there and back", values.to(first).cpu(), values)
    checks.equal("from one to the other", values.to(first).to(second).cpu(), values)
    checks.equal("rows", values.reshape(10, 100).to(first)[3:5].cpu(), values.reshape(10, 100)[3:5])
    pinned = values.pin_memory()
    checks.holds("pinned", pinned.is_pinned())
    checks.equal("from pinned memory", pinned.to(first, non_blocking=True).cpu(), values)
    try:
        torch.empty(1 << 40, dtype=torch.uint8, device=first)
        checks.holds("no memory is an error", False)
    except cuda.OutOfMemoryError as error:
        checks.holds("no memory is an error", "CUDA out of memory" in str(error), error)


def streams():
    stream, other = cuda.Stream(first), cuda.Stream(first, priority=-1)
    begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    values = torch.arange(100000, dtype=torch.int64).pin_memory()
    with cuda.stream(stream):
        begin.record()
        there = values.to(first, non_blocking=True)
        end.record()
    other.wait_event(end)
    with cuda.stream(other):
        back = there.cpu()
    end.synchronize()
    checks.holds("events are done", begin.query() and end.query())
    checks.holds("time passes", begin.elapsed_time(end) >= 0)
    checks.equal("one stream after the other", back, values)
    stream.synchronize()
    checks.holds("streams are done", stream.query() and other.query())


def rows(x, y):
    return torch.relu(x * 2 + y).sum(dim=1) + torch.sin(x[:, 0])


def softmax(x):
    return torch.softmax(x, dim=-1)


def normed(x, weight, bias):
    return torch.nn.functional.gelu(torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias))


def compiled():
    torch.manual_seed(15)
    x, y, weight, bias = torch.randn(64, 128), torch.randn(64, 128), torch.randn(128), torch.randn(128)
    for function, arguments in (rows, (x, y)), (softmax, (x,)), (normed, (x, weight, bias)):
        got = torch.compile(function)(*[each.to(first) for each in arguments])
        checks.close(function.__name__, got.cpu(), function(*arguments), rtol=1e-4, atol=1e-4)
    leaf = x.to(first).requires_grad_()
    torch.compile(softmax)(leaf).backward(y.to(first))
    expected = x.clone().requires_grad_()
    softmax(expected).backward(y)
    checks.close("gradient", leaf.grad.cpu(), expected.grad, rtol=1e-4, atol=1e-5)


def refused():
    try:
        torch.ones(3, device=first)
        checks.holds("a kernel of the wheel is refused", False)
    except RuntimeError as error:
        checks.holds("a kernel of the wheel is refused", "no kernel image is available" in str(error), error)


for part in devices, memory, streams, compiled, refused:
    checks.attempt(part.__name__, part)
checks.tell()
