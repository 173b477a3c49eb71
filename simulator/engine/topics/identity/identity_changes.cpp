// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/identity/identity_changes.hpp"

#include "engine/topics/generated/field_rules.hpp"

namespace nvmlab {
namespace {

// RFC 1123: letters, digits, hyphens, and dots between labels.
bool belongs_in_hostname(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

}  // namespace

Code rules::check_hostname(GpuEdit& gpu, std::uint32_t, const Written&) {
  const auto& hostname = gpu.view(&Gpu::identity).hostname;
  if (!hostname.has_value()) return kSuccess;
  for (std::uint32_t i = 0; i < hostname.length; ++i)
    if (!belongs_in_hostname(hostname.data[i])) return kInvalidArgument;
  return hostname.length != 0 ? kSuccess : kInvalidArgument;
}

Code make(const SetHostname& change, GpuEdit& gpu) {
  auto& hostname = gpu.edit(&Gpu::identity).hostname;
  if (!hostname.has_value()) return hostname.code();
  const auto& name = change.name.characters;
  std::uint32_t length = 0;
  while (length < sizeof name && name[length] != '\0')
    ++length;
  if (length == sizeof name) return kInvalidArgument;
  hostname.set(name, length);
  return follow_fields(gpu, {&hostname});
}

}  // namespace nvmlab
