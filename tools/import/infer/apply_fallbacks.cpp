// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "compiler/family.hpp"
#include "compiler/paths.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {

void apply_fallbacks(Evidence& evidence) {
  std::map<std::vector<std::string>, compiler::GpuDraft> drafts;  // by families
  for (Subject& gpu : evidence.gpus) {
    if (gpu.fallbacks.empty()) continue;
    const auto families = families_of(gpu);
    auto known = drafts.find(families);
    if (known == drafts.end()) known = drafts.emplace(families, compiler::inherited(families)).first;
    for (const auto& [field, fallback] : gpu.fallbacks) {
      const auto ref = compiler::find_field(field);
      if (!ref || gpu.find(field) != nullptr) continue;
      const std::byte* at = known->second.bytes() + ref->offset;
      const FieldValue inherited(*ref->field, std::vector<std::byte>(at, at + ref->field->size));
      if (inherited.unsupported()) gpu.observed.emplace(field, fallback);
    }
  }
}

}  // namespace nvmlab::importer
