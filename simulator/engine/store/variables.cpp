// SPDX-License-Identifier: Apache-2.0
#include "engine/store/variables.hpp"

#include <cstring>

namespace nvmlab {
namespace {

constexpr char kOurs[] = "NVMLAB_";
constexpr std::uint32_t kOursLength = sizeof kOurs - 1;

constexpr std::uint32_t kLongest = 24;
constexpr char kVariableNames[][kLongest] = {
    "NVMLAB_PROFILE",        "NVMLAB_MACHINE", "NVMLAB_GPUS",          "NVMLAB_DRIVER",     "NVMLAB_LIBRARY",
    "NVMLAB_ROLE",           "NVMLAB_LOG",     "NVMLAB_RUNTIME_DIR",   "NVMLAB_INIT_ERROR", "NVMLAB_RECORD_CALLS",
    "NVMLAB_KERNEL_TIMEOUT", "NVMLAB_KERNELS", "NVMLAB_RECORD_KERNELS"};

// Letters to insert, delete or replace between two words.
std::uint32_t letters_apart(const char* from, std::uint32_t from_length, const char* to, std::uint32_t to_length) {
  std::uint32_t row[kLongest + 1];
  for (std::uint32_t i = 0; i <= to_length; ++i)
    row[i] = i;
  for (std::uint32_t i = 1; i <= from_length; ++i) {
    std::uint32_t diagonal = row[0];
    row[0] = i;
    for (std::uint32_t j = 1; j <= to_length; ++j) {
      const std::uint32_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      const std::uint32_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = replaced < other ? replaced : other;
    }
  }
  return row[to_length];
}

}  // namespace

const char* misspelt_variable(const char* name, std::uint32_t length) {
  if (length <= kOursLength || length > kLongest || std::memcmp(name, kOurs, kOursLength) != 0) return nullptr;
  const char* near = nullptr;
  std::uint32_t least = 0;
  for (const char* variable : kVariableNames) {
    const auto other = static_cast<std::uint32_t>(std::strlen(variable));
    const std::uint32_t apart =
        letters_apart(name + kOursLength, length - kOursLength, variable + kOursLength, other - kOursLength);
    if (apart == 0) return nullptr;
    // Of a short name, two letters would be most of it.
    const std::uint32_t most = other - kOursLength > 4 ? 2 : 1;
    if (apart > most || (near != nullptr && apart >= least)) continue;
    near = variable;
    least = apart;
  }
  return near;
}

}  // namespace nvmlab
