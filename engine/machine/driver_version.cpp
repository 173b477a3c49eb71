// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/driver_version.hpp"

#include <cstring>

namespace nvmlab {
namespace {

struct Branch {
  std::uint32_t major;
  std::uint32_t cuda;
  const char* version;  // a release of that branch that is in wide use
};

constexpr Branch kBranches[] = {
    {340, 6050, "340.108"},     {390, 9010, "390.157"},     {396, 9020, "396.82"},      {410, 10000, "410.129"},
    {418, 10010, "418.226.00"}, {440, 10020, "440.118.02"}, {450, 11000, "450.248.02"}, {455, 11010, "455.45.01"},
    {460, 11020, "460.106.00"}, {465, 11030, "465.31"},     {470, 11040, "470.256.02"}, {495, 11050, "495.46"},
    {510, 11060, "510.108.03"}, {515, 11070, "515.105.01"}, {520, 11080, "520.61.05"},  {525, 12000, "525.147.05"},
    {530, 12010, "530.41.03"},  {535, 12020, "535.261.03"}, {545, 12030, "545.29.06"},  {550, 12040, "550.163.01"},
    {555, 12050, "555.58.02"},  {560, 12060, "560.35.05"},  {565, 12070, "565.57.01"},  {570, 12080, "570.148.08"},
    {575, 12090, "575.64.05"},  {580, 13000, "580.105.08"}, {590, 13010, "590.48.01"},  {595, 13020, "595.91.07"},
};

bool digit(char letter) { return letter >= '0' && letter <= '9'; }

// The number before the first dot; 0 when the text is no version: three digits, then up to two groups behind dots.
std::uint32_t major_of(const char* text, bool* branch_only) {
  std::uint32_t groups = 0;
  std::uint32_t digits = 0;
  std::uint32_t major = 0;
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at == '.') {
      if (digits == 0 || ++groups > 2) return 0;
      digits = 0;
      continue;
    }
    if (!digit(*at) || ++digits > 3) return 0;
    if (groups == 0) major = major * 10 + static_cast<std::uint32_t>(*at - '0');
  }
  if (digits == 0) return 0;
  *branch_only = groups == 0;
  return major;
}

void copy(const char* text, DriverVersion* out) {
  out->length = static_cast<std::uint32_t>(std::strlen(text));
  std::memset(out->text, 0, sizeof out->text);
  std::memcpy(out->text, text, out->length);
}

}  // namespace

bool find_driver_version(const char* wanted, DriverVersion* out) {
  bool branch_only = false;
  const std::uint32_t major = major_of(wanted, &branch_only);
  const Branch* best = nullptr;
  for (const Branch& branch : kBranches) {
    if (branch.major <= major) best = &branch;
  }
  if (best == nullptr || (branch_only && best->major != major)) return false;
  copy(branch_only ? best->version : wanted, out);
  out->cuda = best->cuda;
  return true;
}

void set_driver_version(const DriverVersion& version, Node* node, Gpu* gpus, std::uint32_t gpu_count) {
  System& system = node->system;
  for (std::uint32_t i = 0; i < gpu_count; ++i) {
    auto& firmware = gpus[i].identity.gsp_version;
    const bool followed = firmware.known() && system.driver_version.known() &&
                          std::strcmp(firmware.data, system.driver_version.data) == 0;
    if (followed) firmware.set(version.text, version.length);
  }
  system.driver_version.set(version.text, version.length);
  system.cuda_version.set(version.cuda);
  if (system.driver_branch.known()) {
    char branch[] = "r000_00";
    std::memcpy(branch + 1, version.text, 3);
    system.driver_branch.set(branch, sizeof branch - 1);
  }
}

}  // namespace nvmlab
