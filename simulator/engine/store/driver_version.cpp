// SPDX-License-Identifier: Apache-2.0
#include "engine/store/driver_version.hpp"

#include <cstring>

#include "engine/store/generated/driver_releases.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kRows = sizeof kDriverReleases / sizeof kDriverReleases[0];
static_assert(kRows <= 64, "masks have one bit for each");

bool digit(char letter) { return letter >= '0' && letter <= '9'; }

struct Parsed {
  std::uint32_t major = 0;  // 0: no version
  std::uint32_t minor = 0;
  bool branch_only = false;
};

// Three digits at most, then up to two such groups behind dots.
Parsed parse(const char* text) {
  std::uint32_t groups = 0;
  std::uint32_t digits = 0;
  std::uint32_t numbers[3] = {};
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at == '.') {
      if (digits == 0 || ++groups > 2) return {};
      digits = 0;
      continue;
    }
    if (!digit(*at) || ++digits > 3) return {};
    numbers[groups] = numbers[groups] * 10 + static_cast<std::uint32_t>(*at - '0');
  }
  if (digits == 0) return {};
  return {numbers[0], numbers[1], groups == 0};
}

bool not_newer(const DriverRelease& row, const Parsed& version) {
  return row.major < version.major || (row.major == version.major && row.minor <= version.minor);
}

// The last row that is not newer, or null. A branch alone means its last known release.
const DriverRelease* find_row(const Parsed& version) {
  const DriverRelease* best = nullptr;
  for (const DriverRelease& row : kDriverReleases) {
    const bool fits = version.branch_only ? row.major <= version.major : not_newer(row, version);
    if (version.major != 0 && fits) best = &row;
  }
  return best;
}

void copy(const char* text, DriverVersion* out) {
  out->length = static_cast<std::uint32_t>(std::strlen(text));
  std::memset(out->text, 0, sizeof out->text);
  std::memcpy(out->text, text, out->length);
}

constexpr std::uint32_t kDeprecated = 26;

// A board that was captured on a driver that nobody knew to deprecate a field: an older one is not supported in its
// place, for what it would have answered the profile does not tell.
void forget_deprecation(std::uint32_t before, std::uint32_t now, Gpu* gpu) {
  visit_deprecations(*gpu, [=](const char*, Fact<std::uint32_t>& fact, std::uint32_t) {
    if (now < before && fact.code() == kDeprecated) fact.set_error(kNotSupported);
  });
}

void drop_prefix(Text<96>* name) {
  constexpr char prefix[] = "NVIDIA ";
  constexpr std::uint32_t length = sizeof prefix - 1;
  if (!name->has_value() || std::strncmp(name->data, prefix, length) != 0) return;
  char rest[sizeof name->data];
  std::memcpy(rest, name->data + length, sizeof rest - length);
  name->set(rest, name->length - length);
}

}  // namespace

bool find_driver_version(const char* wanted, DriverVersion* out) {
  const Parsed version = parse(wanted);
  const DriverRelease* row = find_row(version);
  if (row == nullptr) return false;
  if (version.branch_only && (row->major != version.major || row->release[0] == '\0')) return false;
  copy(version.branch_only ? row->release : wanted, out);
  out->cuda = row->cuda;
  return true;
}

std::uint32_t driver_row(const char* version) {
  const Parsed parsed = parse(version);
  if (parsed.major == 0) return kRows - 1;
  const DriverRelease* row = find_row(parsed);
  return row == nullptr ? 0 : static_cast<std::uint32_t>(row - kDriverReleases);
}

const DriverRelease& driver_release(std::uint32_t row) { return kDriverReleases[row < kRows ? row : kRows - 1]; }

void follow_driver_version(const Text<80>& before, const Text<80>& now, Gpu* gpu) {
  auto& firmware = gpu->identity.gsp_version;
  const bool followed = firmware.has_value() && before.has_value() && std::strcmp(firmware.data, before.data) == 0;
  if (followed) firmware.set(now.data, now.length);
  forget_deprecation(driver_row(before.data), driver_row(now.data), gpu);
  if (!driver_release(driver_row(now.data)).prefixed_names) drop_prefix(&gpu->identity.name);
}

void refuse_deprecated(const Text<80>& driver, Gpu* gpu) {
  visit_deprecations(*gpu, [row = driver_row(driver.data)](const char*, Fact<std::uint32_t>& fact, std::uint32_t from) {
    if (row >= from) fact.set_error(kDeprecated);
  });
}

std::uint32_t driver_release_count() { return kRows; }

void set_driver_version(const DriverVersion& version, Node* node, Gpu* gpus, std::uint32_t gpu_count) {
  System& system = node->system;
  Text<80> now{};
  now.set(version.text, version.length);
  for (std::uint32_t i = 0; i < gpu_count; ++i)
    follow_driver_version(system.driver_version, now, &gpus[i]);
  system.driver_version.set(version.text, version.length);
  system.cuda_version.set(version.cuda);
  if (system.driver_branch.has_value()) {
    char branch[] = "r000_00";
    std::memcpy(branch + 1, version.text, 3);
    system.driver_branch.set(branch, sizeof branch - 1);
  }
}

}  // namespace nvmlab
