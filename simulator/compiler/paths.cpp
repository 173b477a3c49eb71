// SPDX-License-Identifier: Apache-2.0
#include "compiler/paths.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "base/nearest.hpp"
#include "compiler/numbers.hpp"

namespace nvmlab::compiler {
namespace {

std::unexpected<std::string> refuse(std::string message) { return std::unexpected(std::move(message)); }

struct Segment {
  std::string_view name;
  std::optional<std::uint64_t> index;
};

std::expected<Segment, std::string> split(std::string_view text, std::string_view path) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return Segment{text, std::nullopt};
  auto number = text.ends_with(']') ? parse_number(text.substr(open + 1, text.size() - open - 2)) : refuse("");
  if (!number || number->negative) {
    return refuse(fmt::format("{} of {} is no item of a list; write list[0]", in_quotes(text), in_quotes(path)));
  }
  return Segment{text.substr(0, open), number->magnitude};
}

std::expected<void, std::string> inside(const FieldRef& ref, const std::byte* owner) {
  for (const FieldRef::Step& step : ref.steps) {
    const std::uint32_t count = list_count(*step.list, owner + step.offset);
    if (step.index >= count) {
      return refuse(
          fmt::format("{}: the list '{}' has {} items here, counted from 0", ref.name, step.list->name, count));
    }
  }
  return {};
}

std::uint32_t value_size(const FieldRef& ref) { return ref.item ? item_size(*ref.field) : ref.field->size; }

}  // namespace

const Topic* find_topic(std::string_view name) {
  for (const Topic& topic : topics()) {
    if (name == topic.table.name) return &topic;
  }
  return nullptr;
}

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const Topic& topic : topics())
    names.emplace_back(topic.table.name);
  return names;
}

std::expected<FieldRef, std::string> find_field(std::string_view path) {
  FieldRef ref;
  ref.name = path;
  const std::size_t dot = path.find('.');
  const std::string_view topic_name = path.substr(0, dot);
  ref.topic = find_topic(topic_name);
  if (ref.topic == nullptr) {
    return refuse(
        fmt::format("there is no topic {}; {}", in_quotes(topic_name), hint(topic_name, topic_names(), "the topics")));
  }
  if (dot == std::string_view::npos) {
    return refuse(fmt::format("{} is a topic; name a field of it, such as {}.{}", in_quotes(path), topic_name,
                              ref.topic->table.fields[0].name));
  }
  ref.offset = ref.topic->offset;
  const RecordTable* record = &ref.topic->table;
  std::string owner(topic_name);
  std::string_view rest = path.substr(dot + 1);
  for (;;) {
    const std::size_t end = rest.find('.');
    auto segment = split(rest.substr(0, end), path);
    if (!segment) return refuse(segment.error());
    ref.field = find_member(*record, segment->name);
    if (ref.field == nullptr) {
      return refuse(fmt::format("{} has no field {}; {}", owner, in_quotes(segment->name),
                                hint(segment->name, member_names(*record), "its fields")));
    }
    owner += fmt::format(".{}", segment->name);
    ref.offset += ref.field->offset;
    ref.item = segment->index.has_value();
    if (ref.item) {
      if (!is_list(ref.field->type)) return refuse(fmt::format("{} is no list; leave the index out", in_quotes(owner)));
      if (*segment->index >= ref.field->capacity) {
        return refuse(fmt::format("{} has at most {} items, counted from 0", owner, ref.field->capacity));
      }
      const auto index = static_cast<std::uint32_t>(*segment->index);
      ref.steps.push_back({ref.field, ref.offset, index});
      ref.offset += kListHead + index * item_size(*ref.field);
    }
    if (end == std::string_view::npos) return ref;
    rest = rest.substr(end + 1);
    record = ref.field->record;
    if (record == nullptr)
      return refuse(fmt::format("{} has no parts; {} leads nowhere", in_quotes(owner), in_quotes(rest)));
    if (ref.field->type == FieldType::list_record && !ref.item) {
      return refuse(fmt::format("{} is a list; say which item, such as {}[0].{}", in_quotes(owner), owner, rest));
    }
  }
}

bool is_there(const FieldRef& ref, const std::byte* owner) { return inside(ref, owner).has_value(); }

std::expected<std::string, std::string> format_field(const FieldRef& ref, const std::byte* owner, Style style) {
  if (auto fits = inside(ref, owner); !fits) return refuse(fits.error());
  if (ref.item) return format_item(*ref.field, owner + ref.offset, style);
  return format_value(*ref.field, owner + ref.offset, style);
}

std::expected<void, std::string> assign_field(const FieldRef& ref, std::string_view text, std::byte* owner) {
  if (auto fits = inside(ref, owner); !fits) return fits;
  yaml::Node node;
  // A text may hold anything; only what cannot be meant as one is read as YAML.
  const bool verbatim =
      ref.field->type == FieldType::text && !text.starts_with('{') && !text.starts_with('"') && text != "null";
  if (verbatim) {
    node.kind = yaml::Kind::scalar;
    node.scalar = text;
  } else {
    auto parsed = yaml::parse(text, ref.name);
    if (!parsed) return refuse(fmt::format("{} is no value: {}", in_quotes(text), parsed.error().message));
    node = std::move(*parsed);
  }
  return assign_field(ref, node, owner);
}

std::expected<void, std::string> assign_field(const FieldRef& ref, const yaml::Node& value, std::byte* owner) {
  if (auto fits = inside(ref, owner); !fits) return fits;
  std::vector<std::byte> bytes(owner + ref.offset, owner + ref.offset + value_size(ref));
  Problems problems;
  const bool good = ref.item ? read_item(value, *ref.field, ref.name, bytes.data(), problems)
                             : read_value(value, *ref.field, ref.name, bytes.data(), problems);
  if (!good) {
    std::vector<std::string> messages;
    for (const Problem& problem : problems)
      messages.push_back(problem.message);
    return refuse(fmt::format("{}", fmt::join(messages, "; ")));
  }
  std::memcpy(owner + ref.offset, bytes.data(), bytes.size());
  return {};
}

}  // namespace nvmlab::compiler
