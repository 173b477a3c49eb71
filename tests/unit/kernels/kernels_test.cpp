// SPDX-License-Identifier: Apache-2.0
// Whole kernels (tests/kernels) against the same in C++: memory, barriers, branches that part and meet, calls, locks.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

TEST(Kernels, AddVectors) {
  const Module module(kernel_file("vector_add.ptx"));
  ASSERT_EQ(module.code(), 0) << module.message();
  constexpr std::uint32_t kCount = 1000;
  Buffer<float> a(kCount);
  Buffer<float> b(kCount);
  Buffer<float> c(kCount, -1);
  std::mt19937 random(1);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(random()) / 7;
    b[i] = static_cast<float>(random()) / -3;
  }
  const nvmlab_fault fault = module.launch("vector_add", 9, 128, {a.address(), b.address(), c.address(), kCount - 1});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t i = 0; i + 1 < kCount; ++i)
    ASSERT_EQ(c[i], a[i] + b[i]) << i;
  EXPECT_EQ(c[kCount - 1], -1);
}

TEST(Kernels, AddUpInSharedMemory) {
  const Module module(kernel_file("reduce.ptx"));
  ASSERT_EQ(module.code(), 0) << module.message();
  constexpr std::uint32_t kBlocks = 37;
  Buffer<std::uint32_t> in(kBlocks * 256);
  Buffer<std::uint32_t> out(kBlocks);
  std::mt19937 random(2);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<std::uint32_t>(random());
  const nvmlab_fault fault = module.launch("reduce", kBlocks, 256, {in.address(), out.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t block = 0; block < kBlocks; ++block)
    ASSERT_EQ(out[block], std::accumulate(&in[block * 256], &in[block * 256] + 256, 0U)) << block;
}

TEST(Kernels, LanesThatPartMeetAgain) {
  const Module module(kernel_file("diverge.ptx"));
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint32_t> out(64);
  nvmlab_fault fault = module.launch("collatz", 1, 64, {out.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t i = 0; i < 64; ++i) {
    std::uint32_t steps = 0;
    for (std::uint32_t n = i + 1; n > 1; ++steps)
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    EXPECT_EQ(out[i] & 0xFFFF, steps) << i;
    EXPECT_EQ(out[i] >> 16, 32U) << "all of a warp are there behind the loop";
  }
  fault = module.launch("ladder", 1, 50, {out.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  constexpr std::uint32_t kTable[] = {1000, 100, 10, 1};
  for (std::uint32_t i = 0; i < 50; ++i)
    EXPECT_EQ(out[i], kTable[i % 4]) << i;
}

TEST(Kernels, CallThemselves) {
  const Module module(kernel_file("diverge.ptx"));
  Buffer<std::uint32_t> out(40);
  const nvmlab_fault fault = module.launch("fib", 1, 40, {out.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  constexpr std::uint32_t kFibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  for (std::uint32_t i = 0; i < 40; ++i)
    EXPECT_EQ(out[i], kFibonacci[i % 11]) << i;
}

// Each thread, and each frame of a call, has its own at the alignment that the text asks for.
TEST(Kernels, VariablesOfThreadsAreAligned) {
  const Module module(R"(
.version 8.0
.target sm_70
.address_size 64
.func (.param .b64 result) inner() {
  .reg .b64 %rd<3>;
  .local .align 512 .b8 own[8];
  mov.u64 %rd1, own;
  cvta.local.u64 %rd2, %rd1;
  st.param.b64 [result], %rd2;
  ret;
}
.visible .entry where(.param .u64 to) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<8>;
  .local .align 256 .b8 own[4];
  .param .b64 given;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 16;
  add.s64 %rd1, %rd1, %rd2;
  mov.u64 %rd3, own;
  cvta.local.u64 %rd4, %rd3;
  call.uni (given), inner, ();
  ld.param.b64 %rd5, [given];
  st.u64 [%rd1], %rd4;
  st.u64 [%rd1+8], %rd5;
  ret;
}
)");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint64_t> to(2 * 40, 1);
  const nvmlab_fault fault = module.launch("where", 1, 40, {to.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::size_t i = 0; i < to.size(); i += 2) {
    EXPECT_EQ(to[i] % 256, 0U) << "of thread " << i / 2;
    EXPECT_EQ(to[i + 1] % 512, 0U) << "in a call of thread " << i / 2;
  }
}

// As LLVM chooses between two parameters: by their addresses in registers of 32 bits.
TEST(Kernels, ParametersHaveAddressesOf32BitsToo) {
  const Module module(R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry chosen(.param .u64 to, .param .u64 even, .param .u64 odd) {
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  setp.eq.b32 %p, %r2, 0;
  mov.b32 %r3, even;
  mov.b32 %r4, odd;
  selp.b32 %r5, %r3, %r4, %p;
  ld.param.b64 %rd2, [%r5];
  mul.wide.u32 %rd3, %r1, 8;
  add.s64 %rd1, %rd1, %rd3;
  st.global.b64 [%rd1], %rd2;
  ret;
}
)");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint64_t> to(40, 0);
  constexpr std::uint64_t kEven = 0x123456789abcdef0;
  const nvmlab_fault fault = module.launch("chosen", 1, 40, {to.address(), kEven, kEven + 1});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::size_t i = 0; i < to.size(); ++i)
    EXPECT_EQ(to[i], kEven + i % 2) << "of thread " << i;
}

TEST(Kernels, OneLaneAfterAnotherBehindALock) {
  const Module module(kernel_file("diverge.ptx"));
  const nvmlab_fault fault = module.launch("spin", 4, 40);
  ASSERT_EQ(fault.code, 0) << fault.message;
  EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(module.variable("count").address), 160U);
  EXPECT_EQ(module.variable("count").bytes, 4U);
}

TEST(Kernels, LanesTellEachOther) {
  const Module module(kernel_file("warp.ptx"));
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint32_t> in(96);
  Buffer<std::uint32_t> out(3);
  for (std::uint32_t i = 0; i < 96; ++i)
    in[i] = i * i;
  nvmlab_fault fault = module.launch("sum", 1, 96, {in.address(), out.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t warp = 0; warp < 3; ++warp)
    EXPECT_EQ(out[warp], std::accumulate(&in[warp * 32], &in[warp * 32] + 32, 0U)) << warp;
  Buffer<std::uint32_t> votes(32 * 6);
  fault = module.launch("votes", 1, 32, {votes.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(votes[i * 6], 0x22222222U);
    EXPECT_EQ(votes[i * 6 + 1], 1U);
    EXPECT_EQ(votes[i * 6 + 2], 0U);
    EXPECT_EQ(votes[i * 6 + 3], 0x11111111U << i % 4);
    EXPECT_EQ(votes[i * 6 + 4], 31U * 16);
    EXPECT_EQ(votes[i * 6 + 5], 31U);
  }
}

TEST(Kernels, FaultsNameKernelLineAndThread) {
  const Module module(kernel_file("faults.ptx"));
  ASSERT_EQ(module.code(), 0) << module.message();
  EXPECT_EQ(module.message(), "refused: ptx:43:3: wgmma.fence.sync.aligned is not executed");
  const nvmlab_fault wild = module.launch("wild", 1, 1, {0x1000});
  EXPECT_EQ(wild.code, 700);
  EXPECT_STREQ(wild.message,
               "wild, line 11 of its PTX, block (0, 0, 0), thread (0, 0, 0): an illegal address, 0x1000 (4 bytes)");
  Buffer<std::uint32_t> memory(2);
  EXPECT_EQ(module.launch("wild", 1, 1, {memory.address() + 2}).code, 716);
  EXPECT_EQ(module.launch("wild", 1, 1, {memory.address() + 8}).code, 700);
  EXPECT_EQ(module.launch("wild", 1, 1, {memory.address() + 4}).code, 0);
  EXPECT_EQ(module.launch("outside_of_shared", 1, 1).code, 700);
  EXPECT_EQ(module.launch("trapped", 1, 1).code, 719);
  EXPECT_EQ(module.launch("deep", 1, 1).code, 719);
  EXPECT_EQ(module.launch("refused", 1, 1).code, 801);
}

}  // namespace
}  // namespace nvmlab::kernels_test
