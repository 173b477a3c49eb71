// SPDX-License-Identifier: Apache-2.0
// Every board with MIG, and the profile of a machine with one of it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <string>

namespace nvmlab::mig_test {

struct BoardCase {
  const char* name;      // of the test
  const char* inherits;  // profiles of profiles/gpus
  const char* geometry;  // of geometries.tsv
  std::uint32_t missing = 14;
};

// Every board with MIG that is shipped or known.
inline constexpr BoardCase kBoards[] = {
    {"a30", "ga100, mig-a30", "a30"},
    {"a100_40gb", "a100-sxm4-40gb", "ga100"},
    {"a100_80gb", "a100-sxm4-80gb", "ga100", 10},
    {"h100_sxm", "h100-sxm5-80gb", "gh100"},
    {"h100_pcie", "hopper, mig-h100-pcie-80gb", "gh100", 10},
    {"h100_94gb", "hopper, mig-h100-94gb", "gh100"},
    {"h200", "hopper, mig-h200", "gh100"},
    {"h20", "hopper, mig-h20", "gh100", 7},
    {"gh200_96gb", "hopper, mig-gh200-96gb", "gh100", 8},
    {"gh200_144gb", "hopper, mig-gh200-144gb", "gh100", 9},
    {"b200", "b200", "gh100", 11},
    {"gb200", "gb200", "gh100", 12},
    {"b300", "gb100, mig-b300", "gh100", 13},
    {"gb300", "gb300", "gh100"},
    {"rtx_pro_6000", "gb100, mig-rtx-pro-6000", "gb202"},
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest finds it by this name
inline void PrintTo(const BoardCase& board, std::ostream* out) { *out << board.name; }

// Of a driver that knows all of them.
inline std::string profile_text(const std::string& inherits, std::uint32_t missing) {
  return fmt::format(
      "profile: board\ninherits: [{}]\ndoc: A board of a test.\nsources:\n  test: {{kind: assumed, why: a test}}\n"
      "source: test\nmodes:\n  virtualization: none\nsystem:\n  driver_version: 580.105.08\nmig:\n  missing_slice: "
      "{}\n",
      inherits, missing);
}

}  // namespace nvmlab::mig_test
