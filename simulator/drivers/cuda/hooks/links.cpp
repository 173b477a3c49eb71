// SPDX-License-Identifier: Apache-2.0
// Linking PTX. Tests: tests/drivers/cuda/links_test.cpp.
#include "drivers/cuda/modules/links.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/modules/image_file.hpp"

namespace nvmlab::cuda {
namespace {

// Options of one input are about its compiler, of which there is none; its logs are those of the link.
bool are_there(unsigned count, const CUjit_option* options, void* const* values) {
  return count == 0 || (options != nullptr && values != nullptr);
}

}  // namespace

namespace hooks {

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options, void** optionValues, CUlinkState* stateOut) {
  JitOptions read;
  return read.read(numOptions, options, optionValues) ? start_link(read, stateOut) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size, const char* name,
                          unsigned int numOptions, CUjit_option* options, void** optionValues) {
  if (!are_there(numOptions, options, optionValues)) return CUDA_ERROR_INVALID_VALUE;
  return add_to_link(state, type, data, size, name);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned int numOptions,
                          CUjit_option* options, void** optionValues) {
  if (!are_there(numOptions, options, optionValues)) return CUDA_ERROR_INVALID_VALUE;
  return with_image_file(
      path, [&](const char* image, std::uint64_t size) { return add_to_link(state, type, image, size, path); });
}

CUresult cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
  return finish_link(state, cubinOut, sizeOut);
}

CUresult cuLinkDestroy(CUlinkState state) { return end_link(state); }

}  // namespace hooks
}  // namespace nvmlab::cuda
