// SPDX-License-Identifier: Apache-2.0
//
// How each setting of model/state is set through NVML: by the function that its row names (`set_by`), with arguments
// that leave the other settings of that function as they are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/state/generated/state.hpp"
#include "tests/drivers/functions/support/driver.hpp"

namespace nvmlab::driver_test {

// One setting that is to get a value; `state` and `node` hold the values of before.
struct SettingCall {
  const Driver& driver;
  Word device;
  std::string field;                 // the last part of its path
  std::vector<std::uint32_t> items;  // the positions in its lists
  std::string value;                 // as `nvmlab set` takes it; "null" for none
  const Gpu& state;
  const Node& node;

  bool none() const { return value == "null"; }
  std::uint64_t number() const { return none() ? 0 : static_cast<std::uint64_t>(std::stoll(value)); }
  unsigned small() const { return static_cast<unsigned>(number()); }
  bool is(const char* name) const { return field == name; }
};

// Gives the function's return code.
using CallSetting = std::function<int(const SettingCall&)>;

// Of a value that the arguments of the function cannot express, such as 256 in a byte.
inline constexpr int kInexpressible = -2;

// Null if the test does not know the function.
const CallSetting* find_setting_call(const std::string& function);

}  // namespace nvmlab::driver_test
