// SPDX-License-Identifier: Apache-2.0
// What is known of a kernel, and the little that can be set. Tests: tests/drivers/cuda/modules_test.cpp.
#include "drivers/cuda/abi/generated/device_attributes.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/modules/occupancy.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"

namespace nvmlab::cuda {
namespace {

constexpr CUfunction_attribute kMostDynamicShared = 8;
constexpr CUfunction_attribute kCarveout = 9;
constexpr CUfunction_attribute kClusterWidth = 11;  // height and depth follow
constexpr CUfunction_attribute kClusterDepth = 13;
constexpr CUfunction_attribute kLargeClusters = 14;
constexpr CUfunction_attribute kLastAttribute = 15;

// Calls body(function, facts) under the lock.
template <class Body>
CUresult with_function(CUfunction handle, const Body& body) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  FunctionState* function = find_function(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  nvmlab_kernel_facts facts{};
  kernels()->describe(function->kernel, &facts);
  return body(*function, facts);
}

int shared_limit(const FunctionState& function, std::uint32_t attribute) {
  const ModuleState* module = find_module(function.module);
  const Context* context = module == nullptr ? nullptr : find_context(module->context);
  int value = 0;
  if (context != nullptr) read_attribute(attribute, gpu_of(process.devices[context->device]), &value);
  return value;
}

CUresult read(int* out, CUfunction_attribute attribute, CUfunction handle) {
  if (out == nullptr || attribute < 0 || attribute > kLastAttribute) return CUDA_ERROR_INVALID_VALUE;
  return with_function(handle, [&](const FunctionState& function, const nvmlab_kernel_facts& facts) {
    const auto number = [](std::uint32_t value) { return static_cast<int>(value); };
    const int values[] = {number(facts.max_threads),   number(facts.shared_bytes), number(facts.constant_bytes),
                          number(facts.local_bytes),   number(facts.registers),    number(facts.ptx_version),
                          number(facts.binary_version)};
    if (attribute < 7) {
      *out = values[attribute];
    } else if (attribute == kMostDynamicShared) {
      *out = function.most_dynamic_shared != 0
                 ? number(function.most_dynamic_shared)
                 : shared_limit(function, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) - number(facts.shared_bytes);
    } else if (attribute >= kClusterWidth && attribute <= kClusterDepth) {
      *out = number(own_cluster(function, facts)[attribute - kClusterWidth]);
    } else if (attribute == kLargeClusters) {
      *out = function.large_clusters ? 1 : 0;
    } else {
      *out = attribute == kCarveout ? function.carveout : 0;
    }
    return CUDA_SUCCESS;
  });
}

CUresult write(CUfunction handle, CUfunction_attribute attribute, int value) {
  if (attribute < 0 || attribute > kLastAttribute) return CUDA_ERROR_INVALID_VALUE;
  return with_function(handle, [&](FunctionState& function, const nvmlab_kernel_facts& facts) {
    if (attribute == kMostDynamicShared) {
      if (value < 0 || value + static_cast<int>(facts.shared_bytes) >
                           shared_limit(function, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
        return CUDA_ERROR_INVALID_VALUE;
      function.most_dynamic_shared = static_cast<std::uint32_t>(value);
      return CUDA_SUCCESS;
    }
    if (attribute < kMostDynamicShared) return CUDA_ERROR_INVALID_VALUE;  // facts, not settings
    if (attribute == kCarveout) {
      if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
      function.carveout = value;
    }
    if (attribute >= kClusterWidth && attribute <= kClusterDepth) {
      if (value < 0) return CUDA_ERROR_INVALID_VALUE;
      if (facts.cluster[0] != 0) return CUDA_ERROR_NOT_PERMITTED;  // it is declared with its shape
      function.cluster[attribute - kClusterWidth] = static_cast<std::uint32_t>(value);
    }
    if (attribute == kLargeClusters) {
      if (value != 0 && value != 1) return CUDA_ERROR_INVALID_VALUE;
      function.large_clusters = value == 1;
    }
    return CUDA_SUCCESS;
  });
}

CUresult parameter_of(CUfunction handle, std::size_t index, std::size_t* offset, std::size_t* size) {
  if (offset == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_function(handle, [&](const FunctionState& function, const nvmlab_kernel_facts& facts) {
    nvmlab_parameter found{};
    if (index >= facts.parameter_count ||
        kernels()->parameter(function.kernel, static_cast<std::uint32_t>(index), &found) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    *offset = found.offset;
    if (size != nullptr) *size = found.bytes;
    return CUDA_SUCCESS;
  });
}

CUresult count_of(CUfunction handle, std::size_t* out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_function(handle, [&](const FunctionState&, const nvmlab_kernel_facts& facts) {
    *out = facts.parameter_count;
    return CUDA_SUCCESS;
  });
}

CUresult name_of(CUfunction handle, const char** out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_function(handle, [&](const FunctionState&, const nvmlab_kernel_facts& facts) {
    *out = facts.name;
    return CUDA_SUCCESS;
  });
}

template <class Out>
CUresult owner_of(CUfunction handle, Out* out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_function(handle, [&](const FunctionState& function, const nvmlab_kernel_facts&) {
    *out = reinterpret_cast<Out>(function.module);
    return CUDA_SUCCESS;
  });
}

CUresult exists(CUfunction handle) {
  return with_function(handle, [](const FunctionState&, const nvmlab_kernel_facts&) { return CUDA_SUCCESS; });
}

CUfunction as_function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

}  // namespace

namespace hooks {

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) { return read(pi, attrib, hfunc); }
CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return write(hfunc, attrib, value);
}
CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  return config < 0 || config > 3 ? CUDA_ERROR_INVALID_VALUE : exists(hfunc);
}
CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
  return config < 0 || config > 2 ? CUDA_ERROR_INVALID_VALUE : exists(hfunc);
}
CUresult cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) { return owner_of(hfunc, hmod); }
CUresult cuFuncGetName(const char** name, CUfunction hfunc) { return name_of(hfunc, name); }
CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  return parameter_of(func, paramIndex, paramOffset, paramSize);
}
CUresult cuFuncGetParamCount(CUfunction func, size_t* paramCount) { return count_of(func, paramCount); }
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = exists(function);
  if (code == CUDA_SUCCESS) *state = 1;
  return code;
}
CUresult cuFuncLoad(CUfunction function) { return exists(function); }

CUresult cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
  if (pFunc == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = exists(as_function(kernel));
  if (code == CUDA_SUCCESS) *pFunc = as_function(kernel);
  return code;
}
CUresult cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) { return owner_of(as_function(kernel), pLib); }
CUresult cuKernelGetName(const char** name, CUkernel hfunc) { return name_of(as_function(hfunc), name); }
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  return parameter_of(as_function(kernel), paramIndex, paramOffset, paramSize);
}
CUresult cuKernelGetParamCount(CUkernel kernel, size_t* paramCount) {
  return count_of(as_function(kernel), paramCount);
}
CUresult cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  return find_device(dev) == nullptr ? CUDA_ERROR_INVALID_DEVICE : read(pi, attrib, as_function(kernel));
}
CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  return find_device(dev) == nullptr ? CUDA_ERROR_INVALID_DEVICE : write(as_function(kernel), attrib, val);
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  if (find_device(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  return cuFuncSetCacheConfig(as_function(kernel), config);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
