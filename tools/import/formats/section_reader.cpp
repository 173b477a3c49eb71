// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/texts.hpp"
#include "import/formats/section_reader.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::size_t kMostGpus = 4096;  // as many as a machine can have

}  // namespace

std::string pci_address(std::string_view text) {
  const std::string copy(text);
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  int read = 0;
  const auto whole = [&](int found) { return found == 3 && static_cast<std::size_t>(read) == copy.size(); };
  if (!whole(std::sscanf(copy.c_str(), "%8x:%2x:%2x.%*1x%n", &domain, &bus, &device, &read)) &&
      !whole(std::sscanf(copy.c_str(), "%8x:%2x:%2x%n", &domain, &bus, &device, &read)))
    return {};
  return fmt::format("{:08X}:{:02X}:{:02X}.0", domain, bus, device);
}

// "00000000:07:00.0", by which a log knows its GPUs, also where nvidia-smi could not ask for more about PCI.
void observe_address(Evidence& evidence, Subject& subject, const Origin& origin) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  int read = 0;
  const int found = std::sscanf(subject.address.c_str(), "%8x:%2x:%2x.%*1x%n", &domain, &bus, &device, &read);
  if (found != 3 || static_cast<std::size_t>(read) != subject.address.size()) return;
  evidence.observe(subject, "pci.domain", domain, origin);
  evidence.observe(subject, "pci.bus", bus, origin);
  evidence.observe(subject, "pci.device", device, origin);
}

std::size_t SectionReader::source() {
  if (source_) return *source_;
  std::string note(section_.format->name);
  if (const auto state = state_of(section_.heading); !state.empty()) note += fmt::format(", {}", state);
  source_ = evidence_.add_source(
      {.id = "capture", .kind = "capture", .file = std::string(last_part(file())), .note = std::move(note)});
  return *source_;
}

bool SectionReader::worth(std::size_t effort, std::size_t line) {
  constexpr std::size_t most = 20'000'000;
  const bool before = evidence_.effort < most;
  evidence_.effort += effort;
  if (evidence_.effort < most) return true;
  if (before) wrong(line, "the inputs tell more than a machine of 4096 GPUs would");
  return false;
}

void SectionReader::observe(std::size_t gpu, std::string_view field, const compiler::Literal& value, std::size_t line) {
  constexpr std::size_t of_a_value = 20;  // as many looks at a GPU
  if (!worth(of_a_value, line)) return;
  evidence_.observe(evidence_.gpus[gpu], field, value, origin(line));
}

void SectionReader::observe_node(std::string_view field, const compiler::Literal& value, std::size_t line) {
  evidence_.observe(evidence_.node, field, value, origin(line));
}

void SectionReader::observe_text(std::size_t gpu, std::string_view field, std::string_view value, std::size_t line) {
  if (const char* flaw = compiler::text_flaw(value); flaw != nullptr)
    return wrong(line, fmt::format("{} has {}", field, flaw));
  evidence_.observe(evidence_.gpus[gpu], field, value, origin(line));
}

void SectionReader::wrong(std::size_t line, std::string message) {
  evidence_.problems.push_back(place(line).error(std::move(message)));
}

void SectionReader::note(std::size_t line, const std::string& message) {
  evidence_.notes.push_back(fmt::format("{}:{}: {}", file(), line, message));
}

std::optional<std::size_t> SectionReader::gpu(const GpuName& name, std::size_t line) {
  auto& gpus = evidence_.gpus;
  if (!worth(gpus.size() + 1, line)) return std::nullopt;
  const std::string address = upper_hex(name.address);
  const auto number_of = [&](auto found) -> std::optional<std::size_t> {
    if (found == gpus.end()) return std::nullopt;
    return static_cast<std::size_t>(found - gpus.begin());
  };
  if (!name.uuid.empty()) {
    const auto same = [&](const Subject& gpu) {
      const FieldValue* uuid = gpu.value("identity.uuid");
      return uuid != nullptr && uuid->text() == name.uuid;
    };
    if (const auto found = number_of(std::ranges::find_if(gpus, same))) return found;
  }
  if (!address.empty()) {
    if (const auto found = number_of(std::ranges::find(gpus, address, &Subject::address))) return found;
  }
  const bool placed = std::ranges::any_of(gpus, [](const Subject& gpu) { return !gpu.address.empty(); });
  if (name.index && (address.empty() || !placed)) {
    if (const auto found = number_of(std::ranges::find(gpus, *name.index, &Subject::index))) {
      if (!address.empty() && gpus[*found].address.empty()) {
        gpus[*found].address = address;
        observe_address(evidence_, gpus[*found], origin(line));
      }
      return found;
    }
  }
  const std::size_t index = name.index.value_or(gpus.size());
  if (index >= kMostGpus) {
    wrong(line, fmt::format("GPU {} was found; a machine has at most {} GPUs", index, kMostGpus));
    return std::nullopt;
  }
  const std::string called = !address.empty() ? in_quotes(address) : std::to_string(index);
  if (!evidence_.open) {
    note(line, fmt::format("GPU {} is not among those of the first capture and is left out", called));
    return std::nullopt;
  }
  gpus.push_back({.who = fmt::format("GPU {}", index), .address = address, .index = index});
  observe_address(evidence_, gpus.back(), origin(line));
  return gpus.size() - 1;
}

}  // namespace nvmlab::importer
