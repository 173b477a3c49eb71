// SPDX-License-Identifier: Apache-2.0
//
// The driver of the tested build, opened by path; functions are found by name and called with machine words, because
// the tests take names and parameters from the facts and not from a header. Children for what may end badly.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/temp_folder.hpp"

namespace nvmlab::driver_test {

using Word = std::uintptr_t;

// Numbers of nvmlReturn_t, written down a second time.
enum Code : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kVersionMismatch = 18,
  kArgumentVersionMismatch = 25,
  kUnknown = 999
};

std::filesystem::path source_folder();
std::filesystem::path library_folder();  // of the build that is tested

// More words than any function takes; those beyond its parameters are not looked at.
inline constexpr std::size_t kMaxWords = 8;

class Driver {
 public:
  static const Driver& get();  // opens it at the first use and keeps it

  void* address(const std::string& name) const;  // null where there is no such function
  bool has(const std::string& name) const { return address(name) != nullptr; }
  int call_words(const std::string& name, std::span<const Word> words) const;

  // call("nvmlDeviceGetIndex", device, &index): integers, enumerators and pointers.
  template <class... Arguments>
  int call(const std::string& name, Arguments... arguments) const {
    const Word words[] = {to_word(arguments)..., 0};
    return call_words(name, std::span<const Word>(words, sizeof...(arguments)));
  }

  int init() const { return call("nvmlInit_v2"); }
  int shutdown() const { return call("nvmlShutdown"); }
  Word device(unsigned index) const;                               // 0 where there is none
  unsigned count() const;                                          // 0xFFFF where that fails
  std::string text(const std::string& getter, Word device) const;  // "" where that fails
  std::string version() const;                                     // of the simulated driver

 private:
  Driver();

  template <class T>
  static Word to_word(T value) {
    if constexpr (std::is_null_pointer_v<T>) {
      return 0;
    } else if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<Word>(value);
    } else {
      return static_cast<Word>(value);
    }
  }

  void* library_ = nullptr;
};

// Sets variables of the environment (or removes those without a value) until it goes out of scope.
class Environment {
 public:
  using Value = std::pair<std::string, std::optional<std::string>>;
  Environment(std::initializer_list<Value> values);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::vector<Value> before_;
};

// Runs `work` in a forked child and gives back what it returned; where the child died, how: "signal 11 (...)". A child
// that takes longer is ended by SIGALRM.
std::string in_child(const std::function<std::string()>& work);

// The same with administrator's rights: as we are when we are root, else as root of a user namespace of its own.
// Nothing where neither can be had.
std::optional<std::string> as_root(const std::function<std::string()>& work);
// And as somebody without any.
std::string as_nobody(const std::function<std::string()>& work);

class TemporaryFolder {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path write(const std::string& name, const std::string& text) const;

 private:
  TempFolder folder_{"nvmlab-conformance"};
};

std::string read_file(const std::filesystem::path& path);

}  // namespace nvmlab::driver_test
