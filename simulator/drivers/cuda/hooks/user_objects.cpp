// SPDX-License-Identifier: Apache-2.0
// User objects, and the graphs that hold them. Tests: tests/drivers/cuda/user_objects_test.cpp.
#include "drivers/cuda/streams/user_objects.hpp"

#include "drivers/cuda/graphs/graphs.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"

namespace nvmlab::cuda {
namespace {

constexpr unsigned kMostReferences = 0x7FFFFFFF;

bool good(unsigned references) { return references != 0 && references <= kMostReferences; }

template <class Body>
CUresult with_objects(const Body& body) {
  CUresult code = CUDA_SUCCESS;
  {
    const Locked lock;
    if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
    code = body();
  }
  destroy_user_objects();
  return code;
}

}  // namespace

namespace hooks {

CUresult cuUserObjectCreate(CUuserObject* object_out, void* ptr, CUhostFn destroy, unsigned int initialRefcount,
                            unsigned int flags) {
  constexpr unsigned kNoSynchronisation = 1;  // the one flag, without which none is made
  if (object_out == nullptr || destroy == nullptr || !good(initialRefcount) || flags != kNoSynchronisation)
    return CUDA_ERROR_INVALID_VALUE;
  return with_objects([&] { return create_user_object(ptr, destroy, initialRefcount, object_out); });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  return good(count) ? with_objects([&] { return retain_user_object(object, count); }) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  return good(count) ? with_objects([&] { return release_user_object(object, count); }) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags) {
  constexpr unsigned kMove = 1;
  if (!good(count) || (flags & ~kMove) != 0) return CUDA_ERROR_INVALID_VALUE;
  return with_objects([&] {
    if (find_graph(graph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return hold_user_object(reinterpret_cast<std::uint64_t>(graph), object, count, flags == kMove);
  });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  if (!good(count)) return CUDA_ERROR_INVALID_VALUE;
  return with_objects([&] {
    if (find_graph(graph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return let_go_of_user_object(reinterpret_cast<std::uint64_t>(graph), object, count);
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
