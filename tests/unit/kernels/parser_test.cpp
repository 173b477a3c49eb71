// SPDX-License-Identifier: Apache-2.0
// PTX that compilers write is read; what is none is told with its place and what would be right, whatever it is.
#include <gtest/gtest.h>

#include <random>

#include "kernels/ptx/parser.hpp"
#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

constexpr const char* kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string told(const std::string& text) {
  const auto parsed = ptx::parse(text);
  return parsed ? "" : parsed.error().told();
}

TEST(Parser, ReadsWhatCompilersWrite) {
  const auto parsed = ptx::parse(std::string(kHead) + R"(
.file 1 "a.cu"
.extern .func (.param .b32 func_retval0) vprintf (.param .b64 p0, .param .b64 p1);
.global .align 8 .u64 pointers[3] = {values, generic(values)+8, 0};
.global .align 4 .f32 values[4] = {0f3F800000, 2.5, -1.0, 1e3};
.const .align 1 .b8 text[4] = {104, 105, 10};
.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 q[16])
.maxntid 256, 1, 1
.minnctapersm 2
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .loc 1 3 5
  @!%p1 bra $L;
  { .reg .b32 %r<1>; mov.u32 %r0, (1 << 4) + 2; L: bra L; }
  { L: bra L; }
$L:
  .pragma "nounroll";
  ret;
}
.section .debug_info { .b8 1 .b32 2 }
)");
  ASSERT_TRUE(parsed) << parsed.error().told();
  EXPECT_EQ(parsed->version, 80U);
  EXPECT_EQ(parsed->target, 80U);
  ASSERT_EQ(parsed->variables.size(), 3U);
  EXPECT_EQ(parsed->variables[0].relocations.size(), 2U);
  EXPECT_EQ(parsed->variables[0].relocations[1].addend, 8);
  EXPECT_EQ(parsed->variables[1].bytes, 16U);
  ASSERT_EQ(parsed->functions.size(), 2U);
  const ptx::Function& kernel = parsed->functions[1];
  EXPECT_TRUE(kernel.entry);
  EXPECT_EQ(kernel.max_threads[0], 256U);
  ASSERT_EQ(kernel.instructions.size(), 5U);
  EXPECT_EQ(kernel.instructions[1].operands[1].bits, 18U);
  EXPECT_EQ(kernel.instructions[0].operands[0].number, 4U);
  EXPECT_EQ(kernel.instructions[2].operands[0].number, 2U);
  EXPECT_EQ(kernel.instructions[3].operands[0].number, 3U);
}

// An index counts elements, not bytes; tinygrad writes "local0[0]".
TEST(Parser, AnIndexIsTheAddressOfAnElement) {
  const Module module(std::string(kHead) + R"(
.const .align 4 .u32 table[4] = {10, 20, 30, 40};
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<3>;
  .shared .v2 .f32 pairs[4];
  ld.param.u64 %d0, [out];
  mov.u64 %d1, table[1 + 1];
  ld.const.u32 %r0, [%d1];
  st.global.u32 [%d0], %r0;
  ld.const.u32 %r1, [table[3]];
  st.global.u32 [%d0+4], %r1;
  mov.u32 %r2, pairs[3];
  mov.u32 %r3, pairs;
  sub.u32 %r2, %r2, %r3;
  st.global.u32 [%d0+8], %r2;
  ret;
}
)");
  ASSERT_EQ(module.code(), 0) << module.message();
  Buffer<std::uint32_t> out(3);
  const nvmlab_fault fault = module.launch("k", 1, 1, {out.address()});
  ASSERT_EQ(fault.code, 0) << fault.message;
  EXPECT_EQ(out[0], 30U);
  EXPECT_EQ(out[1], 40U);
  EXPECT_EQ(out[2], 24U);
}

TEST(Parser, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(told("hello"), "ptx:1:1: found 'hello'; a directive (.entry, .func, .global, ...) is expected here");
  EXPECT_EQ(told(""), "ptx:1:1: the text has no .version; is it PTX?");
  const std::string head = kHead;
  EXPECT_EQ(told(head + ".entry k() { ret"), "ptx:4:17: found the end of the text behind an instruction; expected ';'");
  EXPECT_EQ(told(head + ".entry k() {"), "ptx:4:13: the text ends within a function; close it with '}'");
  EXPECT_EQ(told(head + ".entry k() { .reg .b99 %r; }"), "ptx:4:19: '.b99' is no type and no attribute of a variable");
  EXPECT_EQ(told(head + "/* never"), "ptx:4:1: this comment does not end; close it with */");
  EXPECT_EQ(told(head + ".global .u32 x[2] = {1, 2, 3};"), "ptx:4:28: more initial values than the variable holds");
  EXPECT_EQ(told(head + ".reg .b32 %r;"), "ptx:4:1: .reg belongs into a function");
}

TEST(Parser, LoadingNamesWhatAKernelGetsWrong) {
  const std::string head = kHead;
  const auto message = [&](const std::string& body) {
    return Module(head + ".visible .entry k()\n{\n" + body + "\n}\n").message();
  };
  EXPECT_EQ(message("bra nowhere;"), "ptx:6:1: label 'nowhere' is not in this function");
  EXPECT_EQ(message("mov.u32 %r1, 1;"), "ptx:6:1: the result of an instruction goes to a register");
  EXPECT_EQ(message(".reg .b64 %d; add.u32 %d, 1, 2;"), "ptx:6:15: an operand of .u32 is a register of .b64");
  EXPECT_EQ(message(".reg .b32 %r; add.u32 %r, 1;"), "ptx:6:15: add has 2 operands; it takes 3");
  EXPECT_EQ(message(".reg .b32 %r; mov.u32 %r, unknown;"), "ptx:6:15: 'unknown' is not declared");
  EXPECT_EQ(message(".reg .b32 %r; mov.u32 %r, unknown[1];"), "ptx:6:34: 'unknown' is not declared above its index");
  EXPECT_EQ(message(".reg .b32 %r; .shared .b32 a[2][2]; mov.u32 %r, a[1];"),
            "ptx:6:50: an array of several dimensions takes no index; give the offset in bytes");
  EXPECT_EQ(Module(head).code(), 0);
  EXPECT_EQ(Module(head, 70).message(),
            "this PTX is for sm_80, and the device is sm_70; build for that or an older one");
}

TEST(Parser, SurvivesDamage) {
  std::string text;
  for (const char* name : {"diverge.ptx", "reduce.ptx", "warp.ptx", "faults.ptx"})
    text = text.empty() ? kernel_file(name) : text;
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 4; ++i) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 3) {
        case 0:
          damaged[at] = "{}()[];,.%0$@:x"[random() % 15];
          break;
        case 1:
          damaged.erase(at, random() % 20);
          break;
        default:
          damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 30));
      }
    }
    const Module module(damaged);  // loaded or refused; nothing else
    if (module.code() != 0) {
      EXPECT_FALSE(module.message().empty());
    }
  }
  EXPECT_NE(told(std::string(kHead) + ".global .u32 x = " + std::string(100000, '(')), "");
  EXPECT_NE(told(std::string(kHead) + ".entry k() " + std::string(100000, '{')), "");
}

}  // namespace
}  // namespace nvmlab::kernels_test
