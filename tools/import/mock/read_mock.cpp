// SPDX-License-Identifier: Apache-2.0
//
// A configuration of NVIDIA's Mock NVML as a profile: the machine that the simulated driver makes of it, value by
// value. Such a file describes its GPUs whole (what it does not say that mock answers with NOT_SUPPORTED), so nothing
// is inherited, and the profile is the same machine. Tests: tests/unit/import/mock_test.cpp.
#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"
#include "compiler/mock/config.hpp"
#include "compiler/paths.hpp"
#include "compiler/provenance.hpp"
#include "compiler/values.hpp"
#include "import/capture/decode.hpp"
#include "import/formats/foreign_format.hpp"

namespace nvmlab::importer {
namespace {

// A leaf of the vocabulary, with its name and where its value lies in a Gpu or Node.
struct StateLeaf {
  std::string name;
  const Field* field;
  std::uint32_t offset;
  std::uint32_t number;
  bool of_node;
};

std::vector<StateLeaf> all_leaves() {
  std::vector<StateLeaf> leaves;
  for (const Topic& topic : topics()) {
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
      const Field& field = topic.table.fields[i];
      const auto name = fmt::format("{}.{}", topic.table.name, field.name);
      if (field.type != FieldType::record) {
        leaves.push_back({name, &field, topic.offset + field.offset, compiler::leaf_of(topic, field), topic.of_node});
        continue;
      }
      for (std::uint32_t m = 0; m < field.record->field_count; ++m) {
        const Field& member = field.record->fields[m];
        leaves.push_back({fmt::format("{}.{}", name, member.name), &member, topic.offset + field.offset + member.offset,
                          compiler::leaf_of(topic, field, &member), topic.of_node});
      }
    }
  }
  return leaves;
}

class MockImport {
 public:
  MockImport(Evidence& evidence, const std::string& name)
      : evidence_(evidence), file_(std::make_shared<const std::string>(name)) {
    source_ = evidence.add_source({.id = "mock",
                                   .kind = "documentation",
                                   .title = fmt::format("{}, a configuration of Mock NVML", last_part(name))});
  }

  void owner(Subject& subject, const std::byte* state, bool of_node, const std::vector<yaml::Place>& places) {
    for (const StateLeaf& leaf : leaves_) {
      if (leaf.of_node != of_node) continue;
      const std::byte* at = state + leaf.offset;
      const FieldValue value(*leaf.field, std::vector<std::byte>(at, at + leaf.field->size));
      const bool says_nothing = compiler::is_list(leaf.field->type) ? value.list_count() == 0 : value.unsupported();
      if (says_nothing) continue;
      const yaml::Place& place = places[leaf.number];
      evidence_.observe(subject, leaf.name, value, {source_, place.line == 0 ? yaml::Place{file_, 1, 1} : place});
    }
  }

 private:
  Evidence& evidence_;
  std::shared_ptr<const std::string> file_;
  std::size_t source_ = 0;
  const std::vector<StateLeaf> leaves_ = all_leaves();
};

Complaints read_mock_config(Evidence& evidence, const Section& section) {
  const std::string& name = *section.file;
  const auto text = capture::decode_text(section.text, name);
  if (!text) return {text.error()};
  compiler::MockPlaces places;
  const auto mock = compiler::compile_mock_text(*text, name, &places);
  if (!mock) {
    Complaints lines;
    for (const auto& problem : mock.error())
      lines.push_back(problem.text());
    return lines;
  }
  for (const auto& note : mock->notes)
    evidence.notes.push_back(note.text());
  if (!mock->changes.empty())
    evidence.notes.push_back(fmt::format("{}:1: 'failure' has no place in a profile; `nvmlab fault` does it", name));
  MockImport import(evidence, name);
  const auto& machine = mock->machine;
  import.owner(evidence.node, reinterpret_cast<const std::byte*>(&machine.node()), true, places.node);
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i) {
    const Gpu& gpu = machine.gpu(i);
    const auto address =
        fmt::format("{:08X}:{:02X}:{:02X}.0", gpu.pci.domain.value, gpu.pci.bus.value, gpu.pci.device.value);
    auto known = std::ranges::find(evidence.gpus, address, &Subject::address);
    if (known == evidence.gpus.end() && !evidence.open) {
      evidence.notes.push_back(
          fmt::format("{}:1: GPU {} is not among those of the first capture and is left out", name, address));
      continue;
    }
    if (known == evidence.gpus.end()) {
      evidence.gpus.push_back({.who = fmt::format("GPU {}", i), .address = address, .index = i, .complete = true});
      known = evidence.gpus.end() - 1;
    }
    import.owner(*known, reinterpret_cast<const std::byte*>(&gpu), false, places.gpus[i]);
  }
  return {};
}

}  // namespace

constinit const ForeignFormat kMockFormat{
    .name = "a configuration of Mock NVML", .recognises = compiler::looks_like_mock_config, .read = read_mock_config};

}  // namespace nvmlab::importer
