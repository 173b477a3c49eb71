// SPDX-License-Identifier: Apache-2.0
// A graph as text in the language of Graphviz, nodes by the numbers that cuGraphGetId and cuGraphNodeGetLocalId tell.
// Under the lock of the process. Tests: tests/drivers/cuda/graph_dot_test.cpp.
#pragma once

#include "drivers/cuda/graphs/graphs.hpp"

namespace nvmlab::cuda {

// Text that grows in pages of this library; what there is no memory for makes it fail.
class GrowingText {
 public:
  GrowingText() = default;
  ~GrowingText();
  GrowingText(const GrowingText&) = delete;
  GrowingText& operator=(const GrowingText&) = delete;
  GrowingText& operator<<(const char* text);
  GrowingText& operator<<(std::uint64_t number);
  GrowingText& operator<<(const void* pointer);
  // Between quotes, and in a record of a label: what means something there is escaped.
  GrowingText& quoted(const char* text);
  const char* text() const { return text_; }
  std::uint64_t size() const { return size_; }
  bool good() const { return good_; }

 private:
  void put(char c);
  char* text_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t room_ = 0;
  bool good_ = true;
};

// `flags` are those of cuGraphDebugDotPrint.
void write_dot(CUgraph graph, std::uint32_t flags, GrowingText& out);

}  // namespace nvmlab::cuda
