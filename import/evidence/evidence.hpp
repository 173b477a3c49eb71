// SPDX-License-Identifier: Apache-2.0
//
// What the captures say of one machine, field by field, each value with the line that it was read from. Values are
// checked as those of any profile are, at the moment that they are read: what is wrong is wrong at that line.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/tree.hpp"
#include "compiler/problems.hpp"
#include "engine/topics/generated/state.hpp"
#include "import/capture/capture.hpp"
#include "import/evidence/partial_lists.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {

// NVLinks of one GPU that any input may tell; no chip has more than 36.
inline constexpr std::uint64_t kMostLinks = 64;

// Where a value comes from: one of the sources that the profile declares.
struct Source {
  std::string id;
  std::string yaml;  // {kind: capture, file: ..., driver: ...}
  std::string note;  // what else is to be said of it
};

struct Fact {
  std::string yaml;    // as format_value() writes it
  bool known = false;  // a value, not a return code
  std::size_t source = 0;
  yaml::Place place;
};

using Facts = std::map<std::string, Fact, std::less<>>;

// The node, or one GPU.
struct Subject {
  std::string who;    // "GPU 3", for notes
  std::string place;  // PCI place as printed, by which captures of one machine know it; empty for the node
  Facts facts;
  std::size_t index = 0;   // by which tools list it
  Facts weak = {};         // what the board has without saying how much of it: stated where its family says nothing
  bool exact = false;      // a recording told every value and return code by itself
  bool whole = false;      // what its inputs do not tell it does not have: nothing is inherited
  Gathered gathered = {};  // until everything is read

  const Fact* find(std::string_view field) const;
};

struct Evidence {
  std::vector<Source> sources;
  Subject node{"the machine", {}, {}};
  std::vector<Subject> gpus;
  std::vector<std::string> notes;
  compiler::Problems problems;
  std::size_t effort = 0;  // spent on finding GPUs and stating values: what no machine needs is refused
  bool open = true;        // no input has said yet which GPUs there are
  bool logged = false;     // a log of nvidia-smi is among the inputs, which tells the driver
  std::unique_ptr<Gpu> gpu_room = std::make_unique<Gpu>();  // where values are read into to be checked
  std::unique_ptr<Node> node_room = std::make_unique<Node>();

  // The number of the source; one that is there already is not added again.
  std::size_t source(const std::string& id, const std::string& yaml, const std::string& note = {});
  // The same source with one more thing to be said of it.
  std::size_t noted(const std::string& id, std::size_t source, const std::string& note);
  // States a value, by YAML text of the field's; what is known stays, and a different one is noted.
  void state(Subject& subject, std::string_view field, const std::string& yaml, std::size_t source,
             const yaml::Place& place);
  void state(Subject& subject, std::string_view field, const yaml::Node& value, std::size_t source);
};

yaml::Node scalar(std::string text, bool quoted, const yaml::Place& place);
yaml::Node answer(std::string_view code, const yaml::Place& place);

// All leaves of one capture, through the table. `gpus` are those of the capture; null for one that is left out.
void read_leaves(Evidence& evidence, const capture::Capture& capture, std::span<Subject* const> gpus,
                 std::size_t source);
// What takes more than one leaf: lists, memory, fans (composites.cpp). `leaves` are those of one GPU.
void read_composites(Evidence& evidence, const capture::Capture& capture, std::span<const capture::Leaf* const> leaves,
                     Subject& subject, std::size_t source);
// The MIG devices of one GPU in a log (read_mig_devices.cpp).
void read_mig_devices(const capture::Capture& capture, std::span<const capture::Leaf* const> leaves, Subject& subject,
                      std::size_t source);
// What follows from all captures together: the chip and its family, what older tools did not print.
void conclude(Evidence& evidence);
void conclude_cuda(Evidence& evidence);   // from CUDA for NVML (conclude_cuda.cpp)
void conclude_bare(Evidence& evidence);   // of boards that no log describes (shipped_board.cpp)
void conclude_links(Evidence& evidence);  // NVLink (links.cpp)
void conclude_mig(Evidence& evidence);    // MIG (mig.cpp)

// The families that a board inherits: that of its chip, and that of what it is sold as; none where the chip is not
// known.
std::vector<std::string> families_of(const Subject& gpu);

// The shipped profile of a board that no log describes, by its product or, where nobody names that, its PCI device id;
// empty when there is none (shipped_board.cpp).
std::string shipped_board(const Evidence& evidence, const Subject& gpu);

// The GPU of the capture among those that are known; added when the captures so far showed none.
Subject* subject_of(Evidence& evidence, const capture::Capture& capture, int gpu);

yaml::Place place_of(const capture::Capture& capture, const capture::Leaf& leaf);

}  // namespace nvmlab::importer
