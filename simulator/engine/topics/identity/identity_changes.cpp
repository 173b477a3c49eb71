// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/identity/identity_changes.hpp"

namespace nvmlab {
namespace {

// RFC 1123: letters, digits, hyphens, and dots between labels.
bool belongs_in_hostname(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

}  // namespace

Code make(const SetHostname& change, GpuEdit& gpu) {
  const Identity& identity = gpu.view(&Gpu::identity);
  if (!identity.hostname.has_value()) return identity.hostname.code();
  const auto& name = change.name.characters;
  std::uint32_t length = 0;
  while (length < sizeof name && name[length] != '\0') {
    if (!belongs_in_hostname(name[length])) return kInvalidArgument;
    ++length;
  }
  if (length == 0 || length == sizeof name) return kInvalidArgument;
  gpu.edit(&Gpu::identity).hostname.set(name, length);
  return kSuccess;
}

}  // namespace nvmlab
