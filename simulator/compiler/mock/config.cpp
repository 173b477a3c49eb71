// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "base/nearest.hpp"
#include "compiler/checks.hpp"
#include "compiler/derive.hpp"
#include "compiler/documents.hpp"
#include "compiler/mock/device.hpp"
#include "compiler/mock/node.hpp"
#include "compiler/mock/scalars.hpp"
#include "engine/store/driver_version.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::uint32_t kUsualDevices = 8;          // of a configuration that does not say how many
constexpr const char* kUsualDriver = "550.163.01";  // of one that names none
constexpr const char* kTopKeys[] = {"version", "system", "device_defaults", "devices", "nvlink", "pcie_topology"};
constexpr const char* kHelmKeys[] = {"infiniband", "dynamic_metrics_defaults"};

class MockReader {
 public:
  MockReader(const CompileOptions& options, MockPlaces* places, const MockOverrides* overrides = nullptr)
      : options_(options), places_(places), overrides_(overrides) {}

  std::expected<MockMachine, Problems> run(std::expected<yaml::Node, LocatedError> root, std::string_view path) {
    if (!root) return std::unexpected(Problems{root.error()});
    root_ = std::move(*root);
    if (!root_.is_mapping()) {
      problem(root_, fmt::format("{} was found; such a configuration is a mapping", root_.describe()));
      return std::unexpected(problems_);
    }
    for (const auto& [key, value] : root_.entries) {
      if (std::ranges::find(kTopKeys, key.scalar) != std::end(kTopKeys)) continue;
      const bool helm = std::ranges::find(kHelmKeys, key.scalar) != std::end(kHelmKeys);
      note(key, helm ? fmt::format("'{}' has no meaning for nvmlab", key.scalar)
                     : fmt::format("{} is unknown to nvmlab and left out", in_quotes(key.scalar)));
      if (!helm) unheeded_.insert(key.scalar);
    }
    read_system();
    read_devices();
    if (const yaml::Node* block = root_.find("nvlink")) read_nvlink(*block);
    if (const yaml::Node* block = root_.find("pcie_topology")) apply_mock_topology(*block, gpus_, problems_, notes_);
    if (!problems_.empty()) return std::unexpected(in_file_order(std::move(problems_)));
    return finish(path);
  }

 private:
  void problem(const yaml::Node& node, std::string message) { problems_.push_back(node.error(std::move(message))); }
  void note(const yaml::Node& node, std::string message) { notes_.push_back(node.error(std::move(message))); }

  const yaml::Node* part(const yaml::Node& owner, const char* key) {
    const yaml::Node* node = owner.find(key);
    return node == nullptr || node->is_null() ? nullptr : node;
  }

  void read_system() {
    System& system = node_.state->system;
    const yaml::Node* block = part(root_, "system");
    if (block != nullptr && !block->is_mapping())
      return problem(*block, fmt::format("{} was found; 'system' takes a mapping", block->describe()));
    std::string driver = kUsualDriver;
    if (const yaml::Node* node = block == nullptr ? nullptr : part(*block, "driver_version")) driver = node->scalar;
    DriverVersion version{};
    if (!find_driver_version(driver.c_str(), &version)) {
      return problem(*part(*block, "driver_version"),
                     fmt::format("{} is no driver version; one such as 550.163.01 would be right", in_quotes(driver)));
    }
    set_driver_version(version, node_.state.get(), nullptr, 0);
    for (const char* name : {"system.driver_version", "system.cuda_version"}) {
      node_.marks[leaf_of(*find_field(name))] = {&mock_source(), &(block == nullptr ? root_ : *block).place};
    }
    if (block == nullptr) return;
    std::uint32_t major = system.cuda_version.value / 1000;
    std::uint32_t minor = system.cuda_version.value % 1000 / 10;
    for (const auto& [key, value] : block->entries) {
      if (key.scalar == "driver_version" || key.scalar == "nvml_version" || key.scalar == "num_devices") continue;
      if (key.scalar == "cuda_version") {
        read_cuda(value, major, minor);
      } else if (key.scalar == "cuda_version_major") {
        major = mock_number(value, "system.cuda_version_major", 99, major, problems_);
      } else if (key.scalar == "cuda_version_minor") {
        minor = mock_number(value, "system.cuda_version_minor", 99, minor, problems_);
      } else {
        note(key, fmt::format("{} is unknown to nvmlab and left out", in_quotes("system." + key.scalar)));
        unheeded_.insert("system." + key.scalar);
      }
    }
    system.cuda_version.set(major * 1000 + minor * 10);
  }

  void read_cuda(const yaml::Node& value, std::uint32_t& major, std::uint32_t& minor) {
    const std::size_t dot = value.scalar.find('.');
    yaml::Node part = value;
    part.scalar = value.scalar.substr(0, dot);
    major = mock_number(part, "system.cuda_version", 99, major, problems_);
    if (dot == std::string::npos) return;
    part.scalar = value.scalar.substr(dot + 1);
    minor = mock_number(part, "system.cuda_version", 99, minor, problems_);
  }

  void read_devices() {
    const yaml::Node* list = part(root_, "devices");
    if (list != nullptr && !list->is_sequence())
      return problem(*list, fmt::format("{} was found; 'devices' takes a list", list->describe()));
    std::map<std::uint32_t, const yaml::Node*> own;  // by index
    std::uint32_t position = 0;
    for (const yaml::Node& item : list == nullptr ? none_.items : list->items) {
      if (!item.is_mapping()) {
        problem(item, fmt::format("{} was found; an item of 'devices' is a mapping", item.describe()));
        continue;
      }
      const yaml::Node* index = part(item, "index");
      const std::uint32_t at =
          index == nullptr ? position : mock_number(*index, "index", kMaxGpus - 1, position, problems_);
      if (!own.emplace(at, &item).second)
        problem(index == nullptr ? item : *index, fmt::format("device {} stands here a second time", at));
      ++position;
    }
    std::uint32_t count = own.empty() ? kUsualDevices : own.rbegin()->first + 1;
    const yaml::Node* system = part(root_, "system");
    const yaml::Node* stated = system != nullptr && system->is_mapping() ? part(*system, "num_devices") : nullptr;
    if (stated != nullptr) count = mock_number(*stated, "system.num_devices", kMaxGpus, count, problems_);
    if (!problems_.empty()) return;

    for (std::uint32_t i = 0; i < count; ++i) {
      const auto item = own.find(i);
      describe_device(i, item == own.end() ? nullptr : item->second);
    }
  }

  void read_nvlink(const yaml::Node& block) {
    apply_mock_nvlink(block, gpus_, problems_, notes_, unheeded_);
    const yaml::Node* defaults = block.is_mapping() ? part(block, "defaults") : nullptr;
    const yaml::Node* rate = defaults != nullptr && defaults->is_mapping() ? part(*defaults, "error_rate") : nullptr;
    for (MockBehaviour& behaviour : behaviours_) {
      if (rate != nullptr) add_mock_link_errors(*rate, behaviour.curves, problems_);
    }
  }

  // All that is said of a device, one over the other.
  void describe_device(std::uint32_t index, const yaml::Node* own) {
    GpuDraft& gpu = gpus_.emplace_back();
    MockDevice device(gpu, problems_, notes_, unheeded_);
    if (const yaml::Node* defaults = part(root_, "device_defaults")) device.apply(*defaults);
    const GpuDraft shared = gpu.copy();
    if (own != nullptr) device.apply(*own);
    mark_identity_derived(shared.marks, index, 0, gpu.marks);
    if (overrides_ != nullptr) {
      if (overrides_->all != nullptr) device.override_with(*overrides_->all, override_notes_);
      if (auto block = overrides_->devices.find(index); block != overrides_->devices.end())
        device.override_with(*block->second, override_notes_);
    }
    device.finish();
    behaviours_.push_back(device.behaviour());
  }

  // What our own profiles may not say, that mock says sometimes; numbers are bent as little as possible.
  void bend(GpuDraft& gpu) {
    Memory& memory = gpu.state->memory;
    const std::uint64_t total = memory.total_bytes.value_or(0);
    const std::uint64_t used = std::min(memory.used_bytes.value_or(0), total);
    if (memory.used_bytes.has_value()) memory.used_bytes.set(used);
    if (memory.reserved_bytes.has_value())
      memory.reserved_bytes.set(std::min(memory.reserved_bytes.value, total - used));
  }

  std::expected<MockMachine, Problems> finish(std::string_view path) {
    std::string name = std::filesystem::path(path).stem().string();
    if (!valid_profile_name(name)) name = "mock-config";
    derive(name, gpus_);
    const std::vector<const yaml::Place*> places(gpus_.size(), &root_.place);
    std::ranges::move(located(check(node_, gpus_, places)), std::back_inserter(notes_));
    for (GpuDraft& gpu : gpus_)
      bend(gpu);
    Zeroed<Gpu> made;
    const auto gpu = [&](std::uint32_t index) -> Gpu& {
      copy_differences(*gpus_[index].state, *made);
      return *made;
    };
    auto machine = assemble({name, std::move(node_.state), static_cast<std::uint32_t>(gpus_.size()), gpu}, options_);
    if (!machine) return std::unexpected(Problems{Problem{.message = machine.error()}});
    std::vector<Change> changes;
    for (std::uint32_t i = 0; i < behaviours_.size(); ++i) {
      for (const Change& change : changes_of(behaviours_[i], i))
        changes.push_back(change);
    }
    MockMachine out{std::move(*machine), in_file_order(std::move(notes_)), {unheeded_.begin(), unheeded_.end()},
                    std::move(changes),  std::move(behaviours_),           in_file_order(std::move(override_notes_))};
    out.machine.provenance.set_node(node_.marks);
    if (places_ != nullptr) places_->node = places_of(node_.marks);
    for (const GpuDraft& each : gpus_) {
      out.machine.provenance.add_gpu(each.marks);
      if (places_ != nullptr) places_->gpus.push_back(places_of(each.marks));
    }
    return out;
  }

  static std::vector<yaml::Place> places_of(const Marks& marks) {
    std::vector<yaml::Place> places(marks.size());
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i].place != nullptr) places[i] = *marks[i].place;
    }
    return places;
  }

  const CompileOptions& options_;
  MockPlaces* places_;
  const MockOverrides* overrides_;
  Problems problems_;
  Problems notes_;
  std::set<std::string> unheeded_;
  std::vector<MockBehaviour> behaviours_;
  Problems override_notes_;
  yaml::Node root_;
  yaml::Node none_;
  NodeDraft node_;
  std::vector<GpuDraft> gpus_;
};

}  // namespace

std::string describe_unheeded(const MockMachine& machine) {
  if (machine.unheeded.empty()) return {};
  return fmt::format("not simulated: {} (docs/guide/from-mock-nvml.md; NVMLAB_LOG=info names the lines)",
                     fmt::join(machine.unheeded, ", "));
}

bool looks_like_mock_config(std::string_view text) {
  const auto has = [&](std::string_view key) {
    for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
      const auto end = at + key.size();
      if ((at == 0 || text[at - 1] == '\n') && end < text.size() && text[end] == ':') return true;
    }
    return false;
  };
  const bool devices = has("device_defaults") || has("devices");
  return devices && std::ranges::count_if(kTopKeys, has) >= 2;
}

std::expected<MockMachine, Problems> compile_mock_text(std::string_view text, const std::string& name,
                                                       MockPlaces* places) {
  const CompileOptions options;
  return MockReader(options, places).run(yaml::parse(text, name), name);
}

std::expected<MockMachine, Problems> compile_mock_config(std::string_view path, const CompileOptions& options,
                                                         const MockOverrides* overrides) {
  return MockReader(options, nullptr, overrides).run(yaml::parse_file(std::filesystem::path(path)), path);
}

}  // namespace nvmlab::compiler
