// SPDX-License-Identifier: Apache-2.0
//
// A topology file of NCCL (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE): CPUs with PCI devices below them, switches between,
// and where it was dumped from a machine also the GPU's index, its compute capability and its NVLinks.
// Tests: tests/unit/import/topology_test.cpp.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "import/capture/items.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

struct Element {
  std::string name;
  std::size_t parent = kNowhere;
  std::size_t line = 0;
  std::map<std::string, std::string, std::less<>> attributes;

  std::string_view get(std::string_view attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? std::string_view() : std::string_view(found->second);
  }
};

std::vector<Element> elements_of(const capture::Items& items) {
  std::vector<Element> elements;
  std::vector<std::pair<std::size_t, std::size_t>> open;  // depth and element
  for (const auto& item : items) {
    if (item.name.starts_with('@')) {
      if (!elements.empty() && !open.empty())
        elements[open.back().second].attributes.emplace(item.name.substr(1), item.value);
      continue;
    }
    while (!open.empty() && open.back().first >= item.depth)
      open.pop_back();
    elements.push_back({item.name, open.empty() ? kNowhere : open.back().second, item.line, {}});
    open.emplace_back(item.depth, elements.size() - 1);
  }
  return elements;
}

std::optional<std::uint32_t> hexadecimal_word(std::string_view text) {
  const Rule rule{{}, {}, {}, PrintedForm::hex, {}, 1};
  const auto number = read_printed(rule, text, {}).number();
  if (!number || *number > 0xFFFF'FFFF) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

// "000000ff,ffff0000,00ffffff", the highest CPUs first, as words of 64.
std::optional<std::vector<std::uint64_t>> affinity_of(std::string_view masks) {
  constexpr std::size_t kMost = 128;  // words of 32
  std::vector<std::uint32_t> halves;
  while (!masks.empty()) {
    const auto end = std::min(masks.find(','), masks.size());
    const auto half = hexadecimal_word(masks.substr(0, end));
    if (!half || halves.size() == kMost) return std::nullopt;
    halves.push_back(*half);
    masks.remove_prefix(std::min(end + 1, masks.size()));
  }
  std::ranges::reverse(halves);
  while (!halves.empty() && halves.back() == 0)
    halves.pop_back();
  std::vector<std::uint64_t> words((halves.size() + 1) / 2);
  for (std::size_t i = 0; i < halves.size(); ++i)
    words[i / 2] |= static_cast<std::uint64_t>(halves[i]) << (i % 2 * 32);
  return words;
}

// "16 GT/s", "32.0 GT/s PCIe"
std::optional<unsigned> generation_of(std::string_view speed) {
  struct Generation {
    std::string_view speed;
    unsigned number;
  };
  constexpr Generation generations[] = {{"2.5", 1}, {"5", 2}, {"8", 3}, {"16", 4}, {"32", 5}, {"64", 6}};
  const auto words = words_of(speed);
  if (words.empty()) return std::nullopt;
  auto number = words.front();
  if (number.ends_with(".0")) number.remove_suffix(2);
  const auto* found = std::ranges::find(generations, number, &Generation::speed);
  return found == std::end(generations) ? std::nullopt : std::optional(found->number);
}

class TopologyReader {
 public:
  TopologyReader(SectionReader& reader, std::vector<Element> elements)
      : reader_(reader), elements_(std::move(elements)) {}

  void run() {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (elements_[i].name == "pci" && elements_[i].get("class").starts_with("0x03")) met_.emplace(i, std::nullopt);
    }
    if (met_.empty()) return reader_.wrong(reader_.section().first_line, "the topology holds no GPU");
    for (auto& [element, gpu] : met_)
      gpu = meet(element);
    for (const auto& [element, gpu] : met_) {
      if (!gpu) continue;
      board(element, *gpu);
      above(element, *gpu);
    }
    for (std::size_t i = 0; i < elements_.size(); ++i)
      inside(i);
  }

 private:
  std::optional<std::size_t> meet(std::size_t element) {
    const Element& pci = elements_[element];
    const auto address = pci_address(pci.get("busid"));
    if (address.empty()) {
      reader_.wrong(pci.line, fmt::format("busid {} is no PCI address", in_quotes(pci.get("busid"))));
      return std::nullopt;
    }
    if (!pci.get("vendor").empty() && hexadecimal_word(pci.get("vendor")) != 0x10deU) return std::nullopt;
    return reader_.gpu({{}, {}, address}, pci.line);
  }

  void board(std::size_t element, std::size_t gpu) {
    const Element& pci = elements_[element];
    const auto ids = [&](std::string_view device, std::string_view vendor, std::string_view field) {
      const auto upper = hexadecimal_word(pci.get(device));
      const auto lower = hexadecimal_word(pci.get(vendor));
      if (!upper || !lower || *upper == 0 || *upper >= 0xFFFF || *lower >= 0xFFFF) return;
      reader_.observe(gpu, field, *upper << 16 | *lower, pci.line);
    };
    ids("device", "vendor", "pci.device_id");
    ids("subsystem_device", "subsystem_vendor", "pci.subsystem_id");
    if (const auto generation = generation_of(pci.get("link_speed")))
      reader_.observe(gpu, "pci.link_gen_max", *generation, pci.line);
    if (const auto width = whole_number(pci.get("link_width")); width && *width > 0)
      reader_.observe(gpu, "pci.link_width_max", *width, pci.line);
  }

  // CPU and switches that the GPU lies below.
  void above(std::size_t element, std::size_t gpu) {
    std::size_t nearest = kNowhere;
    std::size_t topmost = kNowhere;
    std::size_t at = elements_[element].parent;
    for (; at != kNowhere && elements_[at].name == "pci"; at = elements_[at].parent) {
      if (nearest == kNowhere) nearest = at;
      topmost = at;
    }
    const auto line = elements_[element].line;
    if (nearest != kNowhere) {
      reader_.observe(gpu, "topology.pcie_switch", number_of(switches_, nearest), line);
      reader_.observe(gpu, "topology.upper_pcie_switch", number_of(upper_switches_, topmost), line);
    }
    if (at == kNowhere || elements_[at].name != "cpu") return;
    const Element& cpu = elements_[at];
    constexpr std::uint64_t kMostNodes = 1024;
    if (const auto node = whole_number(cpu.get("numaid")); node && *node < kMostNodes) {
      std::vector<std::uint64_t> words(*node / 64 + 1);
      words.back() = std::uint64_t{1} << (*node % 64);
      reader_.observe(gpu, "topology.numa_node", *node, cpu.line);
      reader_.observe(gpu, "topology.memory_affinity", words, cpu.line);
    }
    if (cpu.get("affinity").empty()) return;
    const auto cpus = affinity_of(cpu.get("affinity"));
    if (!cpus) {
      return reader_.wrong(cpu.line, fmt::format("affinity {} is no mask of CPUs", in_quotes(cpu.get("affinity"))));
    }
    if (!cpus->empty()) reader_.observe(gpu, "topology.cpu_affinity", *cpus, cpu.line);
  }

  // <gpu dev="0" sm="90"> below its pci element, <nvlink target=... count=... tclass=...> and <c2c count=...> below it.
  void inside(std::size_t i) {
    const Element& element = elements_[i];
    if (element.parent == kNowhere) return;
    if (element.name == "gpu") {
      const auto gpu = gpu_at(element.parent);
      const auto capability = whole_number(element.get("sm"));
      if (!gpu || !capability || *capability < 10) return;
      reader_.observe(*gpu, "identity.compute_capability_major", *capability / 10, element.line);
      reader_.observe(*gpu, "identity.compute_capability_minor", *capability % 10, element.line);
    }
    if (element.name == "nvlink" && elements_[element.parent].name == "gpu") nvlink(element);
  }

  void nvlink(const Element& element) {
    const auto above = elements_[element.parent].parent;
    const auto gpu = above == kNowhere ? std::nullopt : gpu_at(above);
    const auto count = whole_number(element.get("count"));
    if (!count || *count > kMostLinks) {
      return reader_.wrong(element.line, fmt::format("count {} of links is none; 0 to {} would be right",
                                                     in_quotes(element.get("count")), kMostLinks));
    }
    if (!gpu) return;
    const bool at_switch = element.get("tclass").starts_with("0x0680");
    auto address = pci_address(element.get("target"));
    if (at_switch && element.get("target").starts_with("ff")) address.clear();  // any switch
    reader_.evidence().gpus[*gpu].lists.bundles.push_back(
        {static_cast<std::uint32_t>(*count), at_switch, address, reader_.origin(element.line)});
  }

  std::optional<std::size_t> gpu_at(std::size_t element) const {
    const auto found = met_.find(element);
    return found == met_.end() ? std::nullopt : found->second;
  }

  static std::size_t number_of(std::vector<std::size_t>& seen, std::size_t element) {
    const auto known = std::ranges::find(seen, element);
    const auto number = static_cast<std::size_t>(known - seen.begin());
    if (known == seen.end()) seen.push_back(element);
    return number;
  }

  SectionReader& reader_;
  std::vector<Element> elements_;
  std::map<std::size_t, std::optional<std::size_t>> met_;  // elements that are GPUs
  std::vector<std::size_t> switches_;
  std::vector<std::size_t> upper_switches_;
};

bool heads_nccl(std::string_view line) {
  const auto said = trimmed(line);
  return said.starts_with("<system") && (said.size() == 7 || said[7] == ' ' || said[7] == '>');
}

void read_nccl(SectionReader& reader) {
  capture::Extent extent;
  extent.first_line = reader.section().first_line;
  extent.tool = "NCCL_TOPO_DUMP_FILE";
  auto items = capture::read_xml(reader.section().text, extent, reader.file());
  if (!items) return reader.wrong(items.error().line, items.error().message);
  TopologyReader(reader, elements_of(*items)).run();
}

}  // namespace

constinit const ForeignFormat kNcclFormat{
    .name = "topology of NCCL", .recognises = heads_nccl, .read = read_section<read_nccl>, .last_line = "</system>"};

}  // namespace nvmlab::importer
