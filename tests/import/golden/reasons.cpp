// SPDX-License-Identifier: Apache-2.0
#include "tests/import/golden/reasons.hpp"

#include <array>
#include <charconv>

#include "import/capture/capture.hpp"

namespace nvmlab::test {
namespace {

// "353 MiB" is 353 where the unit is " MiB"; -1 for anything else.
long count_of(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return -1;
  long number = -1;
  std::from_chars(text.data(), text.data() + text.size() - unit.size(), number);
  return number;
}

long mebibytes(std::string_view text) { return count_of(text, " MiB"); }

// A log of all GPUs of which somebody left some out.
bool has_fewer_gpus(const Difference& difference) {
  if (difference.path != "attached_gpus" && difference.path != "Attached GPUs") return false;
  const auto printed = count_of(difference.actual, "");
  return printed >= 0 && printed < count_of(difference.expected, "");
}

bool one_apart(const Difference& difference) {
  const auto a = mebibytes(difference.expected);
  const auto b = mebibytes(difference.actual);
  return a >= 0 && b >= 0 && (a - b == 1 || b - a == 1);
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Answers of a driver that does not have the function, or the slot of the internal table, that a newer client calls.
bool refused(const Difference& difference) {
  return difference.actual == "Function Not Found" || difference.actual == "Uninitialized";
}

// GPU-, and dashes between digits in lower case: what a driver prints.
bool is_uuid(std::string_view text) {
  return text.size() == 40 && text.starts_with("GPU-") &&
         text.find_first_not_of("0123456789abcdef-", 4) == std::string_view::npos;
}

// Read by numbers of fields and slots that releases count differently.
constexpr std::array moved{
    std::string_view{"sparse_operation_mode"},   std::string_view{"Sparse Operation Mode"},
    std::string_view{"pci/atomic_caps_inbound"}, std::string_view{"PCI/Atomic Caps Inbound"},
    std::string_view{"GPU Reset Status/"},       std::string_view{"gpu_reset_status/"},
};

bool by_moved_number(const Difference& difference) {
  for (const auto path : moved) {
    if (difference.path.starts_with(path)) return difference.actual == "N/A";
  }
  return false;
}

}  // namespace

Release release_of(std::string_view version) {
  Release release;
  const auto dot = version.find('.');
  std::from_chars(version.data(), version.data() + version.size(), release.branch);
  if (dot != std::string_view::npos)
    std::from_chars(version.data() + dot + 1, version.data() + version.size(), release.minor);
  return release;
}

Reason reason_of(const Difference& difference, const Release& driver, const Release& client) {
  const auto& [gpu, path, expected, actual] = difference;
  if (capture::without_remark(expected) == actual)
    return {Blame::release, "knows no remark that the line is deprecated"};
  if (has_fewer_gpus(difference)) return {Blame::release, "counts the GPUs that a log holds which was cut"};
  if (refused(difference) && client > driver)
    return {Blame::release, "calls a function that this older driver does not have"};
  if (by_moved_number(difference) && client.branch != driver.branch)
    return {Blame::release, "asks by a number that another release of the driver gives to something else"};
  if (one_apart(difference) && (has(path, "emory_usage/") || has(path, "emory Usage/")))
    return {Blame::release, "rounds bytes to MiB the other way (down before 550, up from then on)"};
  if ((path == "product_architecture" || path == "Product Architecture") && actual == "Unknown")
    return {Blame::release, "does not know the name of this chip yet"};
  if (has(path, "upported_graphics_clock[") && actual == "Unknown Error")
    return {Blame::release, "has room for 256 clocks, and the board has more"};
  if ((path == "fabric/health/bandwidth" || path == "Fabric/Health/Bandwidth") && expected == "Full" && actual == "N/A")
    return {Blame::release, "tells of bandwidth only when it is degraded"};
  if ((path == "uuid" || path == "GPU UUID") && !is_uuid(expected))
    return {Blame::release, "was masked by whoever published the capture, and is derived"};
  if (has(expected, "REDACTED")) return {Blame::release, "was masked by whoever published the capture"};
  return {};
}

}  // namespace nvmlab::test
