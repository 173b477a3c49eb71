// SPDX-License-Identifier: Apache-2.0
// Vectors that blocks tell each other: each is written and read at once.
#include <gtest/gtest.h>

#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

// The first block writes vectors of one number, again and again; the others count those that have two.
std::string text(const std::string& type, const std::string& bits, unsigned elements) {
  std::string names = "%v0";
  std::string tests;
  for (unsigned i = 1; i < elements; ++i) {
    names += ", %v" + std::to_string(i);
    tests += "setp.ne." + bits + " %p, %v0, %v" + std::to_string(i) + ";\n@%p add.u32 %torn, %torn, 1;\n";
  }
  std::string same;
  for (unsigned i = 0; i < elements; ++i)
    same += "mov." + bits + " %v" + std::to_string(i) + ", %n;\n";
  const std::string vector = ".v" + std::to_string(elements) + type;
  return R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry talk(.param .u64 slots, .param .u64 out)
{
  .reg .pred %p, %writes;
  .reg .b32 %torn, %left, %block, %lane;
  .reg .b64 %at, %out, %offset;
  .reg .)" +
         bits + R"( %v<4>, %n;
  ld.param.u64 %at, [slots];
  ld.param.u64 %out, [out];
  mov.u32 %lane, %tid.x;
  mul.wide.u32 %offset, %lane, 16;
  add.u64 %at, %at, %offset;
  mov.u32 %block, %ctaid.x;
  setp.eq.u32 %writes, %block, 0;
  mov.u32 %torn, 0;
  mov.u32 %left, 40000;
  mov.)" +
         bits + R"( %n, 0;
again:
  @!%writes bra look;
  add.)" +
         (bits == "b64" ? "u64" : "u32") +
         R"( %n, %n, 1;
)" + same +
         "  st.relaxed.gpu.global" + vector + " [%at], {" + names + R"(};
  bra next;
look:
  ld.relaxed.gpu.global)" +
         vector + " {" + names + "}, [%at];\n" + tests + R"(next:
  sub.u32 %left, %left, 1;
  setp.ne.u32 %p, %left, 0;
  @%p bra again;
  red.global.add.u32 [%out], %torn;
  ret;
})";
}

TEST(KernelVectors, AreWrittenAndReadAtOnce) {
  const struct {
    const char* type;
    const char* bits;
    unsigned elements;
  } forms[] = {{".u64", "b64", 2}, {".u32", "b32", 4}, {".u32", "b32", 2}};
  for (const auto& form : forms) {
    const Module module(text(form.type, form.bits, form.elements));
    ASSERT_EQ(module.code(), 0) << module.message();
    Buffer<std::uint64_t> slots(64);
    Buffer<std::uint32_t> torn(1);
    const nvmlab_fault fault = module.launch("talk", 4, 32, {slots.address(), torn.address()});
    ASSERT_EQ(fault.code, 0) << fault.message;
    EXPECT_EQ(torn[0], 0U) << form.elements << " of " << form.type;
  }
}

}  // namespace
}  // namespace nvmlab::kernels_test
