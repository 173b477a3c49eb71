// SPDX-License-Identifier: Apache-2.0
//
// The last word on each leaf of a log: what carries it, or why nothing does. Reviewed: a reason is about what is
// printed and what is simulated, and none knows a board or a file. Tests: tests/unit/import/leaves_test.cpp.
#include <algorithm>

#include <fmt/format.h>

#include "import/formats/section_reader.hpp"
#include "import/smi/read_log.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

struct ReasonOfLeaf {
  std::string_view xml;  // what its path starts with
  std::string_view text;
  std::string_view reason;
  bool noted = false;       // users of such a machine will look for it
  bool worked_out = false;  // the machine has it, even where the capture has not
};

constexpr ReasonOfLeaf kReasons[] = {
    {"timestamp", "Timestamp", "the moment of the capture: a simulated machine has a clock of its own"},
    {"", "timestamp", "the moment of the capture: a simulated machine has a clock of its own"},
    {"vgpu_software_licensed_product", "vGPU Software Licensed Product",
     "of a licence its product and its status are simulated", true},
    {"grid_licensed_product", "GRID Licensed Product", "of a licence its product and its status are simulated", true},
    {"pci/pci_gpu_link_info/pcie_gen/device_current_link_gen", "PCI/GPU Link Info/PCIe Generation/Device Current",
     "the link's generation is simulated once, as that of the link"},
    {"processes", "Processes", "nothing of what runs is simulated but processes by their ids"},
    {"fb_memory_usage/free", "FB Memory Usage/Free", "it is worked out: the total less what is reserved and used"},
    {"bar1_memory_usage/free", "BAR1 Memory Usage/Free", "it is worked out: the total less what is used"},
    {"", "hostname", "what the board is called in the network is not simulated"},
    {"cc_protected_memory_usage/free", "Conf Compute Protected Memory Usage/Free",
     "it is worked out: the total less what is used"},
    {"board_id", "Board ID", "it is worked out of the PCI address", false, true},
    {"pci/pci_bus_id", "PCI/Bus Id", "it is put together of the PCI domain, bus and device", false, true},
    {"mig_devices", "MIG Device", "MIG devices are simulated without it"},
    {"", "index", "GPUs are counted in their order"},
};

const ReasonOfLeaf* known_reason(const capture::Capture& log, std::string_view path) {
  const bool xml = log.format == capture::Format::xml;
  const auto* found = std::ranges::find_if(kReasons, [&](const ReasonOfLeaf& row) {
    const auto start = xml ? row.xml : row.text;
    return !start.empty() && path.starts_with(start);
  });
  return found == std::end(kReasons) ? nullptr : found;
}

// What a field became of which another is known to be the better one (infer_board.cpp).
struct Replaced {
  std::string_view field;
  std::string_view by;
};
constexpr Replaced kReplaced[] = {
    {"identity.gpu_part_number", "identity.board_part_number"},
    {"fabric.health_mask", "fabric.state"},
};

class Settling {
 public:
  explicit Settling(Evidence& evidence) : evidence_(evidence) {}

  void settle(ReadLog& read) const {
    for (std::size_t i = 0; i < read.fates().size(); ++i) {
      const capture::Leaf& leaf = read.log().leaves[i];
      LeafFate& fate = read.fates()[i];
      const Subject* subject = subject_of(read, leaf);
      if (subject == nullptr) continue;  // it has a reason
      keep_fields(*subject, fate);
      if (!fate.carried()) address(*subject, leaf, fate);
      if (!fate.carried()) count(leaf, fate);
      if (!fate.carried()) link_generation(*subject, leaf, fate);
      if (fate.carried() || !fate.reason.empty()) continue;
      const ReasonOfLeaf* known = known_reason(read.log(), leaf.path);
      if (!error_name_of(leaf.value).empty() && (known == nullptr || !known->worked_out)) {
        fate.reason = "the simulated machine lacks it too";
        continue;
      }
      fate.reason = known == nullptr ? "the simulated machine has nothing that corresponds to it" : known->reason;
      if (known != nullptr && known->noted) {
        evidence_.note(fmt::format("{}:{}: {} is left out: {}", read.log().name, leaf.line, leaf.path, known->reason));
      }
    }
  }

 private:
  const Subject* subject_of(const ReadLog& read, const capture::Leaf& leaf) const {
    if (leaf.gpu == capture::node) return &evidence_.node;
    const int gpu = read.gpu(leaf.gpu);
    return gpu < 0 ? nullptr : &evidence_.gpus[static_cast<std::size_t>(gpu)];
  }

  // Those that the machine has in the end.
  static void keep_fields(const Subject& subject, LeafFate& fate) {
    for (auto& field : fate.fields) {
      if (subject.find(field) != nullptr) continue;
      const auto* other = std::ranges::find(kReplaced, field, &Replaced::field);
      if (other != std::end(kReplaced)) field = other->by;
    }
    const bool had = !fate.fields.empty();
    std::erase_if(fate.fields, [&](std::string_view field) { return subject.find(field) == nullptr; });
    if (had && fate.fields.empty() && fate.reason.empty()) fate.reason = "another line of the inputs tells it better";
  }

  // The GPU's address, in whatever spelling, and what is worked out of nothing else.
  static void address(const Subject& subject, const capture::Leaf& leaf, LeafFate& fate) {
    const bool id = leaf.path == "@id" || leaf.path == "pci/pci_bus_id" || leaf.path == "PCI/Bus Id";
    const bool board = leaf.path == "board_id" || leaf.path == "Board ID";
    if (subject.address.empty() || subject.find("pci.bus") == nullptr) return;
    if (id && pci_address(leaf.value) == subject.address) fate.fields.emplace_back("pci.bus");
    if (board && leaf.value == board_id(subject)) fate.fields.emplace_back("pci.bus");
    if (board && !error_name_of(leaf.value).empty()) without_board(subject, fate);
  }

  // A driver that does not tell whether there are several GPUs on a board gives it no number either.
  static void without_board(const Subject& subject, LeafFate& fate) {
    constexpr std::string_view several = "identity.multi_gpu_board";
    const Observation* known = subject.find(several);
    if (known != nullptr && !known->value.has_value()) fate.fields.push_back(several);
  }

  // Of the board, where it is that of the link.
  static void link_generation(const Subject& subject, const capture::Leaf& leaf, LeafFate& fate) {
    const bool device = leaf.path == "pci/pci_gpu_link_info/pcie_gen/device_current_link_gen" ||
                        leaf.path == "PCI/GPU Link Info/PCIe Generation/Device Current";
    constexpr std::string_view link = "pci.link_gen_current";
    const Observation* known = device ? subject.find(link) : nullptr;
    if (known == nullptr) return;
    const auto printed = whole_number(leaf.value);
    const bool same =
        known->value.has_value() ? printed && printed == known->value.number() : !error_name_of(leaf.value).empty();
    if (same) fate.fields.push_back(link);
  }

  static std::string board_id(const Subject& subject) {
    const auto part = [&](std::string_view field) {
      const FieldValue* value = subject.value(field);
      return value == nullptr ? std::uint64_t{0} : value->number().value_or(0);
    };
    return fmt::format("0x{:x}", part("pci.domain") << 16 | part("pci.bus") << 8 | part("pci.device"));
  }

  void count(const capture::Leaf& leaf, LeafFate& fate) const {
    const bool gpus = leaf.path == "attached_gpus" || leaf.path == "Attached GPUs" || leaf.path == "count";
    if (gpus && leaf.value == std::to_string(evidence_.gpus.size())) fate.counted = true;
    // A list that is empty is printed as one word.
    const bool none = leaf.value.empty() || leaf.value == "None";
    const bool list = leaf.path == "accounted_processes" || leaf.path == "Accounted Processes" ||
                      leaf.path == "mig_devices" || leaf.path == "MIG Device";
    if (list && none) fate.counted = true;
  }

  Evidence& evidence_;
};

}  // namespace

void settle_leaves(Evidence& evidence) {
  const Settling settling(evidence);
  for (ReadLog& read : evidence.ledger.logs)
    settling.settle(read);
}

}  // namespace nvmlab::importer
