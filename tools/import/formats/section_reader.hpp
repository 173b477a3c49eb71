// SPDX-License-Identifier: Apache-2.0
//
// What the readers of commands' outputs share: the section that is read, and the way into the evidence. Internal to
// the importer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "import/evidence/evidence.hpp"
#include "import/formats/foreign_format.hpp"

namespace nvmlab::importer {

// A section being read into the evidence.
class SectionReader {
 public:
  SectionReader(Evidence& evidence, const Section& section) : evidence_(evidence), section_(section) {}

  Evidence& evidence() const { return evidence_; }
  const Section& section() const { return section_; }
  const std::string& file() const { return *section_.file; }
  yaml::Place place(std::size_t line) const { return {section_.file, line, 1}; }
  Origin origin(std::size_t line) { return {source(), place(line)}; }
  // Declared when the first value needs it.
  std::size_t source();

  // `gpu` counts the evidence's GPUs.
  void observe(std::size_t gpu, std::string_view field, const compiler::Literal& value, std::size_t line);
  void observe_node(std::string_view field, const compiler::Literal& value, std::size_t line);
  void observe_text(std::size_t gpu, std::string_view field, std::string_view value, std::size_t line);
  // What cannot be at all at a line; nothing is imported then.
  void wrong(std::size_t line, std::string message);
  void note(std::size_t line, const std::string& message);

  // The GPU of that index, UUID and PCI address ("00000000:07:00.0"), as far as they are known: a UUID or an address
  // decides before an index. One that is new is added while no input has said which GPUs there are.
  struct GpuName {
    std::optional<std::size_t> index;
    std::string uuid;
    std::string address;
  };
  std::optional<std::size_t> gpu(const GpuName& name, std::size_t line);

 private:
  // False, and a problem, when the inputs say more than there is to say of any machine.
  bool worth(std::size_t effort, std::size_t line);

  Evidence& evidence_;
  const Section& section_;
  std::optional<std::size_t> source_;
};

// An address as nvidia-smi prints it, from "0000:07:00.0", "0:7:0" or nvidia-smi's own; empty when it is none.
std::string pci_address(std::string_view text);
void observe_address(Evidence& evidence, Subject& subject, const Origin& origin);

// ForeignFormat::read of a function that takes the reader.
template <void (*read)(SectionReader&)>
Complaints read_section(Evidence& evidence, const Section& section) {
  SectionReader reader(evidence, section);
  read(reader);
  return {};
}

}  // namespace nvmlab::importer
