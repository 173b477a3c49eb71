// SPDX-License-Identifier: Apache-2.0
// Where a program links the device runtime of its toolkit, that of ours takes its place, and grids run in step.
#include <gtest/gtest.h>

#include <thread>

#include "kernels/images/device_runtime.hpp"
#include "tests/unit/kernels/harness.hpp"
#include "tests/unit/kernels/linked.hpp"

namespace nvmlab::kernels_test {
namespace {

TEST(DeviceRuntime, IsToldByTheNamesOfItsMembers) {
  EXPECT_TRUE(kernels::is_device_runtime(archive(member("/", "sym") + kNamesOfToolkit + member("/0", "code"))));
  EXPECT_TRUE(kernels::is_device_runtime(archive(member("device_runtime.o/", "code"))));
  EXPECT_FALSE(kernels::is_device_runtime(archive(member("a.o/", "device_runtime"))));
  EXPECT_FALSE(kernels::is_device_runtime(archive("")));
  EXPECT_FALSE(kernels::is_device_runtime("cuda_device_runtime.o"));
  for (std::size_t length = 0; length < 8 + 60 + 10; ++length)
    EXPECT_FALSE(kernels::is_device_runtime(archive(kNamesOfToolkit).substr(0, length))) << length;
  std::string endless = archive(member("a.o/", ""));
  endless.replace(8 + 48, 10, "9999999999");
  EXPECT_FALSE(kernels::is_device_runtime(endless));
}

const std::string kDeclared = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 code) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.extern .func (.param .b32 code) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle);
.extern .func (.param .b32 code) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle);
)";

std::string handle_of(const char* scope) {
  return std::string("{ .param .b32 p; .param .b64 q; st.param.b32 [p], ") + scope +
         "; call (q), cudaCGGetIntrinsicHandle, (p); ld.param.b64 %h, [q]; }\n";
}
const std::string kMeet =
    "{ .param .b64 p; .param .b32 f; .param .b32 q; st.param.b64 [p], %h; st.param.b32 [f], 0; "
    "call (q), cudaCGSynchronize, (p, f); ld.param.b32 %c, [q]; }\n";

// Every thread adds one to its number, round by round, and reads that of the thread across the grid in between.
const std::string kInStep = kDeclared + R"(.visible .entry k(.param .u64 out) {
  .reg .b64 %h, %o, %own, %other, %n;
  .reg .b32 %i, %j, %t, %all, %c, %x, %round, %wrong;
  .reg .pred %p;
  ld.param.u64 %o, [out];
  mov.u32 %i, %ctaid.x;
  mov.u32 %t, %ntid.x;
  mov.u32 %all, %nctaid.x;
  mul.lo.u32 %all, %all, %t;
  mov.u32 %j, %tid.x;
  mad.lo.u32 %i, %i, %t, %j;
  sub.u32 %j, %all, %i;
  sub.u32 %j, %j, 1;
  mad.wide.u32 %own, %i, 4, %o;
  mad.wide.u32 %other, %j, 4, %o;
  mov.u32 %wrong, 0;
  mov.u32 %round, 1;
)" + handle_of("1") + "again:\nst.volatile.u32 [%own], %round;\n" +
                            kMeet + R"(
  add.u32 %wrong, %wrong, %c;
  ld.volatile.u32 %x, [%other];
  setp.ne.u32 %p, %x, %round;
  @%p add.u32 %wrong, %wrong, 1;
)" + kMeet + R"(
  add.u32 %round, %round, 1;
  setp.le.u32 %p, %round, 9;
  @%p bra again;
  mul.wide.u32 %n, %all, 4;
  add.u64 %own, %own, %n;
  st.global.u32 [%own], %wrong;
  ret;
})";

TEST(DeviceRuntime, GridsRunInStep) {
  constexpr std::uint32_t kBlocks = 24;
  constexpr std::uint32_t kThreads = 48;
  for (const int archives : {1, 2}) {
    const Linked made = link(kInStep, archives);
    ASSERT_EQ(made.code, 0) << made.told;
    EXPECT_EQ(made.told, "libcudadevrt.a: the device runtime of nvmlab takes its place");
    const Module module(made.image);
    ASSERT_EQ(module.code(), 0) << module.message();
    Buffer<std::uint32_t> out(std::size_t{kBlocks} * kThreads * 2, 77);
    const nvmlab_fault fault = module.launch("k", kBlocks, kThreads, {out.address()}, 0, true);
    ASSERT_EQ(fault.code, 0) << fault.message;
    for (std::size_t i = 0; i < std::size_t{kBlocks} * kThreads; ++i) {
      EXPECT_EQ(out[i], 9U);
      EXPECT_EQ(out[i + std::size_t{kBlocks} * kThreads], 0U) << i;
    }
  }
}

// Of a grid in step all blocks are there at the same time, however few threads run them.
TEST(DeviceRuntime, LargeGridsRunInStep) {
  const Linked made = link(kInStep, 1);
  const Module module(made.image);
  const std::uint32_t blocks = 1024 * std::thread::hardware_concurrency() + 1;
  Buffer<std::uint32_t> out(std::size_t{blocks} * 2, 77);
  const nvmlab_fault fault = module.launch("k", blocks, 1, {out.address()}, 0, true);
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::size_t i = 0; i < blocks; ++i)
    EXPECT_EQ(out[i + blocks], 0U) << i;
}

// 1 is what CUDA's runtime calls an invalid value.
TEST(DeviceRuntime, WhoIsInNoGridInStepIsTold) {
  for (const char* scope : {"1", "2"}) {
    const Linked made =
        link(kDeclared +
                 ".visible .entry k(.param .u64 out) {\n.reg .b64 %h, %o;\n.reg .b32 %c;\nld.param.u64 %o, [out];\n" +
                 handle_of(scope) + kMeet + "st.global.u32 [%o], %c;\nret;\n}",
             1);
    ASSERT_EQ(made.code, 0) << made.told;
    const Module module(made.image);
    Buffer<std::uint32_t> out(1, 77);
    EXPECT_EQ(module.launch("k", 1, 1, {out.address()}, 0, scope[0] == '2').code, 0);
    EXPECT_EQ(out[0], 1U);
  }
}

TEST(DeviceRuntime, ThreadsKnowTheirNumberInTheGrid) {
  const Linked made = link(kDeclared + R"(.visible .entry k(.param .u64 out) {
  .reg .b64 %h, %o, %second, %none;
  .reg .b32 %i, %j, %t;
  ld.param.u64 %o, [out];
  mov.u32 %i, %ctaid.x;
  mov.u32 %t, %ntid.x;
  mov.u32 %j, %tid.x;
  mad.lo.u32 %i, %i, %t, %j;
  mad.wide.u32 %o, %i, 16, %o;
  mov.u64 %none, 0;
)" + handle_of("1") + R"(
  { .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 q;
    add.u64 %second, %o, 4;
    st.param.b64 [a], %o; st.param.b64 [b], %second; st.param.b64 [c], %h;
    call (q), cudaCGGetRank, (a, b, c); }
  { .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 q;
    add.u64 %second, %o, 8;
    st.param.b64 [a], %second; st.param.b64 [b], %none; st.param.b64 [c], %h;
    call (q), cudaCGGetSize, (a, b, c);
    ld.param.b32 %i, [q];
    st.global.u32 [%o+12], %i; }
  ret;
})",
                           1);
  ASSERT_EQ(made.code, 0) << made.told;
  const Module module(made.image);
  Buffer<std::uint32_t> out(4 * 3 * 40, 77);
  const nvmlab_fault fault = module.launch("k", 3, 40, {out.address()}, 0, true);
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t i = 0; i < 120; ++i) {
    EXPECT_EQ(out[4 * i], i);
    EXPECT_EQ(out[4 * i + 1], 0U);
    EXPECT_EQ(out[4 * i + 2], 120U);
    EXPECT_EQ(out[4 * i + 3], 0U);
  }
}

// What a kernel may not launch is named when it is launched itself.
TEST(DeviceRuntime, LaunchesByKernelsAreNamed) {
  const Linked made = link(R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.visible .entry k() {
  .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
  call (r), cudaGetParameterBufferV2, (f, g, b, s);
  ret;
})",
                           1);
  ASSERT_EQ(made.code, 0) << made.told;
  const Module module(made.image);
  const nvmlab_fault fault = module.launch("k", 1, 1);
  EXPECT_EQ(fault.code, 801);
  EXPECT_NE(std::string(fault.message)
                .find("'cudaGetParameterBufferV2' is of the device runtime, of which grids in step "
                      "and the launches of CUDA 12 are done"),
            std::string::npos)
      << fault.message;
}

}  // namespace
}  // namespace nvmlab::kernels_test
