// SPDX-License-Identifier: Apache-2.0
// Every form that model/ptx/ calls executed is executed by the kernel that the page names
// (docs/reference/generated/ptx.md), and every one that it calls refused is refused by name.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/kernels/forms/kernels.hpp"

namespace nvmlab::kernels_test {

const Kernels& all_kernels() {
  static const Kernels all = [] {
    Kernels made;
    add_integer_kernels(made);
    add_bit_kernels(made);
    add_float_kernels(made);
    add_approximations(made);
    add_half_kernels(made);
    add_comparison_kernels(made);
    add_conversion_kernels(made);
    add_move_kernels(made);
    add_memory_kernels(made);
    add_atomic_kernels(made);
    add_warp_kernels(made);
    add_control_kernels(made);
    add_async_kernels(made);
    add_matrix_kernels(made);
    add_warp_matrix_kernels(made);
    add_texture_kernels(made);
    add_tensor_map_kernels(made);
    return made;
  }();
  return all;
}

namespace {

const std::vector<ptx_forms::Row>& rows() {
  static const std::vector<ptx_forms::Row> all = ptx_forms::rows_of(NVMLAB_PTX_FOLDER);
  return all;
}

class Section : public testing::TestWithParam<const char*> {};

TEST_P(Section, IsExecutedByItsKernels) {
  std::size_t executed = 0;
  for (const ptx_forms::Row& row : rows()) {
    if (row.section != GetParam() || row.kernel == "refused") continue;
    const auto kernel = all_kernels().find(row.kernel);
    ASSERT_NE(kernel, all_kernels().end()) << row.kernel << " of " << row.forms[0];
    std::size_t wrong = 0;
    for (const std::string& form : row.forms) {
      const std::string told = kernel->second(Named(form));
      EXPECT_EQ(told, "") << form << " by " << row.kernel;
      if (!told.empty() && ++wrong == 3) break;  // the others of a row would say the same
      ++executed;
    }
  }
  EXPECT_GT(executed, 0U);
  RecordProperty("forms", static_cast<int>(executed));
}

INSTANTIATE_TEST_SUITE_P(Forms, Section,
                         testing::Values("integers", "bits", "floats", "halves", "comparisons", "conversions", "memory",
                                         "atomics", "warps", "control", "async", "matrices", "textures"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Forms, EachKernelOfThePageIsNamedThereAndThereAreManyOfThem) {
  std::set<std::string> named;
  for (const ptx_forms::Row& row : rows())
    named.insert(row.kernel);
  for (const auto& [name, kernel] : all_kernels())
    EXPECT_TRUE(named.contains(name)) << name << " executes no form of model/ptx/";
  EXPECT_GE(all_kernels().size(), 100U);
}

// Forms differ in how many operands they take: with one number of them a form is valid, and refused.
std::string refused(const std::string& form) {
  std::string told;
  std::string operands;
  for (int count = 0; count < 6; ++count) {
    const Module module(".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n" +
                        form + operands + ";\nret;\n}\n");
    if (module.code() == 0 && module.message().find("ptx:7:") != std::string::npos &&
        module.launch("k", 1, 1).code == 801)
      return "";
    told = module.message();
    operands += (count == 0 ? " %r" : ", %r") + std::to_string(count);
  }
  return "is not refused: " + told;
}

// A kernel that has it is loaded, and told with its line.
TEST(Forms, WhatIsNotExecutedIsRefusedByName) {
  for (const ptx_forms::Row& row : rows()) {
    if (row.kernel != "refused") continue;
    EXPECT_NE(row.why, "") << row.forms[0];
    for (const std::string& form : row.forms)
      EXPECT_EQ(refused(form), "") << form;
  }
}

// What compilers write is on the page, as executed or as refused.
TEST(Forms, OfRealClientsAreOnThePage) {
  std::set<std::string> executed;
  std::set<std::string> refused;
  for (const ptx_forms::Row& row : rows()) {
    for (const std::string& form : row.forms)
      (row.kernel == "refused" ? refused : executed).insert(ptx_forms::key_of(form));
  }
  std::size_t count = 0;
  for (const ptx_forms::CensusRow& each : ptx_forms::census_of(NVMLAB_PTX_FOLDER)) {
    const std::string key = ptx_forms::key_of(each.form);
    EXPECT_TRUE(executed.contains(key) || refused.contains(key)) << each.form << " is in no file of model/ptx/";
    if (executed.contains(key)) {
      ++count;
    } else {
      EXPECT_TRUE(each.form.starts_with("wgmma")) << each.form << " is refused";
    }
  }
  EXPECT_EQ(count, 682U);
}

}  // namespace
}  // namespace nvmlab::kernels_test
