// SPDX-License-Identifier: Apache-2.0
//
// Every setting of model/state that a function of NVML sets, from three sides: NVML's setter, nvmlab::Machine::set and
// the bytes of PutBytes. At the ends of the setting's range, beyond them and at its default, the three leave equal
// states or reject the value with the same code.
#include <cstring>
#include <iostream>
#include <set>

#include "compiler/paths.hpp"
#include "control/assignments.hpp"
#include "control/board_ranges.hpp"
#include "control/machine.hpp"
#include "engine/topics/vgpu/vgpu_scheduler.hpp"
#include "tests/drivers/functions/support/board.hpp"
#include "tests/drivers/functions/support/equipment.hpp"
#include "tests/drivers/functions/support/setting_calls.hpp"

namespace nvmlab::driver_test {
namespace {

using compiler::FieldRef;

constexpr std::int64_t kMost32 = 4294967295;

// What one way of setting a value has led to.
struct Outcome {
  int code = kSuccess;
  control::Snapshot after;
};

class Settings : public Board {
 protected:
  using Board::Board;
  void SetUp() override {
    for (const unsigned index : {0U, 1U})
      machine.change_gpu(index, [](Gpu& board) { equip(board); });
    machine.change_node([](Node& node) { equip(node, ""); });
    Board::SetUp();
    auto opened = Machine::open(machine.path().string());
    ASSERT_TRUE(opened) << opened.error();
    control = std::make_unique<Machine>(std::move(*opened));
  }

  // All ways begin at the same state; each leads to an outcome, and back.
  Outcome outcome_of(const std::function<int()>& way, const control::Snapshot& before) {
    Outcome outcome;
    outcome.code = way();
    auto after = control->snapshot();
    EXPECT_TRUE(after) << after.error();
    outcome.after = std::move(*after);
    const auto back = control->restore(before);
    EXPECT_TRUE(back) << back.error();
    return outcome;
  }

  int set_through_nvml(const FieldRef& ref, const CallSetting& setter, const std::string& value,
                       const control::Snapshot& before) {
    std::vector<std::uint32_t> items;
    for (const FieldRef::Step& step : ref.steps)
      items.push_back(step.index);
    return setter({driver, gpu, ref.field->name, items, value, before.gpus[0], *before.node});
  }

  // If a value is none, every setting of the same function loses its value.
  std::vector<control::Assignment> assignments(const FieldRef& ref, const std::string& value) {
    if (value != "null") return {{.ref = ref, .value = value}};
    std::vector<control::Assignment> all;
    for (const FieldRef& each : settings())
      if (std::strcmp(each.field->set_by, ref.field->set_by) == 0) all.push_back({.ref = each, .value = value});
    return all;
  }

  int put_bytes(const FieldRef& ref, const std::string& value, const control::Snapshot& before) {
    PutBytes put{ref.offset, ref.field->size, {}};
    std::vector<std::byte> owner(ref.topic->of_node ? sizeof(Node) : sizeof(Gpu));
    std::memcpy(owner.data(), ref.topic->of_node ? static_cast<const void*>(before.node.get()) : &before.gpus[0],
                owner.size());
    if (!compiler::assign_field(ref, value, owner.data())) return kInvalidArgument;
    if (put.size > sizeof put.bytes) return -1;
    std::memcpy(put.bytes, owner.data() + ref.offset, put.size);
    const auto done = control->apply(ref.topic->of_node ? make_change(MachinePart::node, put) : make_change(0, put));
    return done ? kSuccess : static_cast<int>(done.error().code);
  }

  void try_value(const FieldRef& ref, const CallSetting& setter, const std::string& value) {
    SCOPED_TRACE(ref.name + "=" + value + " by " + ref.field->set_by);
    auto before = control->snapshot();
    ASSERT_TRUE(before);
    const Outcome nvml = outcome_of([&] { return set_through_nvml(ref, setter, value, *before); }, *before);
    if (nvml.code == kInexpressible) return;
    Complaints complaints;
    const Outcome set = outcome_of(
        [&] {
          complaints =
              control::assign(control->store(), control->file(), assignments(ref, value), {0}, control::Force::no);
          return complaints.empty() ? 0 : 1;
        },
        *before);
    EXPECT_EQ(set.code == 0, nvml.code == kSuccess)
        << "NVML answers " << nvml.code << "; " << (complaints.empty() ? "set takes it" : complaints.front());
    expect_same(nvml.after, set.after);
    if (nvml.code != kSuccess) expect_same(*before, nvml.after);
    if (value != "null") {
      const Outcome put = outcome_of([&] { return put_bytes(ref, value, *before); }, *before);
      if (put.code == -1) return;  // longer than one change
      EXPECT_EQ(put.code, nvml.code);
      expect_same(nvml.after, put.after);
    }
  }

  static void expect_same(const control::Snapshot& some, const control::Snapshot& others) {
    for (const control::Difference& each : control::differences(some, others))
      ADD_FAILURE() << each.what << ": NVML " << each.before << ", else " << each.after;
  }

  // All settings of a GPU and of the node; of each list, the settings of one item.
  static std::vector<FieldRef> settings() {
    std::vector<FieldRef> all;
    for (const Topic& topic : topics())
      add_settings(topic.table, topic.table.name, all);
    return all;
  }
  static void add_settings(const RecordTable& record, const std::string& path, std::vector<FieldRef>& all) {
    for (std::uint32_t i = 0; i < record.field_count; ++i) {
      const Field& field = record.fields[i];
      const std::string name = path + "." + field.name;
      if (field.record != nullptr) {
        const bool listed = field.type == FieldType::list_record;
        add_settings(*field.record, listed ? name + (has_one_item(field.name) ? "[0]" : "[1]") : name, all);
      } else if (field.kind == FieldKind::setting) {
        all.push_back(*compiler::find_field(name));
      }
    }
  }
  // equip() gives other lists two items: then the second, so that a rule that changes only the first one fails.
  static bool has_one_item(std::string_view list) {
    return list == "limits" || list == "schedulers" || list == "instances";
  }

  void try_setting(const FieldRef& ref);
  std::vector<std::string> values_of(const FieldRef& ref, const std::byte* owner) const;

  std::unique_ptr<Machine> control;
  unsigned values_tried = 0;
};

class SettingsOf525 : public Settings {
 protected:
  SettingsOf525() : Settings(everything(), "525") {}
};

// No later driver has this function.
const std::string kOnlyOf525 = "nvmlDeviceCcuSetStreamState";

std::int64_t number_at(const std::string& path, const std::byte* owner) {
  const auto ref = compiler::find_field(path);
  EXPECT_TRUE(ref) << path;
  Fact<std::uint32_t> small{};
  std::memcpy(&small, owner + ref->offset, sizeof small);
  if (ref->field->type == FieldType::i32) return static_cast<std::int32_t>(small.value);
  if (ref->field->type != FieldType::u64) return small.value;
  Fact<std::uint64_t> wide{};
  std::memcpy(&wide, owner + ref->offset, sizeof wide);
  return static_cast<std::int64_t>(wide.value);
}

struct Ends {
  std::int64_t low;
  std::int64_t high;
};

Ends ends_of(const FieldRef& ref, const std::byte* owner) {
  const Field& field = *ref.field;
  const auto end = [&](const std::string& text) {
    return text.find_first_not_of("-0123456789") == std::string::npos
               ? std::stoll(text)
               : number_at(control::path_beside(ref, text), owner);
  };
  if (*field.lowest != '\0') return {end(field.lowest), end(field.highest)};
  if (field.ranged) return {field.low, field.high};
  if (field.type == FieldType::flag) return {0, 1};
  return {0, field.type == FieldType::u32 ? kMost32 : INT64_MAX};
}

// The lowest and highest value of the setting, the values beyond them, one between and the default.
std::vector<std::string> Settings::values_of(const FieldRef& ref, const std::byte* owner) const {
  const Field& field = *ref.field;
  if (field.type == FieldType::text) return {"node-7.example.org", "a b", "under_score", std::string(63, 'x')};
  if (field.type == FieldType::bytes) return {std::string(512, '0'), "ab" + std::string(510, '0')};
  if (field.type == FieldType::list_u16) return {"[]", "[0, 2]", "[3, 1]", "[9]"};
  const Ends ends = ends_of(ref, owner);
  std::set<std::int64_t> numbers;
  const std::int64_t most = field.type == FieldType::u64 ? INT64_MAX : kMost32;
  for (const std::int64_t each : {ends.low, ends.low + 1, ends.high})
    numbers.insert(each);
  if (ends.low > 0 || field.type == FieldType::i32) numbers.insert(ends.low - 1);
  if (ends.high < most) numbers.insert(ends.high + 1);
  std::vector<std::string> values;
  const std::string standard = field.default_value;
  if (standard == "none") {
    values.emplace_back("null");
  } else if (!standard.empty()) {
    const bool number = standard.find_first_not_of("-0123456789") == std::string::npos;
    numbers.insert(number ? std::stoll(standard) : number_at(control::path_beside(ref, standard), owner));
  }
  for (const std::int64_t each : numbers)
    values.push_back(std::to_string(each));
  return values;
}

void Settings::try_setting(const FieldRef& ref) {
  const CallSetting* const setter = find_setting_call(ref.field->set_by);
  ASSERT_NE(setter, nullptr) << ref.name << ": support/setting_calls.cpp has no call of " << ref.field->set_by;
  machine.change_node([&](Node& node) { equip(node, ref.name); });
  const auto state = control->snapshot();
  ASSERT_TRUE(state);
  const auto* const owner = ref.topic->of_node ? reinterpret_cast<const std::byte*>(state->node.get())
                                               : reinterpret_cast<const std::byte*>(&state->gpus[0]);
  ASSERT_TRUE(compiler::format_field(ref, owner, compiler::Style::yaml)) << ref.name << " is in no list of this board";
  for (const std::string& value : values_of(ref, owner)) {
    try_value(ref, *setter, value);
    ++values_tried;
  }
}

TEST_F(Settings, AreTheSameWhoeverSetsThem) {
  unsigned settings_tried = 0;
  for (const FieldRef& ref : settings()) {
    const std::string function = ref.field->set_by;
    ASSERT_NE(function, "") << ref.name;
    if (function == "none" || function == kOnlyOf525) continue;
    try_setting(ref);
    ++settings_tried;
  }
  std::cout << settings_tried << " settings that NVML sets, " << values_tried << " values\n";
  EXPECT_GT(settings_tried, 50U);
}

TEST_F(SettingsOf525, AreTheSameToo) {
  for (const FieldRef& ref : settings())
    if (ref.field->set_by == kOnlyOf525) try_setting(ref);
  EXPECT_EQ(values_tried, 3U);
}

// Two rows of model/state repeat what is NVIDIA's.
TEST(SettingRanges, AreThoseOfNvml) {
  const Field& threshold = *compiler::find_field("nvlink.low_power_threshold")->field;
  EXPECT_EQ(threshold.low, abi::NVLINK_LOW_POWER_THRESHOLD_MIN);
  EXPECT_EQ(threshold.high, abi::NVLINK_LOW_POWER_THRESHOLD_MAX);
  const Field& turn = *compiler::find_field("vgpu.schedulers[0].timeslice_ns")->field;
  EXPECT_EQ(turn.low, kShortestTurnNs);
  EXPECT_EQ(turn.high, kLongestTurnNs);
  const Field& average = *compiler::find_field("vgpu.schedulers[0].average_factor")->field;
  EXPECT_EQ(average.low, kSmallestAverage);
  EXPECT_EQ(average.high, kLargestAverage);
}

TEST_F(Settings, ARangeOfTheBoardIsNamedWithItsUnit) {
  const auto refused = control->set("power.limit_mw", "300");
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error(),
      "GPU 0: 300 mW is out of range; power.limit_mw takes 200000 to 700000 mW on this board, and --force pins any "
      "value");
  EXPECT_FALSE(control->set("power.limit_mw", "300 kW"));
  EXPECT_TRUE(control->set("power.limit_mw", "300", 0, control::Force::yes)) << "a pin shows what hardware cannot";
  EXPECT_EQ(control->get("power.limit_mw"), "300");
}

}  // namespace
}  // namespace nvmlab::driver_test
