// SPDX-License-Identifier: Apache-2.0
#include "compiler/answers.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/nearest.hpp"
#include "compiler/numbers.hpp"

namespace nvmlab::compiler {
namespace {

struct Answer {
  const char* name;
  std::uint32_t code;
};

constexpr Answer kAnswers[] = {
    {"UNINITIALIZED", 1},
    {"INVALID_ARGUMENT", 2},
    {"NOT_SUPPORTED", 3},
    {"NO_PERMISSION", 4},
    {"ALREADY_INITIALIZED", 5},
    {"NOT_FOUND", 6},
    {"INSUFFICIENT_SIZE", 7},
    {"INSUFFICIENT_POWER", 8},
    {"DRIVER_NOT_LOADED", 9},
    {"TIMEOUT", 10},
    {"IRQ_ISSUE", 11},
    {"LIBRARY_NOT_FOUND", 12},
    {"FUNCTION_NOT_FOUND", 13},
    {"CORRUPTED_INFOROM", 14},
    {"GPU_IS_LOST", 15},
    {"RESET_REQUIRED", 16},
    {"OPERATING_SYSTEM", 17},
    {"LIB_RM_VERSION_MISMATCH", 18},
    {"IN_USE", 19},
    {"MEMORY", 20},
    {"NO_DATA", 21},
    {"VGPU_ECC_NOT_SUPPORTED", 22},
    {"INSUFFICIENT_RESOURCES", 23},
    {"FREQ_NOT_SUPPORTED", 24},
    {"ARGUMENT_VERSION_MISMATCH", 25},
    {"DEPRECATED", 26},
    {"NOT_READY", 27},
    {"GPU_NOT_FOUND", 28},
    {"INVALID_STATE", 29},
    {"RESET_TYPE_NOT_SUPPORTED", 30},
    {"UNKNOWN", 999},
};

}  // namespace

std::expected<std::uint32_t, std::string> find_answer(std::string_view name) {
  constexpr std::string_view prefix = "NVML_ERROR_";
  const std::string_view bare = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  std::vector<std::string> names;
  for (const Answer& answer : kAnswers) {
    if (bare == answer.name) return answer.code;
    names.emplace_back(answer.name);
  }
  // Codes that NVML has no name for can still be pinned: programs must survive those too.
  if (auto number = parse_number(name);
      number && !number->negative && number->magnitude > 0 && number->magnitude <= 0xFFFF'FFFFu) {
    return static_cast<std::uint32_t>(number->magnitude);
  }
  if (bare == "SUCCESS" || name == "NVML_SUCCESS" || name == "0") {
    return std::unexpected("SUCCESS stands for a value; write the value itself");
  }
  return std::unexpected(
      fmt::format("{} is no return code of NVML; {}", in_quotes(name), hint(bare, names, "its codes")));
}

std::string answer_name(std::uint32_t code) {
  for (const Answer& answer : kAnswers) {
    if (answer.code == code) return answer.name;
  }
  return std::to_string(code);
}

}  // namespace nvmlab::compiler
