// SPDX-License-Identifier: Apache-2.0
// Graphs as files of Graphviz. Tests: tests/drivers/cuda/graph_dot_test.cpp.
#include "drivers/cuda/graphs/graph_dot.hpp"

#include <fcntl.h>

#include "drivers/cuda/graphs/graph_calls.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"

namespace nvmlab::cuda {
namespace {

// Without the lock, since a file may be slow. It has its room before it is written; what is no file takes what it can.
bool write_file(const char* path, const GrowingText& text) {
  constexpr std::uint64_t kAtOnce = 1 << 16;
  const int fd = sys::open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  sys::FileFacts facts;
  const bool good = sys::inspect(fd, &facts) >= 0 && (!facts.regular || sys::reserve(fd, text.size()) >= 0);
  for (std::uint64_t done = 0; good && done < text.size(); done += kAtOnce) {
    const std::uint64_t rest = text.size() - done;
    sys::write_quietly(fd, text.text() + done, rest < kAtOnce ? rest : kAtOnce);
  }
  sys::close_file(fd);
  return good;
}

}  // namespace

namespace hooks {

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int flags) {
  constexpr unsigned kKnownFlags = (1U << 18) - 1;
  if (path == nullptr || (flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  GrowingText text;
  const CUresult code = with_graph(hGraph, [&](const GraphState&) {
    write_dot(hGraph, flags, text);
    return text.good() ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  });
  if (code != CUDA_SUCCESS) return code;
  return write_file(path, text) ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
