// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "compiler/mock/device.hpp"
#include "compiler/mock/scalars.hpp"
#include "compiler/numbers.hpp"
#include "nvmlab/abi/generated/enums.hpp"

namespace nvmlab::compiler {
namespace {

using Link = Nvlink::Link;
constexpr std::uint32_t kMostLinks = decltype(Nvlink::links)::capacity;
constexpr std::uint32_t kCapabilities = 0x2F;  // P2P, system memory, atomics of both, valid

void mark(const char* field, const yaml::Node& node, GpuDraft& gpu) {
  gpu.marks[leaf_of(*find_field(field))] = {&mock_source(), &node.place};
}

std::uint32_t link_version(std::uint32_t generation) {
  using namespace nvml::abi;
  constexpr std::uint32_t versions[] = {NVML_NVLINK_VERSION_INVALID, NVML_NVLINK_VERSION_1_0, NVML_NVLINK_VERSION_2_0,
                                        NVML_NVLINK_VERSION_3_0,     NVML_NVLINK_VERSION_4_0, NVML_NVLINK_VERSION_5_0,
                                        NVML_NVLINK_VERSION_6_0};
  return generation < std::size(versions) ? versions[generation] : 0;
}

std::string lower(std::string text) {
  for (char& letter : text)
    letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return text;
}

class LinkReader {
 public:
  LinkReader(std::vector<GpuDraft>& gpus, Problems& problems, Problems& notes, std::set<std::string>& unheeded)
      : gpus_(gpus), problems_(problems), notes_(notes), unheeded_(unheeded) {}

  void run(const yaml::Node& block) {
    const std::uint32_t count = number(block, "links_per_gpu", kMostLinks, 0);
    pattern_.active.set(1);
    pattern_.version.set(link_version(number(block, "version", 6, 0)));
    pattern_.speed_mbps.set(number(block, "bandwidth_per_link_mbps", 0xFFFF'FFFFu, 0));
    pattern_.capabilities.set(kCapabilities);
    for (Fact<std::uint64_t>* counter :
         {&pattern_.replay_errors, &pattern_.recovery_errors, &pattern_.crc_flit_errors, &pattern_.crc_data_errors,
          &pattern_.data_tx_kib, &pattern_.data_rx_kib, &pattern_.raw_tx_kib, &pattern_.raw_rx_kib})
      counter->set(0);
    if (const yaml::Node* defaults = block.find("defaults"); defaults != nullptr && defaults->is_mapping()) {
      for (const auto& [key, value] : defaults->entries) {
        if (key.scalar == "state") {
          pattern_.active.set(value.is_scalar() && lower(value.scalar) == "active" ? 1 : 0);
        } else if (key.scalar == "counter_seed") {
          const auto seed = mock_number(value, "nvlink.defaults.counter_seed", 0xFFFF'FFFFu, 0, problems_);
          for (Fact<std::uint64_t>* counter :
               {&pattern_.data_tx_kib, &pattern_.data_rx_kib, &pattern_.raw_tx_kib, &pattern_.raw_rx_kib})
            counter->set(seed);
        } else if (key.scalar != "error_rate") {
          notes_.push_back(key.error(fmt::format("'nvlink.defaults.{}' is not simulated", key.scalar)));
          unheeded_.insert("nvlink.defaults." + key.scalar);
        }
      }
    }
    read_switches(block);
    for (GpuDraft& gpu : gpus_)
      fill(gpu, count, block);
    read_exceptions(block);
    const yaml::Node* c2c = block.find("c2c_enabled");
    if (c2c != nullptr && mock_truth(*c2c, "nvlink.c2c_enabled", problems_)) {
      for (GpuDraft& gpu : gpus_) {
        gpu.state->modes.c2c.set(1);
        mark("modes.c2c", *c2c, gpu);
      }
    }
    constexpr const char* known[] = {"version",     "links_per_gpu", "bandwidth_per_link_mbps",
                                     "c2c_enabled", "links",         "switches",
                                     "defaults",    "device_links"};
    for (const auto& [key, value] : block.entries) {
      if (std::ranges::find(known, key.scalar) != std::end(known)) continue;
      notes_.push_back(
          key.error(fmt::format("{} is unknown to nvmlab and left out", in_quotes("nvlink." + key.scalar))));
      unheeded_.insert("nvlink." + key.scalar);
    }
  }

 private:
  std::uint32_t number(const yaml::Node& block, const char* key, std::uint64_t most, std::uint32_t fallback) {
    const yaml::Node* node = block.find(key);
    return node == nullptr ? fallback : mock_number(*node, fmt::format("nvlink.{}", key), most, fallback, problems_);
  }

  void read_switches(const yaml::Node& block) {
    const yaml::Node* list = block.find("switches");
    if (list == nullptr || list->is_null()) return;
    if (!list->is_sequence()) {
      problems_.push_back(list->error(fmt::format("{} was found; 'nvlink.switches' takes a list", list->describe())));
      return;
    }
    for (const yaml::Node& item : list->items) {
      const yaml::Node* bdf = item.is_mapping() ? item.find("bdf") : nullptr;
      MockAddress address;
      if (bdf != nullptr && mock_address(*bdf, "nvlink.switches[].bdf", address, problems_))
        switches_.push_back(address);
    }
  }

  static void connect(Link& link, const MockAddress& address) {
    link.remote_domain.set(address.domain);
    link.remote_bus.set(address.bus);
    link.remote_device.set(address.device);
  }

  void fill(GpuDraft& gpu, std::uint32_t count, const yaml::Node& block) {
    auto& links = gpu.state->nvlink.links;
    links.count = count;
    for (std::uint32_t i = 0; i < count; ++i) {
      links[i] = pattern_;
      if (switches_.empty()) continue;
      links[i].remote_type.set(2);
      connect(links[i], switches_[i % switches_.size()]);
    }
    mark("nvlink.links", block, gpu);
  }

  // What single links say: `links` is the first device's, `device_links` name theirs.
  void read_exceptions(const yaml::Node& block) {
    if (const yaml::Node* links = block.find("links"); links != nullptr && !gpus_.empty())
      read_links(*links, gpus_.front());
    const yaml::Node* devices = block.find("device_links");
    if (devices == nullptr || !devices->is_sequence()) return;
    for (const yaml::Node& item : devices->items) {
      const yaml::Node* index = item.is_mapping() ? item.find("index") : nullptr;
      const yaml::Node* links = item.is_mapping() ? item.find("links") : nullptr;
      if (index == nullptr || links == nullptr) continue;
      const std::uint32_t gpu = mock_number(*index, "nvlink.device_links[].index", 0xFFFF'FFFFu, 0, problems_);
      if (gpu < gpus_.size()) read_links(*links, gpus_[gpu]);
    }
  }

  void read_links(const yaml::Node& list, GpuDraft& gpu) {
    if (!list.is_sequence()) {
      problems_.push_back(list.error(fmt::format("{} was found; a list of links would be right", list.describe())));
      return;
    }
    auto& links = gpu.state->nvlink.links;
    for (const yaml::Node& item : list.items) {
      const yaml::Node* which = item.is_mapping() ? item.find("link") : nullptr;
      if (which == nullptr) continue;
      const std::uint32_t index = mock_number(*which, "link", kMostLinks - 1, 0, problems_);
      while (links.count <= index)
        links[links.count++] = pattern_;
      read_link(item, links[index]);
    }
    mark("nvlink.links", list, gpu);
  }

  void read_link(const yaml::Node& item, Link& link) {
    for (const auto& [key, value] : item.entries) {
      const std::string word = value.is_scalar() ? lower(value.scalar) : std::string();
      if (key.scalar == "state") {
        link.active.set(word == "active" ? 1 : 0);
      } else if (key.scalar == "remote_device_type") {
        link.remote_type.set(word.contains("switch") ? 2 : word == "gpu" ? 0 : 255);
      } else if (key.scalar == "remote_pci_bus_id") {
        MockAddress address;
        if (mock_address(value, "remote_pci_bus_id", address, problems_)) connect(link, address);
      } else if (key.scalar == "remote_index") {
        link.remote_link.set(mock_number(value, "remote_index", 0xFFFF'FFFFu, 0, problems_));
      }
    }
  }

  std::vector<GpuDraft>& gpus_;
  Problems& problems_;
  Problems& notes_;
  std::set<std::string>& unheeded_;
  Link pattern_{};
  std::vector<MockAddress> switches_;
};

using Mask = decltype(Topology::cpu_affinity);

constexpr std::uint64_t kMostCpus = std::uint64_t{Mask::capacity} * 64;

bool set_cpu(Mask& mask, std::uint32_t cpu) {
  if (cpu >= kMostCpus) return false;
  mask.count = std::max(mask.count, cpu / 64 + 1);
  mask[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
  return true;
}

// "0-31,64-95", or a list of numbers.
bool read_cpus(const yaml::Node& node, Mask& mask) {
  mask = {};
  std::string text = node.scalar;
  for (const yaml::Node& item : node.items)
    text += (text.empty() ? "" : ",") + item.scalar;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    std::string part = text.substr(start, end - start);
    std::erase(part, ' ');
    const std::size_t dash = part.find('-');
    auto first = parse_number(std::string_view(part).substr(0, dash));
    auto last = dash == std::string::npos ? first : parse_number(std::string_view(part).substr(dash + 1));
    if (!first || !last || first->negative || last->negative || last->magnitude >= kMostCpus) return false;
    for (auto cpu = first->magnitude; cpu <= last->magnitude; ++cpu) {
      if (!set_cpu(mask, static_cast<std::uint32_t>(cpu))) return false;
    }
    start = end + 1;
  }
  return true;
}

struct RootComplex {
  std::uint32_t id = 0;
  std::uint32_t numa_node = 0;
  Mask cpus{};
};

}  // namespace

void apply_mock_nvlink(const yaml::Node& block, std::vector<GpuDraft>& gpus, Problems& problems, Problems& notes,
                       std::set<std::string>& unheeded) {
  if (block.is_null()) return;
  if (!block.is_mapping()) {
    problems.push_back(block.error(fmt::format("{} was found; 'nvlink' takes a mapping", block.describe())));
    return;
  }
  LinkReader(gpus, problems, notes, unheeded).run(block);
}

// A GPU by its index or, as that mock's own configurations name them, by its PCI address; beyond the last where there
// is none.
static std::uint32_t topology_device(const yaml::Node& device, const std::vector<GpuDraft>& gpus, Problems& problems) {
  const char* key = "pcie_topology.root_complexes[].devices[]";
  if (device.scalar.find(':') == std::string::npos) return mock_number(device, key, 0xFFFF'FFFFu, 0, problems);
  MockAddress address;
  if (!mock_address(device, key, address, problems)) return 0xFFFF'FFFFu;
  const auto here = [&](const GpuDraft& gpu) {
    const Pci& pci = gpu.state->pci;
    return pci.bus.has_value() && pci.bus.value == address.bus && pci.domain.value_or(0) == address.domain &&
           pci.device.value_or(0) == address.device;
  };
  return static_cast<std::uint32_t>(std::ranges::find_if(gpus, here) - gpus.begin());
}

void apply_mock_topology(const yaml::Node& block, std::vector<GpuDraft>& gpus, Problems& problems, Problems& notes) {
  if (block.is_null()) return;
  const yaml::Node* list = block.is_mapping() ? block.find("root_complexes") : nullptr;
  if (!block.is_mapping() || (list != nullptr && !list->is_sequence())) {
    problems.push_back(block.error("'pcie_topology' takes a mapping with a list 'root_complexes'"));
    return;
  }
  const yaml::Node* cores = block.find("cores_per_numa");
  const std::uint32_t per_node =
      cores == nullptr ? 64 : mock_number(*cores, "pcie_topology.cores_per_numa", 1024, 64, problems);
  std::uint32_t position = 0;
  static const std::vector<yaml::Node> none;  // marks point at nodes, so the list must not be a copy
  for (const yaml::Node& item : list == nullptr ? none : list->items) {
    RootComplex root;
    root.id = position++;
    if (const yaml::Node* numa = item.find("numa_node")) {
      root.numa_node = mock_number(*numa, "pcie_topology.root_complexes[].numa_node", 1023, 0, problems);
    }
    for (std::uint32_t cpu = 0; cpu < per_node; ++cpu)
      set_cpu(root.cpus, root.numa_node * per_node + cpu);
    if (const yaml::Node* cpus = item.find("cpu_affinity"); cpus != nullptr && !read_cpus(*cpus, root.cpus)) {
      problems.push_back(cpus->error("'cpu_affinity' takes CPUs such as 0-31,64-95, below 1024"));
    }
    const yaml::Node* devices = item.find("devices");
    if (devices == nullptr || !devices->is_sequence()) {
      notes.push_back(item.error("this root complex has no list of 'devices'"));
      continue;
    }
    for (const yaml::Node& device : devices->items) {
      const std::uint32_t index = topology_device(device, gpus, problems);
      if (index >= gpus.size()) continue;
      Topology& topology = gpus[index].state->topology;
      topology.root_complex.set(root.id);
      topology.pcie_switch.set(index);
      topology.numa_node.set(root.numa_node);
      topology.cpu_affinity = root.cpus;
      topology.memory_affinity = {};
      topology.memory_affinity.count = root.numa_node / 64 + 1;
      topology.memory_affinity[root.numa_node / 64] = std::uint64_t{1} << (root.numa_node % 64);
      for (const char* name : {"topology.root_complex", "topology.pcie_switch", "topology.numa_node",
                               "topology.cpu_affinity", "topology.memory_affinity"}) {
        mark(name, device, gpus[index]);
      }
    }
  }
}

}  // namespace nvmlab::compiler
