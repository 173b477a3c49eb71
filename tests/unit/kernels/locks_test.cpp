// SPDX-License-Identifier: Apache-2.0
// Lanes that wait for a lock which another lane of their warp may hold: one block, so one thread of the host runs it
// and every launch takes as many instructions.
#include <gtest/gtest.h>

#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

// Each lane in its turn takes the lock, works for a while and adds one, as compilers of loops over sparse data write
// it.
constexpr const char* kLeaders = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry leaders(.param .u64 words) {
  .reg .pred %p<5>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [words];
  activemask.b32 %r1;
  mov.u32 %r2, %laneid;
  mov.u32 %r3, 1;
  shl.b32 %r3, %r3, %r2;
leader:
  neg.s32 %r4, %r1;
  and.b32 %r4, %r4, %r1;
  setp.ne.u32 %p1, %r4, %r3;
  @%p1 bra next;
again:
  atom.global.exch.b32 %r5, [%rd1], 1;
  setp.ne.u32 %p2, %r5, 0;
  @%p2 bra again;
  mov.u32 %r6, 0;
work:
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p3, %r6, 40;
  @%p3 bra work;
  ld.global.u32 %r7, [%rd1+4];
  add.u32 %r7, %r7, 1;
  st.global.u32 [%rd1+4], %r7;
  membar.gl;
  atom.global.exch.b32 %r5, [%rd1], 0;
next:
  not.b32 %r8, %r4;
  and.b32 %r1, %r1, %r8;
  setp.ne.u32 %p4, %r1, 0;
  @%p4 bra leader;
  ret;
})";

TEST(KernelLocks, LanesThatWaitLetTheHolderGoOn) {
  const Module module(kLeaders);
  ASSERT_EQ(module.code(), 0) << module.message();
  for (const std::uint32_t threads : {32U, 64U, 256U}) {
    Buffer<std::uint32_t> words(2);
    const nvmlab_fault fault = module.launch("leaders", 1, threads, {words.address()});
    ASSERT_EQ(fault.code, 0) << fault.message;
    EXPECT_EQ(words[0], 0U);
    EXPECT_EQ(words[1], threads);
    // Each waits while the others work, ten times as long at most; it was thousands of times.
    EXPECT_LT(fault.instructions, std::uint64_t{threads} * (128 + 10 * threads) * 10) << threads;
  }
}

}  // namespace
}  // namespace nvmlab::kernels_test
