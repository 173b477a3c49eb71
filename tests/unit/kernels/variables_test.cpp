// SPDX-License-Identifier: Apache-2.0
// How kernels name their variables: elements by an index, tables that are declared before they are defined. Dr.Jit does
// both.
#include <gtest/gtest.h>

#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

// "array[2]" and "array[%r1+1]" are addresses without further brackets; what they count is elements.
TEST(Variables, ElementsOfArraysHaveTheirIndex) {
  const Module module(R"(
.version 8.0
.target sm_70
.address_size 64
.global .align 4 .b32 table[4] = {10, 20, 30, 40};
.visible .entry k(.param .u64 to) {
  .reg .b32 %r<8>;
  .reg .s32 %back;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  .local .align 4 .b32 own[40];
  .shared .align 8 .b64 all[40];
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %tid.x;
  cvt.u64.u32 %rd2, %r1;
  mul.lo.u32 %r3, %r1, 7;
  mov.u32 %r2, 0;
fill:
  st.local.b32 own[%r2], %r3;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, 40;
  @%p bra fill;
  st.local.b32 own[%r1], %r1;
  st.shared.b64 all[%rd2], %rd2;
  bar.sync 0;
  mov.b32 %back, -1;
  ld.local.b32 %r4, own[%back+1];
  ld.local.b32 %r5, own[%r1];
  ld.global.b32 %r6, table[2];
  xor.b32 %r2, %r1, 1;
  ld.shared.b64 %rd3, all[%r2];
  cvt.u32.u64 %r7, %rd3;
  mul.wide.u32 %rd2, %r1, 16;
  add.s64 %rd1, %rd1, %rd2;
  st.global.v4.b32 [%rd1], {%r4, %r5, %r6, %r7};
  ret;
}
)");
  ASSERT_EQ(module.message(), "");
  constexpr std::uint32_t kThreads = 40;
  Buffer<std::uint32_t> to(4 * kThreads, 1);
  const nvmlab_fault fault = module.launch("k", 1, kThreads, {to.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(to[4 * i], i * 7) << i;  // own[0], which thread 0 has written
    EXPECT_EQ(to[4 * i + 1], i) << i;
    EXPECT_EQ(to[4 * i + 2], 30U) << i;
    EXPECT_EQ(to[4 * i + 3], i ^ 1) << i;
  }
}

// A table of functions that is declared above the kernel that calls by it, and defined behind the functions.
TEST(Variables, VariablesAreDeclaredBeforeTheyAreDefined) {
  const Module module(R"(
.version 8.0
.target sm_70
.address_size 64
.extern .global .u64 table[2];
.visible .entry k(.param .u64 to) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  ld.global.u64 %rd2, table[%r2];
  {
    .param .b32 given;
    .param .b32 result;
    st.param.b32 [given], %r1;
    callee: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (result), %rd2, (given), callee;
    ld.param.b32 %r3, [result];
  }
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  st.global.b32 [%rd1], %r3;
  ret;
}
.func (.param .b32 r) once(.param .b32 x) {
  .reg .b32 %r1;
  ld.param.b32 %r1, [x];
  st.param.b32 [r], %r1;
  ret;
}
.func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r1;
  ld.param.b32 %r1, [x];
  add.u32 %r1, %r1, %r1;
  st.param.b32 [r], %r1;
  ret;
}
.visible .global .align 8 .u64 table[2] = {once, twice};
)");
  ASSERT_EQ(module.message(), "");
  Buffer<std::uint32_t> to(40, 1);
  const nvmlab_fault fault = module.launch("k", 1, 40, {to.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t i = 0; i < to.size(); ++i)
    EXPECT_EQ(to[i], i % 2 == 0 ? i : 2 * i) << i;
}

}  // namespace
}  // namespace nvmlab::kernels_test
