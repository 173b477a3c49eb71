// SPDX-License-Identifier: Apache-2.0
// What a driver supplies to kernels: a heap, and a place where a cooperative grid meets.
#include <gtest/gtest.h>

#include "tests/unit/kernels/forms/texts.hpp"

namespace nvmlab::kernels_test {
namespace {

constexpr const char* kHeap =
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";

std::string allocated(const std::string& bytes) {
  return "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], " + bytes +
         ";\ncall (r), malloc, (n);\nld.param.b64 %p, [r];\n}\n";
}
constexpr const char* kFree = "{\n.param .b64 n;\nst.param.b64 [n], %p;\ncall free, (n);\n}\n";

// Each thread writes to memory of its own and reads it; all of it is there again for the next launch.
TEST(Supplied, AHeapGivesAndTakes) {
  const Module module(
      kernel_text(".param .u64 out",
                  ".reg .b64 %p, %n, %o;\n.reg .b32 %i, %x;\nmov.u32 %i, %tid.x;\nmul.wide.u32 %n, %i, 512;\nadd.s64 "
                  "%n, %n, 64;\n" +
                      allocated("%n") + "st.u32 [%p+60], %i;\nbar.sync 0;\nld.u32 %x, [%p+60];\n" + kFree +
                      "ld.param.u64 %o, [out];\nmul.wide.u32 %n, %i, 4;\nadd.s64 %o, %o, %n;\nst.global.u32 [%o], %x;",
                  kHeap));
  ASSERT_EQ(module.message(), "");
  for (int round = 0; round < 20; ++round) {  // 6 MiB of 8 each time
    Buffer<std::uint32_t> out(128);
    const nvmlab_fault fault = module.launch("k", 1, 128, {out.address()});
    ASSERT_EQ(fault.code, 0) << fault.message;
    for (std::uint32_t i = 0; i < 128; ++i)
      ASSERT_EQ(out[i], i);
  }
}

TEST(Supplied, AHeapThatIsEmptyGivesNothing) {
  const Module module(kernel_text(".param .u64 out",
                                  ".reg .b64 %p, %n, %o;\nmov.u64 %n, 0x100000000;\n" + allocated("%n") +
                                      "ld.param.u64 %o, [out];\nst.global.u64 [%o], %p;",
                                  kHeap));
  Buffer<std::uint64_t> out(1, 7);
  EXPECT_EQ(module.launch("k", 1, 1, {out.address()}).code, 0);
  EXPECT_EQ(out[0], 0U);
}

TEST(Supplied, FreeingTwiceIsAnIllegalAddress) {
  const Module module(kernel_text("", ".reg .b64 %p, %n;\nmov.u64 %n, 32;\n" + allocated("%n") + kFree + kFree, kHeap));
  EXPECT_EQ(module.launch("k", 1, 1).code, 700);
}

// Blocks count each other where the environment registers say, and go on when all have come: what CUDA's grid.sync()
// does. More blocks than a processor has threads.
TEST(Supplied, ACooperativeGridMeets) {
  constexpr std::uint32_t kBlocks = 64;
  const Module module(kernel_text(
      ".param .u64 out",
      ".reg .b64 %w, %l, %o, %n;\n.reg .b32 %i, %x, %lo, %hi;\n.reg .pred %p;\nmov.u32 %lo, %envreg2;\nmov.u32 %hi, "
      "%envreg1;\nmov.b64 %w, {%lo, %hi};\nmov.u32 %i, %ctaid.x;\nld.param.u64 %o, [out];\nmul.wide.u32 %n, %i, "
      "4;\nadd.s64 "
      "%n, %o, %n;\nadd.u32 %x, %i, 1;\nst.global.u32 [%n], %x;\nmembar.gl;\natom.add.u32 %x, [%w+4], "
      "1;\nwait:\nld.volatile.u32 "
      "%x, [%w+4];\nsetp.lt.u32 %p, %x, 64;\n@%p bra wait;\nsub.u32 %i, 63, %i;\nmul.wide.u32 %l, %i, 4;\nadd.s64 %l, "
      "%o, "
      "%l;\nld.volatile.global.u32 %x, [%l];\nst.global.u32 [%n+256], %x;"));
  Buffer<std::uint32_t> out(kBlocks * 2);
  const nvmlab_fault fault = module.launch("k", kBlocks, 1, {out.address()}, 0, true);
  ASSERT_EQ(fault.code, 0) << fault.message;
  for (std::uint32_t i = 0; i < kBlocks; ++i)
    EXPECT_EQ(out[kBlocks + i], kBlocks - i);
}

}  // namespace
}  // namespace nvmlab::kernels_test
