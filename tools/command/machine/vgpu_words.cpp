// SPDX-License-Identifier: Apache-2.0
#include "command/machine/vgpu_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compiler/numbers.hpp"

namespace nvmlab::tool {
namespace {

template <std::size_t N>
std::optional<std::string> put_word(const std::optional<std::string>& word, const char* option, char (&to)[N]) {
  if (!word) return std::nullopt;
  if (word->empty() || word->size() >= N)
    return fmt::format("{} takes 1 to {} characters, not {}", option, N - 1, in_quotes(*word));
  std::ranges::copy(*word, to);
  return std::nullopt;
}

std::optional<std::string> put_numbers(const VgpuWords& words, CreateVgpu& change) {
  change.placement = kAnyPlacement;
  if (words.placement) {
    const auto placement = whole_number(*words.placement);
    if (!placement || *placement >= kNoPlacement)
      return fmt::format("--placement takes a number of GiB, not {}", in_quotes(*words.placement));
    change.placement = static_cast<std::uint32_t>(*placement);
  }
  if (words.memory) {
    const auto value = compiler::parse_quantity(*words.memory, "B");
    if (!value || value->negative)
      return fmt::format("--memory takes bytes, KiB, MiB or GiB, such as 1GiB, not {}", in_quotes(*words.memory));
    change.used_bytes = value->magnitude;
  }
  return std::nullopt;
}

std::expected<CreateVgpu, std::string> read_vgpu(const VgpuWords& words, const Machine& machine, std::uint32_t gpu) {
  const auto type = control::find_type(machine, gpu, words.type);
  if (!type) return std::unexpected(type.error());
  CreateVgpu change{};
  change.gpu = gpu;
  change.type = type->id;
  change.licensed = words.licensed ? 1 : 0;
  change.vm_id_type = words.vm && whole_number(*words.vm) ? 0 : 1;
  auto wrong = put_numbers(words, change);
  if (!wrong) wrong = put_word(words.vm, "--vm", change.vm_id);
  if (!wrong) wrong = put_word(words.uuid, "--uuid", change.uuid);
  if (!wrong) wrong = put_word(words.mdev_uuid, "--mdev", change.mdev_uuid);
  if (!wrong) wrong = put_word(words.guest_driver, "--guest-driver", change.guest_driver);
  if (!wrong && change.used_bytes > type->fb_bytes)
    wrong = fmt::format("a {} has {} MiB, not {}", type->name, type->fb_bytes >> 20, *words.memory);
  if (wrong) return std::unexpected(*wrong);
  return change;
}

}  // namespace

std::expected<std::vector<CreateVgpu>, std::string> read_vgpus(const VgpuWords& words, const Machine& machine,
                                                               const std::vector<std::uint32_t>& gpus) {
  std::vector<CreateVgpu> vgpus;
  for (const std::uint32_t gpu : gpus) {
    const auto vgpu = read_vgpu(words, machine, gpu);
    if (!vgpu) return std::unexpected(vgpu.error());
    vgpus.push_back(*vgpu);
  }
  return vgpus;
}

}  // namespace nvmlab::tool
