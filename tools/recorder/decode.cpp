// SPDX-License-Identifier: Apache-2.0
#include "recorder/decode.hpp"

#include <cstring>

#include "nvmlab/abi/generated/enums.hpp"

namespace nvmlab::recorder {
namespace {

namespace abi = nvml::abi;

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 20;

template <class T>
T at(const std::byte* memory) {
  T value{};
  std::memcpy(&value, memory, sizeof value);
  return value;
}

std::int64_t signed_at(const Field& field, const std::byte* memory) {
  return field.size == 8 ? at<std::int64_t>(memory) : at<std::int32_t>(memory);
}

}  // namespace

std::uint64_t number_at(const Field& field, const std::byte* memory) {
  switch (field.size) {
    case 1:
      return at<std::uint8_t>(memory);
    case 2:
      return at<std::uint16_t>(memory);
    case 4:
      return at<std::uint32_t>(memory);
    default:
      return at<std::uint64_t>(memory);
  }
}

const char* name_of(const Names& names, long long value) {
  for (const Name& each : names.all) {
    if (each.value == value) return each.name;
  }
  return nullptr;
}

void code(Json& json, int code) {
  const char* const name = name_of(return_codes, code);
  if (name == nullptr) return json.text(std::to_string(code));
  std::string_view text = name;
  for (const std::string_view prefix : {std::string_view("NVML_ERROR_"), std::string_view("NVML_")}) {
    if (text.substr(0, prefix.size()) == prefix) {
      text.remove_prefix(prefix.size());
      break;
    }
  }
  json.text(text);
}

void Decoder::text(Json& json, const Field& field, std::string_view value) {
  seen_.remember(field.slot, gpu_, 0, value);
  json.text(masker_.text(value, field.mask));
}

void Decoder::nvml_value(Json& json, const std::byte* memory) const {
  switch (value_type_) {
    case abi::NVML_VALUE_TYPE_DOUBLE:
      return json.real(at<double>(memory));
    case abi::NVML_VALUE_TYPE_UNSIGNED_INT:
      return json.number(at<std::uint32_t>(memory));
    case abi::NVML_VALUE_TYPE_SIGNED_INT:
      return json.integer(at<std::int32_t>(memory));
    case abi::NVML_VALUE_TYPE_SIGNED_LONG_LONG:
      return json.integer(at<std::int64_t>(memory));
    case abi::NVML_VALUE_TYPE_UNSIGNED_SHORT:
      return json.number(at<std::uint16_t>(memory));
    default:
      return json.number(at<std::uint64_t>(memory));
  }
}

void Decoder::element(Json& json, const Field& field, const std::byte* memory) {
  switch (field.kind) {
    case Kind::number: {
      const std::uint64_t value = number_at(field, memory);
      seen_.remember(field.slot, gpu_, value);
      return json.number(field.mask == Mask::none ? value : masker_.number(value));
    }
    case Kind::integer:
      return json.integer(signed_at(field, memory));
    case Kind::real:
      return json.real(at<double>(memory));
    case Kind::text: {
      const auto* chars = reinterpret_cast<const char*>(memory);
      return text(json, field, {chars, ::strnlen(chars, field.size)});
    }
    case Kind::bytes: {
      const std::string bytes = field.mask == Mask::none
                                    ? std::string(reinterpret_cast<const char*>(memory), field.size)
                                    : masker_.bytes(memory, field.size);
      return json.hex(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
    }
    case Kind::enumerator: {
      const auto value = static_cast<std::int32_t>(at<std::uint32_t>(memory));
      const char* const name = name_of(*field.names, value);
      return name != nullptr ? json.text(name) : json.integer(value);
    }
    case Kind::record:
      return record(json, *field.record, memory);
    case Kind::value:
      return nvml_value(json, memory);
    case Kind::handle: {
      const Object* const object = objects_.find(at<Word>(memory));
      if (object == nullptr) return json.null();
      json.begin_object();
      object->subject.write(json);
      return json.end_object();
    }
  }
}

void Decoder::elements(Json& json, const Field& field, const std::byte* memory, std::uint64_t count) {
  json.begin_array();
  for (std::uint64_t i = 0; i < count && i < kMostElements; ++i)
    element(json, field, memory + i * field.size);
  json.end_array();
}

void Decoder::value(Json& json, const Field& field, const std::byte* memory) {
  if (field.extent > 0) return elements(json, field, memory, field.extent);
  element(json, field, memory);
}

void Decoder::member(Json& json, const Record& owner, const Field& field, const std::byte* memory) {
  const std::byte* place = memory + field.offset;
  std::uint64_t count = field.extent;
  if (field.counted_by != kUncounted) {
    const Field& counter = owner.fields[static_cast<std::size_t>(field.counted_by)];
    count = number_at(counter, memory + counter.offset);
  }
  if (field.behind) {
    const auto* behind = at<const std::byte*>(place);
    if (field.kind == Kind::text) {
      if (behind == nullptr) return json.null();
      return text(json, field, reinterpret_cast<const char*>(behind));
    }
    return elements(json, field, behind, behind == nullptr ? 0 : count);
  }
  if (field.kind == Kind::bytes && field.counted_by != kUncounted) {
    Field shorter = field;
    shorter.size = static_cast<std::uint32_t>(count < field.size ? count : field.size);
    return element(json, shorter, place);
  }
  if (field.extent > 0) return elements(json, field, place, count < field.extent ? count : field.extent);
  element(json, field, place);
}

void Decoder::record(Json& json, const Record& record, const std::byte* memory) {
  const long long outside = value_type_;
  for (const Field& field : record.fields) {
    if (field.kind == Kind::enumerator && field.extent == 0 && !field.behind &&
        std::strcmp(field.names->type, value_types.type) == 0)
      value_type_ = at<std::uint32_t>(memory + field.offset);
  }
  json.begin_object();
  for (const Field& field : record.fields) {
    json.key(field.name);
    member(json, record, field, memory);
  }
  json.end_object();
  value_type_ = outside;
}

}  // namespace nvmlab::recorder
