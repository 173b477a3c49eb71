// SPDX-License-Identifier: Apache-2.0
#include "compare/leaves.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "compiler/paths.hpp"
#include "compiler/summary.hpp"
#include "compiler/unit_fields.hpp"
#include "import/capture/leaf_names.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::compare {
namespace {

using Natures = std::unordered_map<std::string, Nature>;

Nature nature_of_rule(std::string_view name) {
  const auto ref = compiler::find_field(name);
  if (!ref) return Nature::steady;
  if (ref->field->kind == FieldKind::live || ref->field->kind == FieldKind::counter) return Nature::live;
  return compiler::names_one_unit(name) ? Nature::identifier : Nature::steady;
}

Natures read_rules(capture::Format format) {
  Natures natures;
  for (const auto rules : {importer::board_rules(), importer::reading_rules(), importer::error_rules()}) {
    for (const importer::Rule& rule : rules) {
      const auto path = format == capture::Format::xml ? rule.xml : rule.text;
      if (!path.empty()) natures.emplace(capture::newest_name(path), nature_of_rule(rule.field));
    }
  }
  return natures;
}

struct ReviewedLeaf {
  std::string_view start;  // of the path
  Nature nature;
};

// What is worked out of several leaves, or is no field of the state; XML first, then text.
constexpr std::array reviewed_leaves{
    ReviewedLeaf{"timestamp", Nature::live},
    ReviewedLeaf{"processes", Nature::live},
    ReviewedLeaf{"accounted_processes", Nature::live},
    ReviewedLeaf{"fan_speed", Nature::live},
    ReviewedLeaf{"encoder_stats/", Nature::live},
    ReviewedLeaf{"fbc_stats/", Nature::live},
    ReviewedLeaf{"ecc_errors/", Nature::live},
    ReviewedLeaf{"retired_pages/", Nature::live},
    ReviewedLeaf{"pci/pci_gpu_link_info/pcie_gen/device_current_link_gen", Nature::live},
    ReviewedLeaf{"module_power_readings/power_state", Nature::live},
    ReviewedLeaf{"@id", Nature::identifier},
    ReviewedLeaf{"board_id", Nature::identifier},
    ReviewedLeaf{"pci/pci_bus_id", Nature::identifier},
    ReviewedLeaf{"Timestamp", Nature::live},
    ReviewedLeaf{"Processes", Nature::live},
    ReviewedLeaf{"Accounted Processes", Nature::live},
    ReviewedLeaf{"Fan Speed", Nature::live},
    ReviewedLeaf{"Encoder Stats/", Nature::live},
    ReviewedLeaf{"FBC Stats/", Nature::live},
    ReviewedLeaf{"ECC Errors/", Nature::live},
    ReviewedLeaf{"Ecc Errors/", Nature::live},
    ReviewedLeaf{"Retired Pages/", Nature::live},
    ReviewedLeaf{"PCI/GPU Link Info/PCIe Generation/Device Current", Nature::live},
    ReviewedLeaf{"Board ID", Nature::identifier},
    ReviewedLeaf{"PCI/Bus Id", Nature::identifier},
};
// Of every kind of memory, also of a MIG device's.
constexpr std::array<std::string_view, 4> live_ends{"emory_usage/used", "emory_usage/free", "emory Usage/Used",
                                                    "emory Usage/Free"};

// "processes/process_info[3]/pid" is "processes/process_info", 3 and "pid".
struct Place {
  std::string list;  // empty: no list
  std::size_t index = 0;
  std::string part;
};

Place place_of(std::string_view path) {
  for (auto open = path.find('['); open != std::string_view::npos; open = path.find('[', open + 1)) {
    const auto close = path.find(']', open);
    if (close == std::string_view::npos) break;
    const auto index = path.substr(open + 1, close - open - 1);
    constexpr std::size_t longest = 9;  // digits of an index
    if (index.empty() || index.size() > longest || index.find_first_not_of("0123456789") != std::string_view::npos)
      continue;
    return {std::string(path.substr(0, open)), static_cast<std::size_t>(std::stoul(std::string(index))),
            std::string(path.substr(open))};
  }
  return {};
}

// Where nothing runs, "None" or nothing stands in place of the list.
bool empty_list(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 4> lists{"processes", "accounted_processes", "Processes",
                                                  "Accounted Processes"};
  return std::ranges::find(lists, name) != lists.end() && (value.empty() || value == "None");
}

class LeafReader {
 public:
  explicit LeafReader(capture::Format format) : format_(format) {}

  void add(SideSubject& subject, const capture::Leaf& leaf) {
    const std::string name = capture::newest_name(leaf.path);
    if (empty_list(name, leaf.value)) return;
    const std::string_view code = importer::error_name_of(leaf.value);
    std::string text = code.empty() ? leaf.value : std::string(code);
    const Place place = place_of(name);
    const Nature nature = nature_of_leaf(format_, name);
    if (place.list.empty()) {
      Statement& made = start(subject, leaf, name, nature);
      made.code = !code.empty();
      made.text = std::move(text);
      return;
    }
    const auto key = std::pair{&subject, place.list};
    auto known = lists_.find(key);
    if (known == lists_.end()) {
      start(subject, leaf, place.list, nature_of_leaf(format_, place.list)).shape = StatementShape::list;
      known = lists_.emplace(key, subject.statements.size() - 1).first;
    }
    Statement& list = subject.statements[known->second];
    list.count = std::max(list.count, place.index + 1);
    list.parts.push_back({place.part, std::move(text), nature, !code.empty(), false});
  }

 private:
  static Statement& start(SideSubject& subject, const capture::Leaf& leaf, const std::string& name, Nature nature) {
    Statement made;
    const auto slash = name.find_first_of("/[");
    made.topic = slash != std::string::npos ? name.substr(0, slash) : leaf.gpu == capture::node ? "node" : "gpu";
    made.name = name;
    made.nature = nature;
    return subject.statements.emplace_back(std::move(made));
  }

  capture::Format format_;
  std::map<std::pair<const SideSubject*, std::string>, std::size_t> lists_;  // where each list stands
};

std::string text_at(const SideSubject& subject, std::string_view xml, std::string_view text) {
  for (const Statement& statement : subject.statements) {
    if ((statement.name == xml || statement.name == text) && !statement.code) return statement.text;
  }
  return "";
}

}  // namespace

Nature nature_of_leaf(capture::Format format, std::string_view path) {
  static const Natures xml = read_rules(capture::Format::xml);
  static const Natures text = read_rules(capture::Format::text);
  const Natures& natures = format == capture::Format::xml ? xml : text;
  if (const auto found = natures.find(std::string(path)); found != natures.end()) return found->second;
  for (const auto& row : reviewed_leaves) {
    if (path.starts_with(row.start)) return row.nature;
  }
  const bool live = std::ranges::any_of(live_ends, [&](std::string_view end) { return path.ends_with(end); });
  return live ? Nature::live : Nature::steady;
}

Side leaves_of(const capture::Capture& capture) {
  Side side;
  side.kind = capture.format == capture::Format::text ? "nvidia-smi -q" : "nvidia-smi -q -x";
  if (!capture.dtd.empty()) side.kind += fmt::format(" ({})", capture.dtd);
  side.gpus.resize(capture.gpus.size());
  LeafReader reader(capture.format);
  for (const capture::Leaf& leaf : capture.leaves)
    reader.add(leaf.gpu == capture::node ? side.node : side.gpus[static_cast<std::size_t>(leaf.gpu)], leaf);
  std::vector<std::string> boards;
  for (std::size_t i = 0; i < side.gpus.size(); ++i) {
    SideSubject& gpu = side.gpus[i];
    gpu.board = text_at(gpu, "product_name", "Product Name");
    boards.push_back(gpu.board);
    gpu.uuid = text_at(gpu, "uuid", "GPU UUID");
    if (!is_real_uuid(gpu.uuid)) gpu.uuid.clear();
    gpu.address = upper_hex(capture.gpus[i]);
  }
  side.what = compiler::summary(boards, text_at(side.node, "driver_version", "Driver Version"));
  return side;
}

}  // namespace nvmlab::compare
