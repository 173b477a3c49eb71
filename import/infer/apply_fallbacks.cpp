// SPDX-License-Identifier: Apache-2.0
//
// A board at rest shows that it has a share of something, not how large the share is: the family's number is better
// than a zero, and a zero is better than a board that refuses to answer.
#include <map>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "compiler/paths.hpp"
#include "import/write/split_boards.hpp"
#include "import/replay/read_recording.hpp"

namespace nvmlab::importer::replay {
namespace {

// A GPU that has what it inherits, and nothing else.
std::unique_ptr<Gpu> family_gpu(const std::string& inherits) {
  const auto machine = compiler::compile_text(
      fmt::format("machine: family\nsources: {{s: {{kind: assumed, why: nobody reads it}}}}\nsource: s\n"
                  "system: {{driver_version: 580.105.08}}\nprofiles:\n  board: {{inherits: {}}}\n"
                  "gpus:\n  - {{profile: board}}\n",
                  inherits),
      "family.yaml", "family");
  return machine ? std::make_unique<Gpu>(machine->gpu(0)) : nullptr;
}

}  // namespace

void settle(Evidence& evidence) {
  std::map<std::string, std::unique_ptr<Gpu>> families;
  for (Subject& gpu : evidence.gpus) {
    if (gpu.weak.empty()) continue;
    const std::string inherits = inherited(gpu);
    const auto [known, fresh] = families.try_emplace(inherits);
    if (fresh) known->second = family_gpu(inherits);
    for (const auto& [field, fact] : gpu.weak) {
      const auto ref = compiler::find_field(field);
      if (!ref || gpu.find(field) != nullptr) continue;
      const auto* state = reinterpret_cast<const std::byte*>(known->second.get());
      if (state == nullptr || *compiler::format_field(*ref, state, compiler::Style::yaml) == "null")
        gpu.facts.emplace(field, fact);
    }
  }
}

}  // namespace nvmlab::importer::replay
