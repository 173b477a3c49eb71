// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdio>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/texts.hpp"
#include "import/formats/section_reader.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::size_t kMostGpus = 4096;  // as many as a machine can have

std::string upper_case(std::string text) {
  for (char& letter : text)
    letter = letter >= 'a' && letter <= 'f' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return text;
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

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
void state_address(Evidence& evidence, Subject& subject, std::size_t source, const yaml::Place& place) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  int read = 0;
  const int found = std::sscanf(subject.place.c_str(), "%8x:%2x:%2x.%*1x%n", &domain, &bus, &device, &read);
  if (found != 3 || static_cast<std::size_t>(read) != subject.place.size()) return;
  evidence.state(subject, "pci.domain", std::to_string(domain), source, place);
  evidence.state(subject, "pci.bus", std::to_string(bus), source, place);
  evidence.state(subject, "pci.device", std::to_string(device), source, place);
}

PieceReader::PieceReader(Evidence& evidence, const Piece& piece, const std::string& file)
    : evidence_(evidence), piece_(piece), file_(std::make_shared<const std::string>(file)) {}

std::size_t PieceReader::source() {
  if (source_) return *source_;
  const auto name = file_->substr(file_->find_last_of('/') + 1);
  std::string note(command_of(piece_.kind));
  if (const auto state = state_of(piece_.section); !state.empty()) note += fmt::format(", {}", state);
  source_ = evidence_.source("capture", fmt::format("{{kind: capture, file: {}}}", compiler::yaml_scalar(name)), note);
  return *source_;
}

bool PieceReader::worth(std::size_t effort, std::size_t line) {
  constexpr std::size_t most = 20'000'000;
  const bool before = evidence_.effort < most;
  evidence_.effort += effort;
  if (evidence_.effort < most) return true;
  if (before) wrong(line, "the inputs tell more than a machine of 4096 GPUs would");
  return false;
}

void PieceReader::state(std::size_t gpu, std::string_view field, const std::string& yaml, std::size_t line) {
  constexpr std::size_t of_a_value = 20;  // as many looks at a GPU
  if (!worth(of_a_value, line)) return;
  evidence_.state(evidence_.gpus[gpu], field, yaml, source(), place(line));
}

void PieceReader::state_node(std::string_view field, const std::string& yaml, std::size_t line) {
  evidence_.state(evidence_.node, field, yaml, source(), place(line));
}

void PieceReader::text(std::size_t gpu, std::string_view field, std::string_view value, std::size_t line) {
  if (const char* flaw = compiler::text_flaw(value); flaw != nullptr)
    return wrong(line, fmt::format("{} has {}", field, flaw));
  evidence_.state(evidence_.gpus[gpu], field, scalar(std::string(value), true, place(line)), source());
}

void PieceReader::wrong(std::size_t line, std::string message) {
  evidence_.problems.push_back({place(line), std::move(message)});
}

void PieceReader::note(std::size_t line, const std::string& message) {
  evidence_.notes.push_back(fmt::format("{}:{}: {}", *file_, line, message));
}

std::optional<std::size_t> PieceReader::gpu(const Name& name, std::size_t line) {
  auto& gpus = evidence_.gpus;
  if (!worth(gpus.size() + 1, line)) return std::nullopt;
  const std::string address = upper_case(name.address);
  const auto number_of = [&](auto found) -> std::optional<std::size_t> {
    if (found == gpus.end()) return std::nullopt;
    return static_cast<std::size_t>(found - gpus.begin());
  };
  if (!name.uuid.empty()) {
    const std::string quoted = fmt::format("\"{}\"", name.uuid);
    const auto same = [&](const Subject& gpu) {
      const Fact* uuid = gpu.find("identity.uuid");
      return uuid != nullptr && (uuid->yaml == quoted || uuid->yaml == name.uuid);
    };
    if (const auto found = number_of(std::ranges::find_if(gpus, same))) return found;
  }
  if (!address.empty()) {
    if (const auto found = number_of(std::ranges::find(gpus, address, &Subject::place))) return found;
  }
  const bool placed = std::ranges::any_of(gpus, [](const Subject& gpu) { return !gpu.place.empty(); });
  if (name.index && (address.empty() || !placed)) {
    if (const auto found = number_of(std::ranges::find(gpus, *name.index, &Subject::index))) {
      if (!address.empty() && gpus[*found].place.empty()) {
        gpus[*found].place = address;
        state_address(evidence_, gpus[*found], source(), place(line));
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
  gpus.push_back({fmt::format("GPU {}", index), address, {}, index});
  state_address(evidence_, gpus.back(), source(), place(line));
  return gpus.size() - 1;
}

}  // namespace nvmlab::importer
