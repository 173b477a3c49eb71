// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace nvmlab::suite {

std::expected<Library, std::string> Library::open(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::unexpected(std::string(::dlerror()));
  return Library(handle);
}

void* Library::address(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

int Library::call_words(const std::string& name, std::span<const Word> words) const {
  using AnyFunction = int (*)(Word, Word, Word, Word, Word, Word);
  const auto function = reinterpret_cast<AnyFunction>(address(name));
  if (function == nullptr) return kMissing;
  std::array<Word, 6> all{};
  std::copy_n(words.begin(), std::min(words.size(), all.size()), all.begin());
  return function(all[0], all[1], all[2], all[3], all[4], all[5]);
}

}  // namespace nvmlab::suite
