// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/functions/support/driver.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace nvmlab::driver_test {
namespace {

std::filesystem::path variable(const char* name) {
  const char* value = std::getenv(name);
  EXPECT_NE(value, nullptr) << name << " is not set; run this test through ctest";
  return value == nullptr ? "" : value;
}

}  // namespace

std::filesystem::path source_folder() { return variable("NVMLAB_SOURCE_DIR"); }
std::filesystem::path library_folder() { return variable("NVMLAB_BINARY_DIR") / "lib"; }

Driver::Driver() : library_(::dlopen((library_folder() / "libnvidia-ml.so.1").c_str(), RTLD_NOW | RTLD_LOCAL)) {
  EXPECT_NE(library_, nullptr) << ::dlerror();
}

const Driver& Driver::get() {
  static const Driver driver;
  return driver;
}

void* Driver::address(const std::string& name) const {
  return library_ == nullptr ? nullptr : ::dlsym(library_, name.c_str());
}

int Driver::call_words(const std::string& name, std::span<const Word> words) const {
  using Function = int (*)(Word, Word, Word, Word, Word, Word, Word, Word);
  const auto function = reinterpret_cast<Function>(address(name));
  if (function == nullptr) return -1000;
  std::array<Word, kMaxWords> w{};
  for (std::size_t i = 0; i < words.size() && i < w.size(); ++i)
    w[i] = words[i];
  return function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
}

Word Driver::device(unsigned index) const {
  Word handle = 0;
  return call("nvmlDeviceGetHandleByIndex_v2", index, &handle) == kSuccess ? handle : 0;
}

unsigned Driver::count() const {
  unsigned gpus = 0;
  return call("nvmlDeviceGetCount_v2", &gpus) == kSuccess ? gpus : 0xFFFF;
}

std::string Driver::text(const std::string& getter, Word handle) const {
  std::array<char, 128> buffer{};
  return call(getter, handle, buffer.data(), buffer.size()) == kSuccess ? buffer.data() : "";
}

std::string Driver::version() const {
  std::array<char, 80> buffer{};
  return call("nvmlSystemGetDriverVersion", buffer.data(), buffer.size()) == kSuccess ? buffer.data() : "";
}

Environment::Environment(std::initializer_list<Value> values) {
  for (const auto& [name, value] : values) {
    const char* old = std::getenv(name.c_str());
    before_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    if (value) {
      ::setenv(name.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name.c_str());
    }
  }
}

Environment::~Environment() {
  for (const auto& [name, value] : before_) {
    if (value) {
      ::setenv(name.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name.c_str());
    }
  }
}

std::filesystem::path TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path() / name, std::ios::binary) << text;
  return path() / name;
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace nvmlab::driver_test
