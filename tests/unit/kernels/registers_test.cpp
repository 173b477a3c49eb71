// SPDX-License-Identifier: Apache-2.0
// Registers are counted where they hold a value, not as often as PTX declares them.
#include <gtest/gtest.h>

#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

std::uint32_t registers(const std::string& body) {
  const Module module(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .b64 %o, %x<200>;\n"
      ".reg .b32 %r<100>;\n.reg .b16 %h<100>;\n.reg .pred %p<100>;\nld.param.u64 %o, [out];\n" +
      body + "ret;\n}");
  EXPECT_EQ(module.code(), 0) << module.message();
  return module.facts("k").registers;
}

// first + `name` + number + last, from 0 on.
std::string each(const std::string& first, const std::string& name, const std::string& last, int count = 100) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += first + name + std::to_string(i) + last + "\n";
  return text;
}

TEST(Registers, ThatHoldAValueAtTheSameTimeAreCounted) {
  constexpr std::uint32_t kOfCalls = 8;
  EXPECT_EQ(registers(""), kOfCalls);
  // One after the other, beside the address.
  std::string one_by_one;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "%r" + std::to_string(i);
    one_by_one += "ld.global.u32 " + name + ", [%o];\nst.global.u32 [%o], " + name + ";\n";
  }
  EXPECT_EQ(registers(one_by_one), kOfCalls + 2 + 1);
  // All at once: 32 bits, 16 in one of 32, 64 in two.
  EXPECT_EQ(registers(each("ld.global.u32 ", "%r", ", [%o];") + each("st.global.u32 [%o], ", "%r", ";")),
            kOfCalls + 2 + 100);
  EXPECT_EQ(registers(each("ld.global.u16 ", "%h", ", [%o];") + each("st.global.u16 [%o], ", "%h", ";")),
            kOfCalls + 2 + 100);
  EXPECT_EQ(registers(each("ld.global.u64 ", "%x", ", [%o];", 20) + each("st.global.u64 [%o], ", "%x", ";", 20)),
            kOfCalls + 2 + 40);
  EXPECT_EQ(registers(each("ld.global.u64 ", "%x", ", [%o];", 130) + each("st.global.u64 [%o], ", "%x", ";", 130)),
            255U);
  EXPECT_EQ(registers("mov.u32 %r0, 1;\n" + each("setp.eq.u32 ", "%p", ", %r0, 1;") +
                      each("@", "%p", " st.global.u32 [%o], 1;")),
            kOfCalls + 2 + 1)
      << "predicates have registers of their own";
}

// What a loop reads of before it is there until it ends; what is made in it is not.
TEST(Registers, AreHeldThroughLoops) {
  const std::string before = each("ld.global.u32 ", "%r", ", [%o];", 10);
  const std::string reads = each("st.global.u32 [%o], ", "%r", ";", 10);
  const std::string own = "mov.u32 %r20, 1;\nadd.u32 %r21, %r20, 1;\nadd.u32 %r22, %r21, 1;\n";
  const std::string more = each("ld.global.u32 ", "%r3", ", [%o];", 10) + each("st.global.u32 [%o], ", "%r3", ";", 10);
  const std::string back = "setp.eq.u32 %p0, 1, 2;\n@%p0 bra again;\n";
  const std::uint32_t straight = registers(before + reads + own + more);
  EXPECT_EQ(registers(before + "again:\n" + reads + own + more + back), straight + 10);
  EXPECT_EQ(registers(before + reads + "again:\n" + own + more + back), straight);
}

}  // namespace
}  // namespace nvmlab::kernels_test
