// SPDX-License-Identifier: Apache-2.0
// Where an NVML library is looked for. Covered by tests/binding/search_test.cpp.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <vector>

namespace nvml::inline v1 {

enum class InitFlag : unsigned;  // nvml/generated/masks.hpp
template <class Flag>
class Flags;

/// One InitFlag, or InitFlags.
class InitBits {
 public:
  /// One alone.
  constexpr InitBits(InitFlag one) noexcept
      : raw_(static_cast<unsigned>(one)) {}  // NOLINT(google-explicit-constructor)
  /// A set of them.
  template <std::same_as<Flags<InitFlag>> Set>
  constexpr InitBits(Set set) noexcept : raw_(set.raw()) {}  // NOLINT(google-explicit-constructor): as the one flag is

  constexpr unsigned raw() const noexcept { return raw_; }  ///< the argument of nvmlInitWithFlags

 private:
  unsigned raw_;
};

/// How to open an NVML library. All of it may be left as it is.
struct OpenOptions {
  /// A file, or a name that the dynamic linker searches for; nothing else is tried then. Empty: what the environment
  /// variable NVMLAB_LIBRARY says (again nothing else; programs with raised privileges ignore it), else the places of
  /// detail::usual_places().
  ///
  /// Two files are two libraries, even copies of one file. But the dynamic linker answers a request for the *name*
  /// libnvidia-ml.so.1 with whatever library of that name the process has already, wherever that came from: who wants
  /// both the installed library and another opens the installed one first, or names both files.
  std::string path = {};

  /// The library stays in the process when its last owner has shut it down: for libraries whose threads or exit
  /// handlers would not survive being unmapped.
  bool keep_loaded = false;

  /// nvml::InitFlag::no_gpus, or several: nvmlInitWithFlags is called in place of nvmlInit_v2.
  std::optional<InitBits> init_flags = {};
};

namespace detail {

/// What open() asks the dynamic linker for when nobody names a library, in this order: the soname (so LD_LIBRARY_PATH,
/// the program's own search path and the system's cache come first), then files in the places of drivers that the
/// system's cache does not know.
std::vector<std::string> usual_places();

/// What open() tries with these options.
std::vector<std::string> search_order(const OpenOptions& options);

}  // namespace detail
}  // namespace nvml::inline v1
