// SPDX-License-Identifier: Apache-2.0
#include "compiler/family.hpp"

namespace nvmlab::compiler {

void Families::lay(std::span<const std::string> names, GpuDraft& gpu, NodeDraft& node) {
  Document board;  // inherits, and says nothing itself
  for (const std::string& name : names) {
    if (const Document* family = documents_.open_family(name)) board.bases.push_back(family);
  }
  layers_.apply_profile(board, gpu, node);
}

GpuDraft inherited(std::span<const std::string> families) {
  GpuDraft gpu;
  NodeDraft node;
  Families().lay(families, gpu, node);
  gpu.marks = Marks(leaf_count());  // they point into documents that end here
  return gpu;
}

}  // namespace nvmlab::compiler
