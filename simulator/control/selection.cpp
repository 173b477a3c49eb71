// SPDX-License-Identifier: Apache-2.0
#include "control/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <ranges>

#include "base/nearest.hpp"
#include "control/machine.hpp"
#include "control/view.hpp"

namespace nvmlab::control {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string which(std::size_t count) {
  if (count == 0) return "this machine has no GPU";
  if (count == 1) return "this machine has one GPU, 0";
  return fmt::format("this machine has GPUs 0 to {}", count - 1);
}

std::expected<std::size_t, std::string> find_uuid(std::string_view text, std::span<const SelectableGpu> gpus) {
  const auto exact = std::ranges::find(gpus, text, &SelectableGpu::uuid);
  if (exact != gpus.end()) return static_cast<std::size_t>(exact - gpus.begin());
  const auto begins = [text](const SelectableGpu& gpu) { return gpu.uuid.starts_with(text); };
  const auto first = std::ranges::find_if(gpus, begins);
  if (first == gpus.end())
    return std::unexpected(fmt::format("no GPU of this machine has the UUID {}", in_quotes(text)));
  if (const auto count = std::ranges::count_if(gpus, begins); count > 1)
    return std::unexpected(fmt::format("{} GPUs have a UUID that begins with {}; give more of it", count, text));
  return static_cast<std::size_t>(first - gpus.begin());
}

std::expected<std::size_t, std::string> find_address(std::string_view text, std::span<const SelectableGpu> gpus) {
  PciAddress wanted{};
  if (!parse_pci_address(std::string(text).c_str(), &wanted))
    return std::unexpected(
        fmt::format("--gpu {}: an address on the PCI bus such as 0000:07:00.0 or 07:00 was expected", in_quotes(text)));
  const auto found = std::ranges::find(gpus, wanted, &SelectableGpu::address);
  if (found == gpus.end())
    return std::unexpected(fmt::format("no GPU of this machine has the PCI address {}", in_quotes(text)));
  return static_cast<std::size_t>(found - gpus.begin());
}

std::expected<void, std::string> add_part(std::string_view part, std::span<const SelectableGpu> gpus,
                                          std::vector<bool>& chosen) {
  if (part == "all") {
    chosen.assign(chosen.size(), true);
    return {};
  }
  const bool uuid = part.starts_with("GPU-");
  if (uuid || part.contains(':')) {
    const auto found = uuid ? find_uuid(part, gpus) : find_address(part, gpus);
    if (!found) return std::unexpected(found.error());
    chosen[*found] = true;
    return {};
  }
  const std::size_t dash = part.find('-');
  const auto first = number(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
  if (!first || !last || *last < *first) {
    return std::unexpected(fmt::format(
        "--gpu {}: an index, a range such as 0-3, a UUID, a PCI address or 'all' was expected", in_quotes(part)));
  }
  if (*last >= gpus.size()) return std::unexpected(fmt::format("no GPU {}; {}", *last, which(gpus.size())));
  for (std::uint32_t i = *first; i <= *last; ++i)
    chosen[i] = true;
  return {};
}

}  // namespace

std::expected<std::vector<std::uint32_t>, std::string> select_gpus(std::string_view text,
                                                                   std::span<const SelectableGpu> gpus) {
  std::vector<bool> chosen(gpus.size());
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (const auto added = add_part(text.substr(at, end - at), gpus, chosen); !added)
      return std::unexpected(added.error());
    at = end + 1;
  }
  std::vector<std::uint32_t> indices;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) indices.push_back(static_cast<std::uint32_t>(i));
  }
  return indices;
}

std::expected<std::vector<std::uint32_t>, std::string> select_gpus(const Machine& machine, std::string_view text) {
  return select_gpus(text, selectable_gpus(machine));
}

std::vector<SelectableGpu> selectable_gpus(const Machine& machine) {
  std::vector<SelectableGpu> gpus;
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i) {
    const GpuSlot& slot = machine.store().gpus()[i];
    gpus.push_back({uuid_of(read_field(slot, &Gpu::identity, &Identity::uuid)),
                    address_of(consistent(slot, [](const Gpu& gpu) { return load(gpu.pci); }))});
  }
  return gpus;
}

std::vector<std::uint32_t> all_gpus(std::uint32_t count) {
  const auto indices = std::views::iota(0U, count);
  return {indices.begin(), indices.end()};
}

std::string name_gpus(std::span<const std::uint32_t> gpus) {
  std::string out;
  for (std::size_t i = 0; i < gpus.size();) {
    std::size_t end = i + 1;
    while (end < gpus.size() && gpus[end] == gpus[end - 1] + 1)
      ++end;
    out += out.empty() ? "" : ",";
    out += std::to_string(gpus[i]);
    if (end - i > 1) out += fmt::format("-{}", gpus[end - 1]);
    i = end;
  }
  return out;
}

}  // namespace nvmlab::control
