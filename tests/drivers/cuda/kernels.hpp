// SPDX-License-Identifier: Apache-2.0
// Kernels of tests/kernels/ through libcuda.
#pragma once

#include <fstream>
#include <iterator>

#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {

using LoadData = int(void**, const void*);
using GetFunction = int(void**, void*, const char*);
using Launch = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
using CopyTo = int(Pointer, const void*, std::size_t);
using CopyFrom = int(void*, Pointer, std::size_t);

inline std::string ptx(const char* name) {
  std::ifstream file(std::string(NVMLAB_KERNELS_FOLDER) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void* kernel(const Cuda& cuda, const std::string& text, const char* name) {
  void* module = nullptr;
  void* function = nullptr;
  if (cuda.call<LoadData>("cuModuleLoadData", &module, text.c_str()) != kSuccess) return nullptr;
  cuda.call<GetFunction>("cuModuleGetFunction", &function, module, name);
  return function;
}

inline int launch(const Cuda& cuda, void* function, unsigned blocks, unsigned threads, void** parameters,
                  void** extra = nullptr, void* stream = nullptr) {
  return cuda.call<Launch>("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, extra);
}

}  // namespace nvmlab::cuda_test
