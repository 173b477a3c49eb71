// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/links.hpp"

#include "drivers/cuda/process/attribute_sources.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<LinkState, ObjectKind::link> links;

std::uint64_t number(CUlinkState handle) { return reinterpret_cast<std::uint64_t>(handle); }

CUresult tell_link(LinkState& link, CUresult code, const char* message) {
  if (code != CUDA_SUCCESS || link.options.verbose()) link.options.tell(code, message);
  if (code == CUDA_SUCCESS) return code;
  driver::Line line;
  line << "link refused: " << message;
  log(kLogErrors, line);
  return code;
}

CUresult begin_use(CUlinkState handle, nvmlab_linker** linker) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  LinkState* const link = links.find(number(handle));
  if (link == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (link->busy) return CUDA_ERROR_NOT_READY;
  if (link->done) return CUDA_ERROR_INVALID_VALUE;
  link->busy = true;
  *linker = link->linker;
  return CUDA_SUCCESS;
}

// Calls work(linker) without the lock of the process: kernels that run want it, and reading waits for them. What it
// says is told under the lock again. A link has one user at a time.
template <class Work, class Tell>
CUresult with_link(CUlinkState handle, const Work& work, const Tell& tell) {
  nvmlab_linker* linker = nullptr;
  if (const CUresult code = begin_use(handle, &linker); code != CUDA_SUCCESS) return code;
  const auto code = static_cast<CUresult>(work(linker));
  const Locked lock;
  LinkState* link = links.find(number(handle));
  link->busy = false;
  if (find_context(link->context) != nullptr) return tell(*link, code);
  kernels()->end_link(linker);  // its context has gone meanwhile
  links.remove(number(handle));
  return CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

}  // namespace

CUresult start_link(const JitOptions& options, CUlinkState* out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const nvmlab_kernels* const table = open_kernels();
  if (table == nullptr) return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
  std::uint64_t made = 0;
  LinkState* link = links.create(&made);
  if (link == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  nvmlab_linker* const linker = table->start_link(capability_of(gpu_of(process.devices[guard.context().device])),
                                                  cuda_release(), options.most_registers());
  if (linker == nullptr) {
    links.remove(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *link = {guard.handle(), linker, options, false, false};
  *out = reinterpret_cast<CUlinkState>(made);
  return CUDA_SUCCESS;
}

CUresult add_to_link(CUlinkState handle, CUjitInputType type, const void* data, std::uint64_t size, const char* name) {
  constexpr CUjitInputType kTypes = 6;
  if (data == nullptr || size == 0 || type < 0 || type >= kTypes) return CUDA_ERROR_INVALID_VALUE;
  nvmlab_link_input input{sizeof input,
                          static_cast<std::uint32_t>(type),
                          data,
                          size,
                          name == nullptr || name[0] == '\0' ? "an input without a name" : name,
                          {}};
  return with_link(
      handle, [&](nvmlab_linker* linker) { return kernels()->add_to_link(linker, &input); },
      [&](LinkState& link, CUresult code) { return tell_link(link, code, input.message); });
}

CUresult finish_link(CUlinkState handle, void** image, std::size_t* size) {
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  nvmlab_linked linked{sizeof linked, nullptr, 0, {}};
  return with_link(
      handle, [&](nvmlab_linker* linker) { return kernels()->finish_link(linker, &linked); },
      [&](LinkState& link, CUresult code) {
        link.done = code == CUDA_SUCCESS;
        if (link.done) *image = const_cast<void*>(linked.image);  // not to be written to; the interface has no const
        if (link.done && size != nullptr) *size = linked.bytes;
        return tell_link(link, code, linked.message);
      });
}

CUresult end_link(CUlinkState handle) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const LinkState* link = links.find(number(handle));
  if (link == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (link->busy) return CUDA_ERROR_NOT_READY;
  kernels()->end_link(link->linker);
  links.remove(number(handle));
  return CUDA_SUCCESS;
}

void release_links_of(CUcontext context) {
  links.remove_where([context](const LinkState& link) {
    if (link.context != context || link.busy) return false;
    kernels()->end_link(link.linker);
    return true;
  });
}

}  // namespace nvmlab::cuda
