// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/measure.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "kernels/kernels_api.h"
#include "tests/bench/kernels/loops.hpp"

namespace nvmlab::bench {
namespace {

constexpr int kRepetitions = 9;

// All memory of the process may be used: what is measured leaves nothing.
int find_anything(void*, std::uint64_t, std::uint64_t* begin, std::uint64_t* end) {
  *begin = 0;
  *end = ~std::uint64_t{0};
  return 1;
}

double nanoseconds_of(const std::function<void()>& work) {
  double best = 1e300;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best;
}

struct Shape {
  std::uint32_t x;
  std::uint32_t y;
  std::uint32_t threads;
};

class LoadedKernels {
 public:
  LoadedKernels() {
    std::ifstream file(NVMLAB_BENCH_KERNELS);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    nvmlab_load request{};
    request.size = sizeof request;
    request.image = text.c_str();
    request.target = 90;
    request.allocate = [](void*, std::uint64_t) { return std::uint64_t{0}; };
    if (table_.load(&request) == 0) module_ = request.module;
  }

  // Parameters are of 8 bytes; the instructions that it took, or 0 where it failed.
  std::uint64_t launch(const char* name, Shape shape, std::vector<std::uint64_t> parameters) const {
    nvmlab_launch request{};
    request.size = sizeof request;
    request.kernel = table_.nth_kernel(module_, static_cast<std::uint32_t>(table_.find_kernel(module_, name)));
    request.grid[0] = shape.x;
    request.grid[1] = shape.y;
    request.grid[2] = request.block[1] = request.block[2] = 1;
    request.block[0] = shape.threads;
    request.parameters = parameters.data();
    request.multiprocessors = 132;
    request.find = find_anything;
    nvmlab_fault fault{};
    const int code = table_.launch(&request, &fault);
    return code == 0 && fault.code == 0 ? fault.instructions : 0;
  }
  bool there() const { return module_ != nullptr; }

 private:
  const nvmlab_kernels& table_ = *nvmlab_kernels_table();
  nvmlab_module* module_ = nullptr;
};

std::uint64_t address(const auto& of) { return reinterpret_cast<std::uint64_t>(of.data()); }

void matmul(const LoadedKernels& kernels, KernelFigures* out) {
  constexpr std::uint32_t kSide = 192;
  std::vector<float> a(kSide * kSide);
  std::vector<float> b(kSide * kSide);
  std::vector<float> c(kSide * kSide);
  std::vector<float> right(kSide * kSide);
  for (std::uint32_t i = 0; i < kSide * kSide; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 11);
  }
  out->kernel_ns = nanoseconds_of([&] {
    out->instructions = kernels.launch("matmul", {kSide / 64, kSide, 64}, {address(a), address(b), address(c), kSide});
  });
  out->loop_ns = nanoseconds_of([&] { matmul_loop(a.data(), b.data(), right.data(), kSide); });
  out->right = c == right ? 1 : 0;
}

void reduce(const LoadedKernels& kernels, KernelFigures* out) {
  constexpr std::uint32_t kCount = 1 << 20;
  std::vector<std::uint32_t> in(kCount);
  std::vector<std::uint32_t> sum(1);
  std::mt19937 random(1);
  std::ranges::generate(in, [&] { return static_cast<std::uint32_t>(random()); });
  out->kernel_ns = nanoseconds_of([&] {
    sum[0] = 0;
    out->instructions = kernels.launch("reduce", {128, 1, 256}, {address(in), address(sum), kCount});
  });
  std::uint32_t right = 0;
  out->loop_ns = nanoseconds_of([&] { right = reduce_loop(in.data(), kCount); });
  out->right = sum[0] == right ? 1 : 0;
}

void histogram(const LoadedKernels& kernels, KernelFigures* out) {
  constexpr std::uint32_t kCount = 1 << 20;
  std::vector<std::uint8_t> in(kCount);
  std::vector<std::uint32_t> bins(256);
  std::vector<std::uint32_t> right(256);
  std::mt19937 random(2);
  std::ranges::generate(in, [&] { return static_cast<std::uint8_t>(random()); });
  out->kernel_ns = nanoseconds_of([&] {
    std::ranges::fill(bins, 0);
    out->instructions = kernels.launch("histogram", {128, 1, 256}, {address(in), address(bins), kCount});
  });
  out->loop_ns = nanoseconds_of([&] {
    std::ranges::fill(right, 0);
    histogram_loop(in.data(), right.data(), kCount);
  });
  out->right = bins == right ? 1 : 0;
}

void fill(const LoadedKernels& kernels, Shape shape, std::uint32_t count, KernelFigures* out) {
  std::vector<std::uint32_t> memory(count);
  out->kernel_ns = nanoseconds_of([&] { out->instructions = kernels.launch("fill", shape, {address(memory), count}); });
  out->right = 1;
  for (std::uint32_t i = 0; i < count; ++i)
    out->right &= memory[i] == i ? 1U : 0U;
}

using Measure = void (*)(const LoadedKernels&, KernelFigures*);
constexpr Measure kMeasures[] = {
    matmul,
    reduce,
    histogram,
    [](const LoadedKernels& kernels, KernelFigures* out) {
      fill(kernels, {8448, 1, 1024}, 1 << 20, out);
    },
    [](const LoadedKernels& kernels, KernelFigures* out) {
      fill(kernels, {64, 1, 256}, 64 * 256, out);
    },
    [](const LoadedKernels& kernels, KernelFigures* out) {
      fill(kernels, {1, 1, 32}, 32, out);
    },
};

void use_cores(std::uint32_t count) {
  cpu_set_t usable;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  ::sched_getaffinity(0, sizeof usable, &usable);
  for (int cpu = 0; cpu < CPU_SETSIZE && count > 0; ++cpu) {
    if (!CPU_ISSET(cpu, &usable)) continue;
    CPU_SET(cpu, &mine);
    --count;
  }
  ::sched_setaffinity(0, sizeof mine, &mine);
}

}  // namespace

const std::vector<KernelCase>& kernel_cases() {
  static const std::vector<KernelCase> cases = {
      {"matrix multiply", "192 x 192 floats, a thread for each element"},
      {"reduction", "1,048,576 numbers in 128 blocks of 256, shared memory and barriers"},
      {"histogram", "1,048,576 bytes in 128 blocks of 256, atomics in shared memory"},
      {"start of taichi", "8,448 blocks of 1,024 threads that store a number or nothing", false},
      {"short launch", "64 blocks of 256 threads that store a number", false},
      {"one warp", "32 threads that store a number: what a launch costs", false},
  };
  return cases;
}

bool measure_kernel(std::size_t number, std::uint32_t cores, KernelFigures* out) {
  int pipe[2];
  if (::pipe(pipe) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    use_cores(cores);
    const LoadedKernels kernels;
    KernelFigures figures;
    if (kernels.there()) kMeasures[number](kernels, &figures);
    const bool told = ::write(pipe[1], &figures, sizeof figures) == sizeof figures;
    ::_exit(kernels.there() && told ? 0 : 1);
  }
  ::close(pipe[1]);
  const bool read = ::read(pipe[0], out, sizeof *out) == sizeof *out;
  ::close(pipe[0]);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0 && read;
}

std::uint32_t usable_cores() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
  return static_cast<std::uint32_t>(CPU_COUNT(&mine));
}

}  // namespace nvmlab::bench
