// SPDX-License-Identifier: Apache-2.0
//
// What reads one piece of a text each, and what those readers share. Internal to the importer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "import/evidence/evidence.hpp"
#include "import/formats/sections.hpp"

namespace nvmlab::importer {

// A piece being read into the evidence.
class PieceReader {
 public:
  PieceReader(Evidence& evidence, const Piece& piece, const std::string& file);

  Evidence& evidence() const { return evidence_; }
  const Piece& piece() const { return piece_; }
  const std::string& file() const { return *file_; }
  yaml::Place place(std::size_t line) const { return {file_, line, 1}; }
  Origin origin(std::size_t line) { return {source(), place(line)}; }
  // Declared when the first value needs it.
  std::size_t source();

  // `gpu` counts the evidence's GPUs.
  void observe(std::size_t gpu, std::string_view field, const compiler::Literal& value, std::size_t line);
  void observe_node(std::string_view field, const compiler::Literal& value, std::size_t line);
  void observe_text(std::size_t gpu, std::string_view field, std::string_view value, std::size_t line);
  // What is wrong at a line; nothing is imported then.
  void wrong(std::size_t line, std::string message);
  void note(std::size_t line, const std::string& message);

  // The GPU of that index, UUID and PCI address ("00000000:07:00.0"), as far as they are known: a UUID or an address
  // decides before an index. One that is new is added while no input has said which GPUs there are.
  struct Name {
    std::optional<std::size_t> index;
    std::string uuid;
    std::string address;
  };
  std::optional<std::size_t> gpu(const Name& name, std::size_t line);

 private:
  // False, and a problem, when the inputs say more than there is to say of any machine.
  bool worth(std::size_t effort, std::size_t line);

  Evidence& evidence_;
  const Piece& piece_;
  std::shared_ptr<const std::string> file_;
  std::optional<std::size_t> source_;
};

// A whole number and nothing else.
std::optional<std::uint64_t> whole_number(std::string_view text);
// An address as nvidia-smi prints it, from "0000:07:00.0", "0:7:0" or nvidia-smi's own; empty when it is none.
std::string pci_address(std::string_view text);
void observe_address(Evidence& evidence, Subject& subject, const Origin& origin);

bool heads_csv(std::string_view line);

void read_csv(PieceReader& reader);
void read_device_query(PieceReader& reader);
void read_nccl(PieceReader& reader);
void read_table(PieceReader& reader);
void read_version(PieceReader& reader);
void read_gpu_list(PieceReader& reader);
void read_topology(PieceReader& reader);
void read_mig(PieceReader& reader);

}  // namespace nvmlab::importer
