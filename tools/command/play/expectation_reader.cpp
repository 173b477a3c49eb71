// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "command/play/answers.hpp"
#include "command/play/mapping_reader.hpp"
#include "command/play/steps.hpp"
#include "compiler/values.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab::tool {
namespace {

using compiler::Problems;

constexpr std::string_view kEventKeys[] = {"event", "gpu", "times", "gpu_instance", "compute_instance"};

struct RelationName {
  std::string_view name;
  Relation relation;
};
constexpr RelationName kRelations[] = {
    {"is", Relation::is},           {"not", Relation::is_not},    {"at_least", Relation::at_least},
    {"at_most", Relation::at_most}, {"by", Relation::changed_by}, {"has", Relation::has},
    {"lacks", Relation::lacks},
};

std::vector<std::string> relation_names() {
  std::vector<std::string> names;
  for (const RelationName& each : kRelations)
    names.emplace_back(each.name);
  return names;
}

// "answer:GPU_IS_LOST", as `nvmlab set` takes it, is {answer: GPU_IS_LOST}.
yaml::Node as_value(const yaml::Node& node) {
  constexpr std::string_view kAnswer = "answer:";
  if (!node.is_scalar() || node.quoted || !node.scalar.starts_with(kAnswer)) return node;
  yaml::Node key = node;
  key.scalar = "answer";
  yaml::Node code = node;
  code.scalar.erase(0, kAnswer.size());
  yaml::Node answer;
  answer.kind = yaml::Kind::mapping;
  answer.place = node.place;
  answer.entries.emplace_back(std::move(key), std::move(code));
  return answer;
}

class FieldReader {
 public:
  FieldReader(std::string gpus, const yaml::Node& key, compiler::FieldRef ref, Problems& problems)
      : gpus_(std::move(gpus)), key_(key), ref_(std::move(ref)), problems_(problems) {}

  std::vector<Expectation> read(const yaml::Node& node) {
    if (!is_relations(node)) {
      add(Relation::is, node);
      return std::move(read_);
    }
    for (const auto& [name, wanted] : node.entries) {
      const auto* const found = std::ranges::find(kRelations, name.scalar, &RelationName::name);
      if (found == std::end(kRelations)) {
        problem(name, fmt::format("there is no expectation {}; {}", in_quotes(name.scalar),
                                  hint(name.scalar, relation_names(), "they")));
      } else {
        add(found->relation, wanted);
      }
    }
    return std::move(read_);
  }

 private:
  // Else a value. Of a record only {is: {...}} is one.
  static bool is_relations(const yaml::Node& node) { return node.is_mapping() && node.find("answer") == nullptr; }

  void problem(const yaml::Node& node, std::string message) { problems_.push_back(node.error(std::move(message))); }

  void add(Relation relation, const yaml::Node& wanted) {
    FieldExpectation expectation;
    expectation.place = key_.place;
    expectation.gpus = gpus_;
    expectation.ref = ref_;
    expectation.relation = relation;
    expectation.wanted = as_value(wanted);
    if (check(expectation)) read_.emplace_back(std::move(expectation));
  }

  bool check(FieldExpectation& expectation) {
    switch (expectation.relation) {
      case Relation::is:
      case Relation::is_not:
        return check_value(expectation.wanted);
      case Relation::at_least:
      case Relation::at_most:
      case Relation::changed_by:
        return check_number(expectation);
      case Relation::has:
      case Relation::lacks:
        return check_bits(expectation);
    }
    return false;
  }

  bool check_value(const yaml::Node& wanted) {
    std::vector<std::byte> scratch(ref_.item ? compiler::item_size(*ref_.field) : ref_.field->size);
    return ref_.item ? compiler::read_item(wanted, *ref_.field, ref_.name, scratch.data(), problems_)
                     : compiler::read_value(wanted, *ref_.field, ref_.name, scratch.data(), problems_);
  }

  bool is_number() const {
    switch (ref_.field->type) {
      case FieldType::u32:
      case FieldType::u64:
      case FieldType::i32:
      case FieldType::flag:
        return true;
      case FieldType::list_u16:
      case FieldType::list_u32:
      case FieldType::list_u64:
        return ref_.item;
      default:
        return false;
    }
  }

  bool check_number(FieldExpectation& expectation) {
    const yaml::Node& wanted = expectation.wanted;
    if (!is_number()) {
      problem(key_, fmt::format("{} is no number; 'is' and 'not' are for it", ref_.name));
      return false;
    }
    if (!wanted.is_scalar()) {
      problem(wanted, found_instead(wanted, "a number"));
      return false;
    }
    const std::string_view text = wanted.scalar;
    const bool more = text.starts_with('+');
    const auto number = compiler::parse_quantity(text.substr(more ? 1 : 0), ref_.field->unit);
    if (number) expectation.bound = *number;
    if (!number) problem(wanted, fmt::format("{}: {} {}", ref_.name, in_quotes(text), number.error()));
    return number.has_value();
  }

  bool check_bits(FieldExpectation& expectation) {
    const std::span bits(ref_.field->bits, ref_.field->bit_count);
    if (bits.empty()) {
      problem(key_, fmt::format("{} has no bits; 'is' and 'not' are for it", ref_.name));
      return false;
    }
    std::vector<std::string> names;
    for (const EnumLabel& bit : bits)
      names.emplace_back(bit.name);
    const yaml::Node& wanted = expectation.wanted;
    for (const yaml::Node& each :
         wanted.is_sequence() ? std::span<const yaml::Node>(wanted.items) : std::span(&wanted, 1)) {
      const auto bit =
          std::ranges::find_if(bits, [&each](const EnumLabel& label) { return each.scalar == label.name; });
      if (bit == bits.end()) {
        problem(each, fmt::format("{} has no bit {}; {}", ref_.name, in_quotes(each.scalar),
                                  hint(each.scalar, names, "its bits")));
        return false;
      }
      expectation.bits |= bit->value;
    }
    return true;
  }

  std::string gpus_;
  const yaml::Node& key_;
  compiler::FieldRef ref_;
  Problems& problems_;
  std::vector<Expectation> read_;
};

// "xid 79", or a name alone.
void read_event_name(const yaml::Node& node, EventExpectation& expectation, Problems& problems) {
  if (!node.is_scalar()) return problems.push_back(node.error(found_instead(node, "an event, such as 'xid 79'")));
  const std::size_t blank = node.scalar.find(' ');
  const auto event = find_event(node.scalar.substr(0, blank));
  if (!event) return problems.push_back(node.error(event.error()));
  expectation.event = *event;
  if (blank == std::string::npos) return;
  const auto number = whole_number(std::string_view(node.scalar).substr(blank + 1));
  if (number && (*event)->type == kXidEvent && !(*event)->of_machine) {
    expectation.xid = number;
    return;
  }
  problems.push_back(node.error(found_instead(node, "the name of an event, or xid with its number")));
}

// {nvmlDeviceGetTemperature: GPU_IS_LOST}
std::vector<Expectation> read_answers(const yaml::Node& node, const std::string& gpus, Problems& problems) {
  std::vector<Expectation> read;
  if (!node.is_mapping())
    problems.push_back(
        node.error(found_instead(node, "functions and what they answer, such as {nvmlInit: DRIVER_NOT_LOADED}")));
  for (const auto& [key, value] : node.entries) {
    const auto known = check_question(key.scalar);
    if (!known) problems.push_back(key.error(known.error()));
    const auto answer = read_answer(value.scalar);
    if (!answer) problems.push_back(value.error(answer.error()));
    if (known && answer) read.emplace_back(AnswerExpectation{key.place, gpus, key.scalar, *answer});
  }
  return read;
}

std::optional<std::string> read_gpus(const MappingReader& reader) { return reader.text("gpu"); }

std::vector<Expectation> read_event(const yaml::Node& node, Problems& problems) {
  const MappingReader reader(node, "an event", kEventKeys, problems);
  EventExpectation expectation;
  expectation.place = node.place;
  expectation.gpus = read_gpus(reader);
  expectation.times = reader.number("times");
  expectation.gpu_instance = reader.number("gpu_instance");
  expectation.compute_instance = reader.number("compute_instance");
  read_event_name(*reader.find("event"), expectation, problems);
  std::vector<Expectation> read;
  if (expectation.event != nullptr) read.emplace_back(std::move(expectation));
  return read;
}

}  // namespace

std::vector<Expectation> read_expectation(const yaml::Node& node, Problems& problems) {
  if (!node.is_mapping()) {
    problems.push_back(node.error(
        found_instead(node, "an expectation, such as {gpu: 3, thermal.gpu_c: {at_least: 90}} or {event: xid 79}")));
    return {};
  }
  if (node.find("event") != nullptr) return read_event(node, problems);
  std::vector<Expectation> all;
  std::string gpus = "all";
  for (const auto& [key, value] : node.entries) {
    if (key.scalar == "gpu" && value.is_scalar()) gpus = value.scalar;
    if (key.scalar == "gpu" && !value.is_scalar())
      problems.push_back(value.error(found_instead(value, "GPUs as --gpu takes them, such as 0,2-3")));
  }
  bool named = false;
  for (const auto& [key, value] : node.entries) {
    if (key.scalar == "gpu") continue;
    named = true;
    if (key.scalar == "answers") {
      std::ranges::move(read_answers(value, gpus, problems), std::back_inserter(all));
      continue;
    }
    auto ref = compiler::find_field(key.scalar);
    if (!ref) {
      problems.push_back(key.error(ref.error()));
      continue;
    }
    auto read = FieldReader(gpus, key, std::move(*ref), problems).read(value);
    std::ranges::move(read, std::back_inserter(all));
  }
  if (!named)
    problems.push_back(node.error("an expectation needs a field, such as thermal.gpu_c, an event, or answers"));
  return all;
}

}  // namespace nvmlab::tool
