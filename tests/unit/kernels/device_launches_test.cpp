// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels, by the functions of CUDA 12's device runtime.
#include <gtest/gtest.h>

#include "tests/unit/kernels/harness.hpp"
#include "tests/unit/kernels/linked.hpp"

namespace nvmlab::kernels_test {
namespace {

const std::string kDeclared = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 b, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2GetLastError();
)";

// Launches a kernel of two parameters, %o and %n, in a stream; %b is the buffer, 0 where there was no room.
std::string launch_of(const std::string& kernel, int blocks, int threads, const std::string& stream = "0") {
  return "mov.u64 %f, " + kernel + R"(;
  { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
    st.param.b64 [f], %f;
    st.param.b32 [g], )" +
         std::to_string(blocks) + "; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\nst.param.b32 [b], " +
         std::to_string(threads) + R"(; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
    st.param.b32 [s], 0;
    call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);
    ld.param.b64 %b, [r]; }
  setp.eq.u64 %none, %b, 0;
  @%none bra done;
  st.u64 [%b], %o;
  st.u32 [%b+8], %n;
  { .param .b64 b; .param .b64 s; .param .b32 r;
    st.param.b64 [b], %b; st.param.b64 [s], )" +
         stream + R"(;
    call (r), __cudaCDP2LaunchDeviceV2, (b, s);
    ld.param.b32 %c, [r]; }
done:
)";
}
const std::string kLastError = "{ .param .b32 r; call (r), __cudaCDP2GetLastError, (); ld.param.b32 %c, [r]; }\n";
const std::string kBegin = R"((.param .u64 out, .param .u32 number) {
  .reg .b64 %f, %b, %o;
  .reg .b32 %n, %c, %x;
  .reg .pred %none;
  ld.param.u64 %o, [out];
  ld.param.u32 %n, [number];
)";

// Adds its number to what stands at [out].
const std::string kLeaf = ".visible .entry leaf" + kBegin + "atom.global.add.u32 %x, [%o], %n;\nret;\n}\n";

Module linked(const std::string& text) {
  const Linked made = link(kDeclared + text, 1);
  EXPECT_EQ(made.code, 0) << made.told;
  return Module(made.image);
}

TEST(DeviceLaunches, RunWhenTheGridHasEnded) {
  const Module module =
      linked(kLeaf + ".visible .entry k" + kBegin + launch_of("leaf", 3, 40) + "st.global.u32 [%o+4], %c;\nret;\n}");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint32_t> out(2, 7);
  for (int again = 1; again <= 2; ++again) {
    const nvmlab_fault fault = module.launch("k", 2, 5, {out.address(), 11});
    ASSERT_EQ(fault.code, 0) << fault.message;
    EXPECT_EQ(out[0], 7U + again * 2 * 5 * 3 * 40 * 11);  // each of ten threads launched 120
    EXPECT_EQ(out[1], 0U);
  }
}

// Each launches the next, with one less; 24 deep and no deeper, as in CUDA.
TEST(DeviceLaunches, LaunchOthers) {
  const Module module = linked(".visible .entry k" + kBegin + R"(
  atom.global.add.u32 %x, [%o], 1;
  setp.eq.u32 %none, %n, 0;
  @%none bra done;
  sub.u32 %n, %n, 1;
)" + launch_of("k", 1, 1) + "ret;\n}");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint32_t> out(1, 0);
  EXPECT_EQ(module.launch("k", 1, 1, {out.address(), 24}).code, 0);
  EXPECT_EQ(out[0], 25U);
  const nvmlab_fault fault = module.launch("k", 1, 1, {out.address(), 25});
  EXPECT_EQ(fault.code, 1);
  EXPECT_NE(std::string(fault.message).find("more than 24 deep"), std::string::npos) << fault.message;
}

// One thread launches two after each other; the second finds what the first one left.
TEST(DeviceLaunches, RunInTheirOrder) {
  std::string second = launch_of("twice", 1, 1);
  for (std::size_t at = 0; (at = second.find("done", at)) != std::string::npos; at += 5)
    second.replace(at, 4, "ended");
  const Module module =
      linked(kLeaf + ".visible .entry twice" + kBegin +
             "ld.global.u32 %x, [%o];\nadd.u32 %x, %x, %x;\nst.global.u32 [%o], %x;\nret;\n}\n.visible .entry k" +
             kBegin + launch_of("leaf", 1, 1) + second + "ret;\n}");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint32_t> out(1, 3);
  EXPECT_EQ(module.launch("k", 1, 1, {out.address(), 4}).code, 0);
  EXPECT_EQ(out[0], 14U);
}

TEST(DeviceLaunches, BadOnesAreNamed) {
  const Module shape = linked(kLeaf + ".visible .entry k" + kBegin + launch_of("leaf", 1, 2000) + "ret;\n}");
  Buffer<std::uint32_t> out(2, 7);
  nvmlab_fault fault = shape.launch("k", 1, 1, {out.address(), 1});
  EXPECT_EQ(fault.code, 1);
  EXPECT_NE(std::string(fault.message).find("leaf was launched by a kernel with a grid, a block"), std::string::npos)
      << fault.message;

  const Module none = linked(".global .b64 v;\n.visible .entry k" + kBegin + launch_of("v", 1, 1) + "ret;\n}");
  fault = none.launch("k", 1, 1, {out.address(), 1});
  EXPECT_EQ(fault.code, 1);
  EXPECT_NE(std::string(fault.message).find("what is no kernel of its module"), std::string::npos) << fault.message;

  // The buffer handed over twice: a list that goes in a circle.
  std::string twice = launch_of("leaf", 1, 1);
  const std::size_t call = twice.find("{ .param .b64 b; .param .b64 s;");
  twice.insert(twice.find("done:"), twice.substr(call, twice.find("done:") - call));
  const Module circle = linked(kLeaf + ".visible .entry k" + kBegin + twice + "ret;\n}");
  fault = circle.launch("k", 1, 1, {out.address(), 1});
  EXPECT_EQ(fault.code, 1);
  EXPECT_NE(std::string(fault.message).find("was written over"), std::string::npos) << fault.message;
}

// 3 is the stream for what comes when all else has ended.
TEST(DeviceLaunches, TailLaunchesAreRefusedByACode) {
  const Module module = linked(kLeaf + ".visible .entry k" + kBegin + launch_of("leaf", 1, 1, "3") +
                               "st.global.u32 [%o], %c;\n" + kLastError + "st.global.u32 [%o+4], %c;\nret;\n}");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint32_t> out(2, 7);
  EXPECT_EQ(module.launch("k", 1, 1, {out.address(), 1}).code, 0);
  EXPECT_EQ(out[0], 801U);
  EXPECT_EQ(out[1], 801U);
}

// The heap has room for some two thousand; 69 is the runtime's code for more.
TEST(DeviceLaunches, HaveAnEnd) {
  const Module module = linked(kLeaf + ".visible .entry k" + kBegin + launch_of("leaf", 1, 1) + kLastError +
                               "atom.global.max.u32 %x, [%o+4], %c;\nret;\n}");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint32_t> out(2, 0);
  EXPECT_EQ(module.launch("k", 4, 1024, {out.address(), 1}).code, 0);
  EXPECT_GT(out[0], 1900U);
  EXPECT_LT(out[0], 2100U);
  EXPECT_EQ(out[1], 69U);
}

// A link whose kernels launch none has no heap.
TEST(DeviceLaunches, CostMemoryWhereThereAreSome) {
  const Linked made = link(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }", 1);
  const Module module(made.image);
  EXPECT_EQ(module.variable("__nvmlab_launched").bytes, 0U);
}

// A fill, then a copy of what it filled, though both are asked for before either is done.
TEST(DeviceLaunches, CopyAndFill) {
  const Module module = linked(R"(
.extern .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 to, .param .b32 value, .param .b64 bytes, .param .b64 stream);
.extern .func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 to, .param .b64 from, .param .b64 bytes, .param .b32 kind, .param .b64 stream);
.visible .entry k(.param .u64 out) {
  .reg .b64 %o, %p;
  .reg .b32 %c;
  ld.param.u64 %o, [out];
  add.u64 %p, %o, 4000;
  { .param .b64 to; .param .b32 value; .param .b64 bytes; .param .b64 stream; .param .b32 r;
    st.param.b64 [to], %o; st.param.b32 [value], 300; st.param.b64 [bytes], 999; st.param.b64 [stream], 0;
    call (r), __cudaCDP2MemsetAsync, (to, value, bytes, stream);
    ld.param.b32 %c, [r]; }
  st.u32 [%p+1000], %c;
  { .param .b64 to; .param .b64 from; .param .b64 bytes; .param .b32 kind; .param .b64 stream; .param .b32 r;
    st.param.b64 [to], %p; st.param.b64 [from], %o; st.param.b64 [bytes], 1000; st.param.b32 [kind], 3;
    st.param.b64 [stream], 0;
    call (r), __cudaCDP2MemcpyAsync, (to, from, bytes, kind, stream);
    ld.param.b32 %c, [r]; }
  st.u32 [%p+1004], %c;
  ret;
})");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint8_t> out(6000, 9);
  const nvmlab_fault fault = module.launch("k", 1, 1, {out.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(out[i], i < 999 ? 44 : 9) << i;
    EXPECT_EQ(out[4000 + i], out[i]) << i;
  }
  EXPECT_EQ(out[3999], 9);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(out[5000 + i], 0);
  EXPECT_EQ(out[5008], 9);
}

TEST(DeviceLaunches, AllocateAndTellTexts) {
  const Module module = linked(R"(
.extern .func (.param .b32 r) __cudaCDP2Malloc(.param .b64 to, .param .b64 size);
.extern .func (.param .b32 r) __cudaCDP2Free(.param .b64 memory);
.extern .func (.param .b64 r) __cudaCDP2GetErrorString(.param .b32 code);
.extern .func (.param .b64 r) __cudaCDP2GetErrorName(.param .b32 code);
.visible .entry k(.param .u64 out, .param .u32 size) {
  .reg .b64 %o, %p, %z;
  .reg .b32 %c, %n;
  .reg .pred %failed;
  ld.param.u64 %o, [out];
  ld.param.u32 %n, [size];
  cvt.u64.u32 %z, %n;
  { .param .b64 to; .param .b64 size; .param .b32 r;
    st.param.b64 [to], %o; st.param.b64 [size], %z;
    call (r), __cudaCDP2Malloc, (to, size);
    ld.param.b32 %c, [r]; }
  { .param .b32 code; .param .b64 r;
    st.param.b32 [code], %c;
    call (r), __cudaCDP2GetErrorString, (code);
    ld.param.b64 %p, [r]; }
  ld.u8 %n, [%p+1];
  st.u32 [%o+8], %n;
  { .param .b32 code; .param .b64 r;
    st.param.b32 [code], %c;
    call (r), __cudaCDP2GetErrorName, (code);
    ld.param.b64 %p, [r]; }
  ld.u8 %n, [%p+4];
  st.u32 [%o+12], %n;
  st.u32 [%o+16], %c;
  setp.ne.u32 %failed, %c, 0;
  @%failed bra done;
  ld.u64 %p, [%o];
  st.u32 [%p+60], 5;
  { .param .b64 memory; .param .b32 r;
    st.param.b64 [memory], %p;
    call (r), __cudaCDP2Free, (memory);
    ld.param.b32 %c, [r]; }
  st.u32 [%o+20], %c;
done:
  ret;
})");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint32_t> out(6, 7);
  nvmlab_fault fault = module.launch("k", 1, 1, {out.address(), 64});
  ASSERT_EQ(fault.code, 0) << fault.message;
  EXPECT_EQ(out[2], std::uint32_t{"no error"[1]});
  EXPECT_EQ(out[3], std::uint32_t{"cudaSuccess"[4]});
  EXPECT_EQ(out[4], 0U);
  EXPECT_EQ(out[5], 0U);
  fault = module.launch("k", 1, 1, {out.address(), 1U << 31});
  ASSERT_EQ(fault.code, 0) << fault.message;
  EXPECT_EQ(out[2], std::uint32_t{"out of memory"[1]});
  EXPECT_EQ(out[3], std::uint32_t{"cudaErrorMemoryAllocation"[4]});
  EXPECT_EQ(out[4], 2U);
}

}  // namespace
}  // namespace nvmlab::kernels_test
