// SPDX-License-Identifier: Apache-2.0
// Profiles in YAML, by way of libnvmlab-compiler.so: loaded for the one call, since it brings a C++ runtime along.
#pragma once

#include <cstdint>

#include "compiler/compiler_api.h"

namespace nvmlab::driver {

enum class CompileKind : int { profile = 0, mock_config = 1 };

struct CompiledProfile {
  const void* image = nullptr;
  std::uint64_t size = 0;
  void* library = nullptr;
  nvmlab_compile_result result = {};
};

// Logs what is wrong. The image lives until release_compiled().
bool compile_profile(CompileKind kind, const char* what, std::int64_t gpus, const char* driver, CompiledProfile* out);
void release_compiled(CompiledProfile* compiled);

}  // namespace nvmlab::driver
