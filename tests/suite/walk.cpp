// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "tests/suite/generated/walk.hpp"

namespace nvmlab::suite {
namespace {

constexpr std::uint32_t kTextRoom = 256;
constexpr std::uint32_t kItems = 256;
constexpr std::size_t kLongestHex = 32;

template <class T>
T at(const std::byte* memory) {
  T value{};
  std::memcpy(&value, memory, sizeof value);
  return value;
}

std::string hex(const std::byte* memory, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < std::min(size, kLongestHex); ++i)
    text += fmt::format("{:02x}", static_cast<unsigned>(memory[i]));
  if (size <= kLongestHex) return text;
  std::uint64_t sum = 0xcbf29ce484222325ull;
  for (std::size_t i = 0; i < size; ++i)
    sum = (sum ^ static_cast<unsigned char>(memory[i])) * 0x100000001b3ull;
  return fmt::format("{}... {} bytes #{:016x}", text, size, sum);
}

std::string shown(Kind kind, const std::byte* memory, std::size_t size) {
  switch (kind) {
    case Kind::number:
      if (size == 8) return std::to_string(at<std::uint64_t>(memory));
      if (size == 4) return std::to_string(at<std::uint32_t>(memory));
      return size == 2 ? std::to_string(at<std::uint16_t>(memory)) : std::to_string(at<std::uint8_t>(memory));
    case Kind::integer:
      return size == 8 ? std::to_string(at<std::int64_t>(memory)) : std::to_string(at<std::int32_t>(memory));
    case Kind::real:
      return fmt::format("{}", at<double>(memory));
    case Kind::text: {
      const auto* text = reinterpret_cast<const char*>(memory);
      return std::string(text, ::strnlen(text, size));
    }
    case Kind::bytes:
      return hex(memory, size);
  }
  return "";
}

// Numbers that are no enumerators: of a link, or of something that a GPU has few of.
long long highest_number(const Parameter& parameter) { return std::string_view(parameter.name) == "link" ? 17 : 2; }

class Caller {
 public:
  Caller(const Library& library, const Function& function, const std::vector<Word>& gpus, int gpu)
      : library_(library), function_(function), gpus_(gpus), gpu_(gpu) {}

  // With every combination of what can be chosen.
  void call_all(std::size_t parameter, std::vector<Call>& calls) {
    if (parameter == function_.parameters.size()) {
      calls.push_back(call());
      return;
    }
    const Parameter& each = function_.parameters[parameter];
    if (each.role == Role::choice) {
      for (const long long value : each.values) {
        chosen_[parameter] = value;
        call_all(parameter + 1, calls);
      }
    } else if (each.role == Role::number) {
      for (long long value = 0; value <= highest_number(each); ++value) {
        chosen_[parameter] = value;
        call_all(parameter + 1, calls);
      }
    } else {
      call_all(parameter + 1, calls);
    }
  }

 private:
  Call call() {
    Call result;
    result.function = function_.name;
    result.gpu = gpu_;
    result.moves = function_.moves;
    std::array<Word, 6> words{};
    std::array<std::vector<std::byte>, 6> rooms;
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      const Parameter& each = function_.parameters[i];
      if (each.role == Role::choice || each.role == Role::number)
        result.arguments.emplace_back(each.name, chosen_.at(i));
      words.at(i) = word(each, i, rooms.at(i));
    }
    result.code = library_.call_words(function_.name, std::span(words).first(function_.parameters.size()));
    if (result.code == kSuccess || result.code == kInsufficientSize) show(rooms, result);
    return result;
  }

  Word word(const Parameter& each, std::size_t place, std::vector<std::byte>& room) const {
    const auto place_of = [&room](std::size_t size) {
      room.assign(size, std::byte{0});
      return reinterpret_cast<Word>(room.data());
    };
    switch (each.role) {
      case Role::device:
        return gpus_.at(static_cast<std::size_t>(gpu_));
      case Role::peer:
        return gpus_.at((static_cast<std::size_t>(gpu_) + 1) % gpus_.size());
      case Role::choice:
      case Role::number:
        return static_cast<Word>(chosen_.at(place));
      case Role::text:
        return place_of(kTextRoom);
      case Role::text_length:
        return kTextRoom;
      case Role::scalar:
        return place_of(8);
      case Role::structure: {
        const Word memory = place_of(each.size);
        if (each.version != 0) std::memcpy(room.data(), &each.version, sizeof each.version);
        return memory;
      }
      case Role::count: {
        const Word memory = place_of(sizeof kItems);
        std::memcpy(room.data(), &kItems, sizeof kItems);
        return memory;
      }
      case Role::items:
        return place_of(std::size_t{each.size} * kItems);
      case Role::room:
        return 64;
    }
    return 0;
  }

  void show(const std::array<std::vector<std::byte>, 6>& rooms, Call& result) const {
    std::uint32_t items = 64;  // what Role::room says
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      if (function_.parameters[i].role != Role::count) continue;
      items = at<std::uint32_t>(rooms.at(i).data());
      result.values.emplace_back(function_.parameters[i].name, std::to_string(items));
    }
    if (result.code != kSuccess) return;
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      const Parameter& each = function_.parameters[i];
      const std::byte* memory = rooms.at(i).data();
      if (each.role == Role::text) {
        result.values.emplace_back(each.name, shown(Kind::text, memory, kTextRoom));
      } else if (each.role == Role::scalar) {
        result.values.emplace_back(each.name, shown(each.kind, memory, each.size));
      } else if (each.role == Role::structure) {
        for (const Field& field : each.fields)
          result.values.emplace_back(field.name, shown(field.kind, memory + field.offset, field.size));
      } else if (each.role == Role::items) {
        result.values.emplace_back(each.name, hex(memory, std::size_t{each.size} * std::min(items, kItems)));
      }
    }
  }

  const Library& library_;
  const Function& function_;
  const std::vector<Word>& gpus_;
  int gpu_;
  std::array<long long, 6> chosen_{};
};

struct FieldValue {  // nvmlFieldValue_t
  std::uint32_t id;
  std::uint32_t scope;
  std::int64_t timestamp;
  std::int64_t latency;
  std::uint32_t type;
  std::int32_t code;
  std::uint64_t value;
};

void walk_field_ids(const Library& library, const std::vector<Word>& gpus, int gpu, std::vector<Call>& calls) {
  for (std::uint32_t id = 1; id < kFieldIds; ++id) {
    FieldValue value{};
    value.id = id;
    Call call;
    call.function = "nvmlDeviceGetFieldValues";
    call.gpu = gpu;
    call.arguments.emplace_back("fieldId", id);
    call.code = library.call(call.function, gpus.at(static_cast<std::size_t>(gpu)), 1, &value);
    if (call.code == kSuccess) call.code = value.code;
    if (call.code == kSuccess) {
      call.values.emplace_back("valueType", std::to_string(value.type));
      call.values.emplace_back("value", std::to_string(value.value));
    }
    calls.push_back(std::move(call));
  }
}

bool of_gpu(const Function& function) { return function.parameters.front().role == Role::device; }

}  // namespace

std::string Call::key() const {
  std::string text = gpu < 0 ? function : fmt::format("gpu{} {}", gpu, function);
  for (const auto& [name, value] : arguments)
    text += fmt::format(" {}={}", name, value);
  return text;
}

std::vector<Call> walk(const Library& library, const std::vector<Word>& gpus) {
  std::vector<Call> calls;
  for (const Function& function : kWalk) {
    if (!of_gpu(function)) Caller(library, function, gpus, -1).call_all(0, calls);
  }
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const Function& function : kWalk) {
      if (of_gpu(function)) Caller(library, function, gpus, static_cast<int>(gpu)).call_all(0, calls);
    }
    walk_field_ids(library, gpus, static_cast<int>(gpu), calls);
  }
  return calls;
}

}  // namespace nvmlab::suite
