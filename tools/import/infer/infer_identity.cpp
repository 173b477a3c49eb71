// SPDX-License-Identifier: Apache-2.0
//
// What names one GPU names no other: publishers mask UUIDs and minor numbers with one text for all. Such values are
// left out, and the machine derives its own. Tests: tests/unit/import/published_test.cpp.
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

struct UnitName {
  std::string_view field;
  std::string_view what;
};
constexpr UnitName kUnitNames[] = {{"identity.uuid", "UUID"}, {"identity.minor_number", "minor number"}};

}  // namespace

void infer_identity(Evidence& evidence) {
  for (const auto& [field, what] : kUnitNames) {
    std::map<std::string, std::vector<Subject*>> owners;
    for (Subject& gpu : evidence.gpus) {
      if (const FieldValue* value = gpu.value(field); value != nullptr) owners[value->yaml()].push_back(&gpu);
    }
    for (const auto& [value, gpus] : owners) {
      if (gpus.size() < 2) continue;
      std::vector<std::size_t> indices;
      for (Subject* gpu : gpus) {
        indices.push_back(gpu->index);
        gpu->observed.erase(gpu->observed.find(field));
      }
      evidence.note(fmt::format("GPUs {} have the same {} {}, which names one GPU: each gets one that is derived",
                                fmt::join(indices, ", "), what, value));
    }
  }
}

}  // namespace nvmlab::importer
