// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

namespace nvmlab::kernels {
namespace {

constexpr const char* kTimeout = "NVMLAB_KERNEL_TIMEOUT";
constexpr const char* kKernels = "NVMLAB_KERNELS";

// "10s", "250ms", "2m": a number and its unit. 0: it is none of these.
std::uint64_t nanoseconds(std::string_view text) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  constexpr struct {
    std::string_view name;
    std::uint64_t ns;
  } kUnits[] = {{"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}};
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count > kMost) return 0;
  for (const auto& unit : kUnits) {
    if (std::string_view(end, text.data() + text.size()) == unit.name) return count * unit.ns;
  }
  return 0;
}

Settings read() {
  Settings made;
  const char* const timeout = ::secure_getenv(kTimeout);
  if (timeout != nullptr && timeout[0] != '\0') {
    made.timeout_ns = nanoseconds(timeout);
    if (made.timeout_ns == 0)
      made.problem =
          std::string(kTimeout) + ": '" + timeout + "' is no time; a number and its unit are right: 10s, 250ms, 2m";
  }
  if (const char* const kernels = ::secure_getenv(kKernels); kernels != nullptr && kernels[0] != '\0') {
    made.skip = std::strcmp(kernels, "skip") == 0;
    if (!made.skip && std::strcmp(kernels, "run") != 0)
      made.problem = std::string(kKernels) + ": '" + kernels + "' is neither run nor skip";
  }
  if (const char* const record = ::secure_getenv("NVMLAB_RECORD_KERNELS")) made.record = record;
  return made;
}

}  // namespace

const Settings& settings() {
  static const Settings known = read();
  return known;
}

}  // namespace nvmlab::kernels
