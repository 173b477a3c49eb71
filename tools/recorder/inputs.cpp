// SPDX-License-Identifier: Apache-2.0
#include "recorder/inputs.hpp"

namespace nvmlab::recorder {
namespace {

constexpr std::uint64_t kMostNumbers = 1 << 18;

}  // namespace

std::vector<Choice> choices(const Input& input, const Field& field, const Seen& seen, int gpu) {
  std::vector<Choice> list;
  switch (input.from) {
    case Input::From::names:
      for (const Name& name : input.names->all) {
        bool repeated = false;
        for (const Choice& each : list)
          repeated = repeated || each.number == static_cast<std::uint64_t>(name.value);
        if (!repeated) list.push_back({static_cast<std::uint64_t>(name.value), name.name, {}});
      }
      break;
    case Input::From::numbers:
      for (std::uint64_t i = 0; i < input.end; ++i)
        list.push_back({i, nullptr, {}});
      break;
    case Input::From::values:
      for (const long long value : input.values)
        list.push_back({static_cast<std::uint64_t>(value), nullptr, {}});
      break;
    case Input::From::up_to_seen: {
      std::uint64_t end = 0;
      for (const Seen::Value& each : seen.of(input.slot, gpu))
        end = each.number > end ? each.number : end;
      for (std::uint64_t i = 0; i <= end && i < kMostNumbers; ++i)
        list.push_back({i, nullptr, {}});
      break;
    }
    case Input::From::seen:
      for (const Seen::Value& each : seen.of(input.slot, gpu))
        list.push_back({each.number, nullptr, each.text});
      // The refusal tells something, too.
      if (list.empty() && field.kind != Kind::text) list.push_back({});
      break;
  }
  return list;
}

}  // namespace nvmlab::recorder
