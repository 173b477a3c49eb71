// SPDX-License-Identifier: Apache-2.0
#include "compiler/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/nearest.hpp"
#include "compiler/numbers.hpp"
#include "compiler/return_codes.hpp"
#include "compiler/values_raw.hpp"
#include "compiler/values_rules.hpp"
#include "compiler/values_store.hpp"

namespace nvmlab::compiler {
namespace {

class ValueReader {
 public:
  explicit ValueReader(Problems& problems) : problems_(problems) {}

  bool value(const yaml::Node& node, const Field& field, std::string_view name, std::byte* at) {
    if (field.type == FieldType::record) return record(node, *field.record, name, at);
    if (is_list(field.type)) return list(node, field, name, at);
    if (node.is_null()) {
      raw::set_error(field, at, kNotSupported);
      return true;
    }
    if (node.is_mapping() && node.find("answer") != nullptr) return answer(node, field, name, at);
    if (field.bit_count > 0 && node.is_sequence()) return mask(node, field, name, at);
    if (!node.is_scalar()) return wrong(node, describe_wanted(node, field, name));
    if (field.type == FieldType::text) return stored(node, store_text(node.scalar, field, name, at));
    if (field.type == FieldType::bytes) return stored(node, store_hex(node.scalar, field, name, at));
    auto number = scalar(node, field, name);
    if (!number) return false;
    store_number(*number, field, at);
    return true;
  }

  bool item(const yaml::Node& node, const Field& list, std::string_view name, std::byte* at) {
    if (list.type == FieldType::list_record) return record(node, *list.record, name, at);
    auto number = list_number(node, list, name);
    if (number) put_number(*number, list.type, at);
    return number.has_value();
  }

 private:
  bool wrong(const yaml::Node& node, std::string message) {
    problems_.push_back(node.error(std::move(message)));
    return false;
  }

  bool stored(const yaml::Node& node, std::expected<void, std::string> result) {
    return result.has_value() || wrong(node, std::move(result.error()));
  }

  bool answer(const yaml::Node& node, const Field& field, std::string_view name, std::byte* at) {
    bool good = true;
    for (const auto& [key, unused] : node.entries) {
      if (key.scalar == "answer") continue;
      good = wrong(key, fmt::format("{} beside 'answer'; {} gets a value or an answer", in_quotes(key.scalar), name));
    }
    const yaml::Node& code_node = *node.find("answer");
    if (!code_node.is_scalar()) {
      return wrong(code_node, fmt::format("{} was found; a return code of NVML would be right", code_node.describe()));
    }
    auto code = find_return_code(code_node.scalar);
    if (!code) return wrong(code_node, code.error());
    if (good) raw::set_error(field, at, *code);
    return good;
  }

  std::optional<Number> fail(const yaml::Node& node, std::string message) {
    wrong(node, std::move(message));
    return std::nullopt;
  }

  // Bits by their names.
  bool mask(const yaml::Node& node, const Field& field, std::string_view name, std::byte* at) {
    Number bits;
    bool good = true;
    for (const yaml::Node& item : node.items) {
      const auto number = item.is_scalar() ? scalar(item, field, name) : fail(item, describe_wanted(item, field, name));
      if (number) bits.magnitude |= number->magnitude;
      good = good && number;
    }
    if (good) store_number(bits, field, at);
    return good;
  }

  static std::string describe_wanted(const yaml::Node& node, const Field& field, std::string_view name) {
    return fmt::format("{} was found; {} takes {}", node.describe(), name, wanted(field));
  }

  // The number that a word or digits stand for, checked against type and range.
  std::optional<Number> scalar(const yaml::Node& node, const Field& field, std::string_view name) {
    for (std::uint32_t i = 0; i < field.label_count; ++i) {
      if (node.scalar == field.labels[i].name) return Number{false, field.labels[i].value};
    }
    if (field.type == FieldType::flag) {
      if (node.scalar == "true" || node.scalar == "yes") return Number{false, 1};
      if (node.scalar == "false" || node.scalar == "no") return Number{false, 0};
    }
    for (std::uint32_t i = 0; i < field.bit_count; ++i) {
      if (node.scalar == field.bits[i].name) return Number{false, field.bits[i].value};
    }
    auto number = parse_quantity(node.scalar, field.unit);
    if (!number && field.label_count + field.bit_count > 0) {
      return fail(node, fmt::format("{} is none of the {} of {}; {}", in_quotes(node.scalar),
                                    field.bit_count > 0 ? "bits" : "labels", name,
                                    hint(node.scalar, word_names(field), "they")));
    }
    if (node.quoted) return fail(node, fmt::format("a text in quotes was found; {} takes {}", name, wanted(field)));
    if (!number) return fail(node, fmt::format("{}; {} takes {}", number.error(), name, wanted(field)));
    return checked(*number, node, field, name);
  }

  std::optional<Number> checked(const Number& number, const yaml::Node& node, const Field& field,
                                std::string_view name) {
    if (!stored(node, check_range(number, node.scalar, field, name))) return std::nullopt;
    return number;
  }

  bool record(const yaml::Node& node, const RecordTable& table, std::string_view name, std::byte* at) {
    if (node.is_null()) {
      for (std::uint32_t i = 0; i < table.field_count; ++i)
        std::memset(at + table.fields[i].offset, 0, table.fields[i].size);
      return true;
    }
    if (!node.is_mapping()) return wrong(node, fmt::format("{} was found; {} takes a mapping", node.describe(), name));
    bool good = true;
    for (const auto& [key, child] : node.entries) {
      const Field* member = find_member(table, key, name, problems_);
      const bool read =
          member != nullptr && value(child, *member, fmt::format("{}.{}", name, key.scalar), at + member->offset);
      good = read && good;
    }
    return good;
  }

  bool list(const yaml::Node& node, const Field& field, std::string_view name, std::byte* at) {
    std::memset(at, 0, field.size);
    if (node.is_null()) return true;
    const bool answered = node.is_mapping() && node.find("answer") != nullptr;
    if (answered)
      return wrong(node, fmt::format("an answer was found; {} is a list, and an absent list is empty", name));
    if (!node.is_sequence())
      return wrong(node, fmt::format("{} was found; {} takes {}", node.describe(), name, wanted(field)));
    bool good = true;
    std::uint64_t count = 0;
    for (const yaml::Node& child : node.items) {
      const bool read = field.type == FieldType::list_record ? records(child, field, name, at, count)
                                                             : numbers(child, field, name, at, count);
      good = read && good;
    }
    if (count > field.capacity) {
      good = wrong(node, fmt::format("{} items are too many; {} takes at most {}", count, name, field.capacity));
      count = field.capacity;
    }
    raw::store<std::uint32_t>(at, static_cast<std::uint32_t>(count));
    return good;
  }

  std::optional<Number> list_number(const yaml::Node& node, const Field& list, std::string_view name) {
    if (!node.is_scalar() || node.quoted) {
      return fail(node, fmt::format("{} was found; {} takes {}", node.quoted ? "a text in quotes" : node.describe(),
                                    name, wanted(list)));
    }
    auto number = parse_quantity(node.scalar, list.unit);
    if (!number) return fail(node, fmt::format("{}; {} takes {}", number.error(), name, wanted(list)));
    return checked(*number, node, list, name);
  }

  static std::byte* slot(const Field& list, std::byte* at, std::uint64_t index) {
    return at + kListHead + index * item_size(list);
  }

  // Evenly spaced numbers. Clocks are: by 15 MHz, but also by 7.5 or 12.65625, of which NVML tells the whole MHz. So
  // the start and the step may have decimal places, and each number is rounded down.
  struct Run {
    bool exact = true;  // whole numbers, of any size; else millionths
    std::uint64_t from = 0, to = 0, step = 0, steps = 0;
    bool leads = false;  // from one end to the other

    std::uint64_t unit() const { return exact ? 1 : kMillion; }
    std::uint64_t at(std::uint64_t index) const {
      return (from < to ? from + index * step : from - index * step) / unit();
    }
  };

  std::optional<Run> run_of(const yaml::Node& from, const yaml::Node& to, const yaml::Node& step, const Field& list,
                            std::string_view name) {
    Run run;
    const std::pair<const yaml::Node*, std::uint64_t*> parts[] = {
        {&from, &run.from}, {&to, &run.to}, {&step, &run.step}};
    for (const auto& [part, number] : parts)
      run.exact = run.exact && !(part->is_scalar() && part->scalar.contains('.'));
    for (const auto& [part, number] : parts) {
      if (run.exact) {
        const auto whole = list_number(*part, list, name);
        if (!whole) return std::nullopt;
        *number = whole->magnitude;
        continue;
      }
      const auto millionths = part->is_scalar() && !part->quoted
                                  ? parse_millionths(part->scalar)
                                  : std::unexpected(fmt::format("{} was found", part->describe()));
      if (!millionths) {
        fail(*part, fmt::format("{}; {} takes {}", millionths.error(), name, wanted(list)));
        return std::nullopt;
      }
      *number = *millionths;
      if (!checked(Number{false, *millionths / kMillion}, *part, list, name)) return std::nullopt;
    }
    if (run.step == 0) return run;
    // The last number is what the end says when both are rounded down.
    const std::uint64_t span = run.from < run.to ? run.to - run.from : run.from - run.to;
    for (const std::uint64_t steps : {span / run.step, span / run.step + 1}) {
      const bool overshoots =
          steps > span / run.step && (run.exact || (run.from > run.to && steps * run.step > run.from));
      if (overshoots || run.at(steps) != run.to / run.unit()) continue;
      run.steps = steps;
      run.leads = true;
      return run;
    }
    return run;
  }

  // One number, or an evenly spaced run of them.
  bool numbers(const yaml::Node& node, const Field& list, std::string_view name, std::byte* at, std::uint64_t& count) {
    if (!node.is_mapping()) {
      auto number = list_number(node, list, name);
      if (number && count < list.capacity) put_number(*number, list.type, slot(list, at, count));
      ++count;
      return number.has_value();
    }
    const yaml::Node* from = node.find("from");
    const yaml::Node* to = node.find("to");
    const yaml::Node* step = node.find("step");
    if (node.entries.size() != 3 || from == nullptr || to == nullptr || step == nullptr) {
      return wrong(node,
                   fmt::format("a mapping was found; {} takes numbers or {{from: 900, to: 600, step: 15}}", name));
    }
    const auto run = run_of(*from, *to, *step, list, name);
    if (!run) return false;
    if (!run->leads) {
      return wrong(node, fmt::format("steps of {} do not lead from {} to {}; in {}", step->scalar, from->scalar,
                                     to->scalar, name));
    }
    for (std::uint64_t i = 0; i <= run->steps && count + i < list.capacity; ++i)
      put_number(Number{false, run->at(i)}, list.type, slot(list, at, count + i));
    count += std::min<std::uint64_t>(run->steps, 0xFFFF'FFFFu) + 1;
    return true;
  }

  // One record, or several equal ones.
  bool records(const yaml::Node& node, const Field& list, std::string_view name, std::byte* at, std::uint64_t& count) {
    const std::string item_name = fmt::format("{}[{}]", name, count);
    std::uint64_t times = 1;
    yaml::Node plain = node;
    if (const yaml::Node* repeat = node.is_mapping() ? node.find("repeat") : nullptr; repeat != nullptr) {
      auto number = repeat->is_scalar() ? parse_number(repeat->scalar) : std::unexpected(std::string());
      if (!number || number->negative || number->magnitude == 0 || number->magnitude > list.capacity) {
        ++count;
        return wrong(*repeat,
                     fmt::format("'repeat' of {} takes a whole number from 1 to {}", item_name, list.capacity));
      }
      times = number->magnitude;
      std::erase_if(plain.entries, [](const auto& entry) { return entry.first.scalar == "repeat"; });
    }
    std::vector<std::byte> bytes(item_size(list));
    const bool good = record(plain, *list.record, item_name, bytes.data());
    for (std::uint64_t i = 0; i < times && count + i < list.capacity; ++i) {
      std::memcpy(slot(list, at, count + i), bytes.data(), bytes.size());
    }
    count += times;
    return good;
  }

  Problems& problems_;
};

}  // namespace

bool read_value(const yaml::Node& node, const Field& field, std::string_view name, std::byte* at, Problems& problems) {
  return ValueReader(problems).value(node, field, name, at);
}

bool read_item(const yaml::Node& node, const Field& list, std::string_view name, std::byte* at, Problems& problems) {
  return ValueReader(problems).item(node, list, name, at);
}

}  // namespace nvmlab::compiler
