// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/streams/host_work.hpp"

namespace nvmlab::cuda {
namespace {

void mark_thread(bool inside) {
  const Locked lock;
  enter_host_function(inside);
}

CUresult call_function(void* payload, CUresult fault) {
  const auto& asked = *static_cast<const HostFunction*>(payload);
  mark_thread(true);
  if (asked.function != nullptr) {
    asked.function(asked.data);
  } else {
    asked.callback(asked.stream, fault, asked.data);
  }
  mark_thread(false);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult make_host_call(const HostFunction& asked, WorkItem** out) {
  return make_item({call_function, nullptr, asked.callback != nullptr, WorkType::host}, asked, out);
}

}  // namespace nvmlab::cuda
