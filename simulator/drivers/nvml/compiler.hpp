// SPDX-License-Identifier: Apache-2.0
// Profiles in YAML, by way of libnvmlab-compiler.so: loaded for the one call, since it brings a C++ runtime along.
#pragma once

#include <cstdint>

#include "compiler/compiler_api.h"

namespace nvmlab::driver {

enum class CompileKind : int { profile = 0, mock_config = 1, mock_reload = 2 };

struct CompiledProfile {
  const void* image = nullptr;
  std::uint64_t size = 0;
  void* library = nullptr;
  nvmlab_compile_result result = {};
};

// The texts of a file of overrides, before and now.
struct MockReload {
  const char* overrides = nullptr;  // its path
  const char* before = nullptr;
  std::uint64_t before_size = 0;
  const char* after = nullptr;
  std::uint64_t after_size = 0;
};

// Logs what is wrong. The image lives until release_compiled().
bool compile_profile(CompileKind kind, const char* what, std::int64_t gpus, const char* driver, CompiledProfile* out);
// The changes that bring a machine of that configuration from one to the other.
bool reload_mock_config(const char* what, std::int64_t gpus, const char* driver, const MockReload& reload,
                        CompiledProfile* out);
void release_compiled(CompiledProfile* compiled);

}  // namespace nvmlab::driver
