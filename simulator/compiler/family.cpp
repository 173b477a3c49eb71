// SPDX-License-Identifier: Apache-2.0
#include "compiler/family.hpp"

namespace nvmlab::compiler {

GpuDraft inherited(std::span<const std::string> families) {
  Problems problems;  // shipped profiles have none
  Documents documents(problems);
  Layers layers(documents, problems);
  Document board;  // inherits, and says nothing itself
  for (const std::string& name : families) {
    if (const Document* family = documents.open_family(name)) board.bases.push_back(family);
  }
  GpuDraft gpu;
  NodeDraft node;
  layers.apply_profile(board, gpu, node);
  gpu.marks = Marks(leaf_count());  // they point into documents that end here
  return gpu;
}

}  // namespace nvmlab::compiler
