// SPDX-License-Identifier: Apache-2.0
// Numbers of XID errors, with what they mean in a few words. Covered by tests/binding/whole_types_test.cpp.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace nvml::inline v1 {

/// The number of an XID error, as the kernel's log has it: 79 is a GPU that has fallen off the bus.
enum class Xid : std::uint64_t {};

/// "GPU has fallen off the bus"; "" for a number that NVIDIA's public catalogue of Xids has no use for. Which channel,
/// link or address it was is in the kernel's log alone.
std::string_view meaning_of(Xid xid) noexcept;

/// "Xid 79 (GPU has fallen off the bus)"; "Xid 999" of one without a meaning.
std::string to_string(Xid xid);

/// to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, Xid xid) {
  return stream << to_string(xid);
}

}  // namespace nvml::inline v1
