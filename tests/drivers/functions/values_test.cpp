// SPDX-License-Identifier: Apache-2.0
//
// Every `read` verdict by another path: each field that a verdict names gets a value of its own in the store, the
// function is called, and what it wrote is compared byte for byte with what the verdict says; then the field is refused
// with a code, and the function has to answer that. Rows come from model/meaning/, so a new one needs no change here.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>

#include "tests/drivers/functions/support/arguments.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

using codegen::Binding;
using codegen::VerdictKind;

// What a field holds, as the caller of a function should see it.
struct Expected {
  bool is_text = false;
  std::string text;
  std::uint64_t number = 0;
};

Expected content(const FieldPlace& place) {
  Expected expected;
  if (place.field->type == FieldType::text) {
    expected.is_text = true;
    expected.text = reinterpret_cast<const char*>(place.at + 8);
  } else {
    std::memcpy(&expected.number, place.at, place.field->type == FieldType::u64 ? 8 : 4);
    if (place.field->type == FieldType::i32)
      expected.number =
          static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(expected.number)));
  }
  return expected;
}

void set_code(const FieldPlace& place, std::uint32_t code) {
  const std::uint32_t stored = code ^ kNotSupported;
  const std::size_t at = place.field->type == FieldType::text ? 4 : place.field->type == FieldType::u64 ? 8 : 4;
  std::memcpy(place.at + at, &stored, sizeof stored);
}

class Values : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    machine.fill_gpu(0);
    machine.fill_node("confcompute");
    ASSERT_EQ(driver.init(), kSuccess);
    device = driver.device(0);
  }
  void TearDown() override { EXPECT_EQ(driver.shutdown(), kSuccess); }

  // The state as it is published now.
  FieldPlace place(const std::string& path) {
    gpu = machine.gpu(0);
    node = machine.node();
    return place_of(path, &gpu, &node);
  }

  void refuse(const std::string& path, std::uint32_t code) {
    Node nobody;
    Gpu none;
    if (place_of(path, &none, &nobody).of_node) {
      machine.change_node([&](Node& state) { set_code(place_of(path, &none, &state), code); });
    } else {
      machine.change_gpu(0, [&](Gpu& state) { set_code(place_of(path, &state, &nobody), code); });
    }
  }

  // Where a binding's value goes: which parameter, and which of its bytes.
  struct Target {
    int parameter = -1;
    MemberPlace member;
    bool is_text = false;
  };
  static Target target_of(const FunctionFacts& function, const std::string& name) {
    Target target;
    const auto dot = name.find('.');
    target.parameter = function.position(name.substr(0, dot));
    if (target.parameter < 0) return target;
    const ParameterFacts& parameter = function.parameters.at(static_cast<std::size_t>(target.parameter));
    target.is_text = parameter.role == Role::text;
    target.member = dot == std::string::npos ? MemberPlace{0, parameter.size}
                                             : Api::get().member(*parameter.record, name.substr(dot + 1));
    return target;
  }
  static Target only_output(const FunctionFacts& function) {
    for (const ParameterFacts& parameter : function.parameters) {
      if (parameter.is_pointer())
        return target_of(
            function, function.verdict_parameters[static_cast<std::size_t>(&parameter - function.parameters.data())]);
    }
    return {};
  }

  static void compare(Arguments& arguments, const Target& target, const Expected& expected, const std::string& what) {
    const std::byte* memory = arguments.memory(static_cast<std::size_t>(target.parameter)).data();
    if (target.is_text) {
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(memory)), expected.text) << what;
      return;
    }
    std::uint64_t got = 0;
    const std::size_t size = std::min<std::size_t>(target.member.size, 8);
    std::memcpy(&got, memory + target.member.offset, size);
    const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
    EXPECT_EQ(got, expected.number & mask) << what;
  }

  void expect_refusal(const FunctionFacts& function, Arguments& arguments, const std::string& path) {
    refuse(path, kGpuIsLost);
    arguments.reset();
    EXPECT_EQ(arguments.call(), kGpuIsLost) << function.name << " with " << path << " refused";
    EXPECT_FALSE(arguments.changed()) << function.name << " wrote though " << path << " was refused";
    refuse(path, kSuccess);
  }

  void check_plain(const FunctionFacts& function) {
    Arguments arguments(function, device);
    ASSERT_EQ(arguments.call(), kSuccess) << function.name;
    for (const Binding& binding : function.verdict.bindings) {
      const Target target = target_of(function, binding.target);
      ASSERT_GE(target.parameter, 0) << function.name << " " << binding.target;
      compare(arguments, target, content(place(binding.path)), function.name + " " + binding.target);
    }
    for (const Binding& binding : function.verdict.bindings) {
      expect_refusal(function, arguments, binding.path);
      if (HasFatalFailure()) return;
    }
  }

  void check_choice(const FunctionFacts& function) {
    const int by = function.position(function.verdict.chosen_by);
    ASSERT_GE(by, 0) << function.name;
    const Target target = only_output(function);
    ASSERT_GE(target.parameter, 0) << function.name;
    Arguments arguments(function, device);
    const auto chosen = [&](long long key) {
      arguments.reset();
      arguments.words.at(static_cast<std::size_t>(by)) = static_cast<Word>(key);
      return arguments.call();
    };
    for (const Binding& binding : function.verdict.bindings) {
      const long long key = Api::get().enumerator(binding.target);
      const std::string what = function.name + " " + binding.target;
      if (binding.path.empty()) {
        EXPECT_EQ(chosen(key), kNotSupported) << what;
        EXPECT_FALSE(arguments.changed()) << what;
        continue;
      }
      ASSERT_EQ(chosen(key), kSuccess) << what;
      compare(arguments, target, content(place(binding.path)), what);
      refuse(binding.path, kGpuIsLost);
      EXPECT_EQ(chosen(key), kGpuIsLost) << what;
      EXPECT_FALSE(arguments.changed()) << what;
      refuse(binding.path, kSuccess);
    }
    for (const long long key : {-1LL, 4711LL, 0x7FFFFFFFLL}) {
      EXPECT_EQ(chosen(key), Api::get().enumerator(function.verdict.otherwise)) << function.name << " " << key;
      EXPECT_FALSE(arguments.changed()) << function.name << " " << key;
    }
  }

  const Driver& driver = Driver::get();
  SharedMachine machine{GetParam()};
  Word device = 0;
  Gpu gpu{};
  Node node{};
};

TEST_P(Values, EveryReadGivesItsFields) {
  unsigned rows = 0;
  for (const FunctionFacts& function : Api::get().functions()) {
    if (function.verdict.kind != VerdictKind::read || !function.in_driver(Api::kNewestDriver)) continue;
    ++rows;
    if (function.verdict.chosen_by.empty()) {
      check_plain(function);
    } else {
      check_choice(function);
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(rows, 90U);
}

// A text needs room for its NUL: one byte less and nothing is written.
TEST_P(Values, TextsAreLengthChecked) {
  unsigned texts = 0;
  for (const FunctionFacts& function : Api::get().functions()) {
    if (function.verdict.kind != VerdictKind::read || !function.verdict.chosen_by.empty()) continue;
    for (const Binding& binding : function.verdict.bindings) {
      const Target target = target_of(function, binding.target);
      if (!target.is_text || function.verdict.text_size != 0) continue;
      ++texts;
      const auto at = static_cast<std::size_t>(target.parameter);
      const std::size_t needed = content(place(binding.path)).text.size() + 1;
      Arguments arguments(function, device);
      for (const std::size_t size : {needed, needed - 1, std::size_t{0}}) {
        arguments.words.at(at) = reinterpret_cast<Word>(arguments.memory(at).place(size));
        arguments.words.at(at + 1) = size;
        EXPECT_EQ(arguments.call(), size == needed ? kSuccess : kInsufficientSize)
            << function.name << " " << size << " of " << needed;
        EXPECT_EQ(arguments.changed(), size == needed) << function.name << " " << size;
      }
    }
  }
  EXPECT_GE(texts, 6U);
}

// What a write sets, the field that it names holds; anything beyond its highest value is refused.
TEST_P(Values, EveryWriteGoesToItsField) {
  unsigned rows = 0;
  for (const FunctionFacts& function : Api::get().functions()) {
    if (function.verdict.kind != VerdictKind::write || !function.in_driver(Api::kNewestDriver)) continue;
    ++rows;
    const Binding& binding = function.verdict.bindings.front();
    const auto parameter = static_cast<std::size_t>(function.position(binding.target));
    const auto said = as_root([&] {
      std::string wrong;
      const auto set = [&](Word value) {
        Arguments arguments(function, device);
        arguments.words.at(parameter) = value;
        return arguments.call();
      };
      for (std::uint32_t value = 0; value <= function.verdict.highest; ++value) {
        if (const int code = set(value); code != kSuccess) wrong += fmt::format("{} answered {}; ", value, code);
        if (content(place(binding.path)).number != value) wrong += fmt::format("{} did not arrive; ", value);
      }
      for (const Word value : {Word{function.verdict.highest} + 1, Word{0x7FFFFFFF}, Word{0xFFFFFFFF}}) {
        if (const int code = set(value); code != kInvalidArgument)
          wrong += fmt::format("{} answered {}; ", value, code);
      }
      if (content(place(binding.path)).number != function.verdict.highest) wrong += "a refused value arrived; ";
      return wrong;
    });
    if (!said) GTEST_SKIP() << "needs root or a user namespace";
    EXPECT_EQ(*said, "") << function.name;
    const std::string refused = as_nobody([&] { return fmt::format("{}", Arguments(function, device).call()); });
    EXPECT_EQ(refused, std::to_string(kNoPermission)) << function.name;
    refuse(binding.path, kGpuIsLost);
    EXPECT_EQ(Arguments(function, device).call(), kGpuIsLost) << function.name;
    refuse(binding.path, kSuccess);
  }
  EXPECT_GE(rows, 4U);
}

INSTANTIATE_TEST_SUITE_P(Machines, Values, testing::Values("dgx-a100", "dgx-h100", "g4dn-xlarge"),
                         [](const auto& machine) {
                           return std::string(machine.param) == "g4dn-xlarge" ? std::string("t4")
                                                                              : std::string(machine.param).substr(4);
                         });

}  // namespace
}  // namespace nvmlab::driver_test
