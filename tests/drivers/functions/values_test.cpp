// SPDX-License-Identifier: Apache-2.0
//
// Every `read` verdict by another path: each field that a verdict names gets a value of its own in the store, the
// function is called, and what it wrote is compared byte for byte with what the verdict says; then the field is refused
// with a code, and the function has to answer that. Rows come from model/meaning/, so a new one needs no change here.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "tests/drivers/functions/support/arguments.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

using codegen::Binding;
using codegen::VerdictKind;

// Whether a function gives fields of a GPU or the node as they are, to anybody who asks with parameters alone; of
// vGPUs, their types and instances vgpu_*_test and mig_*_test tell.
bool reads_fields(const FunctionFacts& function) {
  const codegen::Verdict& verdict = function.verdict;
  const auto in_parameter = [](const std::string& path) { return path.find('.') == std::string::npos; };
  const auto simple = [](const Binding& binding) {
    return binding.plain() && std::ranges::count(binding.target, '.') < 2;
  };
  const bool open = !verdict.subject.given() && !verdict.root_only && verdict.supported_by.empty() &&
                    verdict.enabled_by.empty() && verdict.allowed.empty();
  return verdict.kind == VerdictKind::read && open && std::ranges::all_of(verdict.by, in_parameter) &&
         std::ranges::all_of(verdict.cases,
                             [&](const codegen::Case& each) { return std::ranges::all_of(each.bindings, simple); });
}

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
    machine.change_gpu(0, [](Gpu& cut) { cut.modes.mig.set(0); });  // a GPU that is cut refuses some calls
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
  static void compare(Arguments& arguments, const Target& target, const Expected& expected, const std::string& what) {
    const std::byte* memory = arguments.memory(static_cast<std::size_t>(target.parameter)).data();
    if (target.is_text || expected.is_text) {
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(memory + target.member.offset)), expected.text) << what;
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
    const std::vector<Binding>& bindings = function.verdict.cases.front().bindings;
    for (const Binding& binding : bindings) {
      const Target target = target_of(function, binding.target);
      ASSERT_GE(target.parameter, 0) << function.name << " " << binding.target;
      compare(arguments, target, content(place(binding.path)), function.name + " " + binding.target);
    }
    for (const Binding& binding : bindings) {
      expect_refusal(function, arguments, binding.path);
      if (HasFatalFailure()) return;
    }
  }

  void check_choice(const FunctionFacts& function) {
    Arguments arguments(function, device);
    const auto chosen = [&](const std::vector<long long>& keys) {
      arguments.reset();
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const int by = function.position(function.verdict.by[i]);
        EXPECT_GE(by, 0) << function.name;
        arguments.words.at(static_cast<std::size_t>(by)) = static_cast<Word>(keys[i]);
      }
      return arguments.call();
    };
    for (const codegen::Case& each : function.verdict.cases) {
      std::vector<long long> keys;
      for (const std::string& key : each.keys)
        keys.push_back(Api::get().enumerator(key));
      const std::string what = function.name + " " + fmt::format("{}", fmt::join(each.keys, " "));
      if (!each.supported) {
        EXPECT_EQ(chosen(keys), kNotSupported) << what;
        EXPECT_FALSE(arguments.changed()) << what;
        continue;
      }
      ASSERT_EQ(chosen(keys), kSuccess) << what;
      for (const Binding& binding : each.bindings) {
        const Target target = target_of(function, binding.target);
        ASSERT_GE(target.parameter, 0) << function.name;
        compare(arguments, target, content(place(binding.path)), what);
      }
      for (const Binding& binding : each.bindings) {
        refuse(binding.path, kGpuIsLost);
        EXPECT_EQ(chosen(keys), kGpuIsLost) << what;
        EXPECT_FALSE(arguments.changed()) << what;
        refuse(binding.path, kSuccess);
        chosen(keys);
      }
    }
    for (const long long key : {-1LL, 4711LL, 0x7FFFFFFFLL}) {
      const std::vector<long long> keys(function.verdict.by.size(), key);
      EXPECT_EQ(chosen(keys), Api::get().enumerator(function.verdict.otherwise)) << function.name << " " << key;
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
    if (!reads_fields(function) || !function.in_driver(Api::kNewestDriver)) continue;
    ++rows;
    if (function.verdict.by.empty()) {
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
    if (!reads_fields(function) || !function.verdict.by.empty()) continue;
    for (const Binding& binding : function.verdict.cases.front().bindings) {
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
    const Field& field = *place(binding.path).field;
    const auto highest = static_cast<std::uint32_t>(field.ranged ? field.high : 1);
    const auto said = as_root([&] {
      std::string wrong;
      const auto set = [&](Word value) {
        Arguments arguments(function, device);
        arguments.words.at(parameter) = value;
        return arguments.call();
      };
      for (std::uint32_t value = 0; value <= highest; ++value) {
        if (const int code = set(value); code != kSuccess) wrong += fmt::format("{} answered {}; ", value, code);
        if (content(place(binding.path)).number != value) wrong += fmt::format("{} did not arrive; ", value);
      }
      for (const Word value : {Word{highest} + 1, Word{0x7FFFFFFF}, Word{0xFFFFFFFF}}) {
        if (const int code = set(value); code != kInvalidArgument)
          wrong += fmt::format("{} answered {}; ", value, code);
      }
      if (content(place(binding.path)).number != highest) wrong += "a refused value arrived; ";
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
