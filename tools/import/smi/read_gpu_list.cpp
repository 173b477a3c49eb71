// SPDX-License-Identifier: Apache-2.0
//
// Lists with a line for each GPU: nvidia-smi -L (with MIG devices), nvlink --status and nvlink --capabilities.
// Tests: tests/unit/import/session_test.cpp.
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/texts.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/rules.hpp"
#include "nvmlab/abi/generated/enums.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::uint64_t kMostMigDevices = 64;

// Sentences that nvidia-smi nvlink prints in place of links.
constexpr std::string_view kNoLinks = "Device does not have or support Nvlink";

// By what nvlink --capabilities calls them.
struct Capability {
  std::string_view said;
  nvml::abi::nvmlNvLinkCapability_t bit;
};
constexpr Capability kCapabilities[] = {
    {"P2P is supported", nvml::abi::NVML_NVLINK_CAP_P2P_SUPPORTED},
    {"Access to system memory supported", nvml::abi::NVML_NVLINK_CAP_SYSMEM_ACCESS},
    {"P2P atomics supported", nvml::abi::NVML_NVLINK_CAP_P2P_ATOMICS},
    {"System memory atomics supported", nvml::abi::NVML_NVLINK_CAP_SYSMEM_ATOMICS},
    {"SLI is supported", nvml::abi::NVML_NVLINK_CAP_SLI_BRIDGE},
    {"Link is supported", nvml::abi::NVML_NVLINK_CAP_VALID},
};

class ListReader {
 public:
  explicit ListReader(SectionReader& reader) : reader_(reader) {}

  void run() {
    for (const auto& [text, number] : reader_.section().lines()) {
      const auto said = trimmed(text);
      if (text.starts_with("GPU ")) {
        gpu(text, number);
      } else if (said.starts_with("Link ")) {
        link(said, number);
      } else if (said.starts_with("MIG ")) {
        mig_device(said, number);
      } else if (said == kNoLinks && gpu_) {
        lists().no_links = reader_.origin(number);
      }
    }
  }

 private:
  PartialLists& lists() { return reader_.evidence().gpus[*gpu_].lists; }

  // GPU 0: NVIDIA L4 (UUID: GPU-...)
  void gpu(std::string_view text, std::size_t number) {
    gpu_.reset();
    const auto colon = text.find(": ");
    const auto open = text.rfind("(UUID: ");
    const auto close = text.find(')', open == std::string_view::npos ? 0 : open);
    const auto index = whole_number(trimmed(text.substr(4, colon - 4)));
    if (open == std::string_view::npos || close == std::string_view::npos || open < colon + 2 || !index)
      return reader_.wrong(number, "the line is damaged; 'GPU 0: NAME (UUID: GPU-...)' was expected");
    const auto uuid = trimmed(text.substr(open + 7, close - open - 7));
    gpu_ = reader_.gpu({index, is_unit_uuid(uuid) ? std::string(uuid) : std::string(), {}}, number);
    if (!gpu_) return;
    reader_.observe_text(*gpu_, "identity.name", trimmed(text.substr(colon + 2, open - colon - 2)), number);
    if (!uuid.empty()) reader_.observe_text(*gpu_, "identity.uuid", uuid, number);
  }

  // Link 0: 26.562 GB/s, Link 1: <inactive>, Link 2, P2P is supported: true
  void link(std::string_view said, std::size_t number) {
    const auto end = said.find_first_of(":,", 5);
    const auto index = end == std::string_view::npos ? std::nullopt : whole_number(trimmed(said.substr(5, end - 5)));
    if (!index || *index >= kMostLinks)
      return reader_.wrong(number, fmt::format("{} is damaged; 'Link 0: 25 GB/s' was expected", in_quotes(said)));
    if (!gpu_) return;
    const auto rest = trimmed(said.substr(end + 1));
    if (said[end] == ',') return capability(static_cast<std::uint32_t>(*index), rest);
    LinkStatus status{rest != "<inactive>", {}, reader_.origin(number)};
    if (status.active) {
      const auto mbps = read_number(rest, "GB/s", 1000);
      constexpr std::uint64_t kMostSpeed = 1'000'000;
      if (!rest.ends_with("GB/s") || !mbps || *mbps > kMostSpeed)
        return reader_.wrong(number, fmt::format("{} is no speed of a link; '25 GB/s' was expected", in_quotes(rest)));
      status.speed_mbps = static_cast<std::uint32_t>(*mbps);
    }
    lists().links.emplace(static_cast<std::uint32_t>(*index), status);
  }

  void capability(std::uint32_t index, std::string_view said) {
    for (const auto& [words, bit] : kCapabilities) {
      if (!said.starts_with(words)) continue;
      auto& bits = lists().capabilities[index];
      if (said.ends_with("true")) bits |= 1U << bit;
      return;
    }
  }

  // MIG 3g.40gb     Device  0: (UUID: MIG-...)
  void mig_device(std::string_view said, std::size_t number) {
    const auto words = words_of(said);
    const auto open = said.find("(UUID: ");
    const auto close = said.find(')', open == std::string_view::npos ? 0 : open);
    const bool whole = words.size() >= 5 && words[2] == "Device" && words[3].ends_with(':') &&
                       open != std::string_view::npos && close != std::string_view::npos;
    const auto index = whole ? whole_number(words[3].substr(0, words[3].size() - 1)) : std::nullopt;
    if (!index || *index >= kMostMigDevices)
      return reader_.wrong(number, "the line is damaged; 'MIG 1g.5gb Device 0: (UUID: MIG-...)' was expected");
    if (!gpu_) return;
    const auto name = words[1];
    const auto uuid = trimmed(said.substr(open + 7, close - open - 7));
    if (compiler::text_flaw(name) != nullptr || compiler::text_flaw(uuid) != nullptr)
      return reader_.wrong(number, "name or UUID of a MIG device is no text");
    auto& device = lists().mig_devices[static_cast<std::uint32_t>(*index)];
    if (device.members.empty()) device.origin = reader_.origin(number);
    device.members.emplace("name", name);
    device.members.emplace("uuid", uuid);
  }

  SectionReader& reader_;
  std::optional<std::size_t> gpu_;
};

// "GPU 0: NVIDIA L4 (UUID: GPU-...)"
bool lists_a_gpu(std::string_view line) {
  return line.starts_with("GPU ") && line.size() > 4 && is_digit(line[4]) &&
         line.find(": ") != std::string_view::npos && line.find("(UUID: ") != std::string_view::npos;
}
bool continues_gpu_list(std::string_view line) {
  const auto said = trimmed(line);
  return !said.empty() && !said.starts_with('#');
}
bool joins_gpu_list(std::string_view /*line*/) { return true; }

void read_gpu_list(SectionReader& reader) { ListReader(reader).run(); }

}  // namespace

constinit const ForeignFormat kGpuListFormat{.name = "nvidia-smi -L or nvlink",
                                             .recognises = lists_a_gpu,
                                             .read = read_section<read_gpu_list>,
                                             .continues = continues_gpu_list,
                                             .joins = joins_gpu_list};

}  // namespace nvmlab::importer
