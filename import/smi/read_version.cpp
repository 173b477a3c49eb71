// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi --version, and the table that nvidia-smi prints without arguments. The table rounds what it shows, so its
// readings count only where nothing better tells. Tests: tests/unit/import/session_test.cpp.
#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

// The word behind a label.
std::string_view word_after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return {};
  const auto words = words_of(line.substr(at + label.size()));
  return words.empty() ? std::string_view() : words.front();
}

void observe_driver(SectionReader& reader, std::string_view driver, std::size_t line) {
  if (!capture::is_version(capture::without_remark(driver))) return;  // "Deprecated, see KMD version"
  reader.observe_node("system.driver_version", capture::without_remark(driver), line);
}

void observe_cuda(SectionReader& reader, std::string_view version, std::size_t line) {
  const Rule rule{{}, {}, {}, PrintedForm::version, {}, 1};
  const auto read = read_printed(rule, version, {});
  if (read.kind == Reading::Kind::value) reader.observe_node("system.cuda_version", read.literal, line);
}

std::vector<std::string_view> table_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (line.remove_prefix(1); !line.empty();) {
    const auto end = std::min(line.find('|'), line.size());
    cells.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

// A reading of one GPU that no other input has.
void observe_rounded(SectionReader& reader, std::size_t gpu, const Rule& rule, std::string_view printed,
                     std::size_t line) {
  if (reader.evidence().gpus[gpu].find(rule.field) != nullptr) return;
  const auto read = read_printed(rule, printed, {});
  if (read.kind == Reading::Kind::value) reader.observe(gpu, rule.field, read.literal, line);
}

// |   0  NVIDIA L4                      On  |   00000000:01:00.0 Off |                    0 |
std::optional<std::size_t> first_row(SectionReader& reader, const std::vector<std::string_view>& cells,
                                     std::size_t line) {
  const auto name = words_of(cells[0]);
  const auto where = words_of(cells[1]);
  if (name.size() < 3 || where.empty()) return std::nullopt;
  const auto index = whole_number(name.front());
  const auto address = pci_address(where.front());
  if (!index || address.empty()) return std::nullopt;
  const auto gpu = reader.gpu({index, {}, address}, line);
  if (!gpu) return std::nullopt;
  const auto begin = static_cast<std::size_t>(name[1].data() - cells[0].data());
  const auto end = static_cast<std::size_t>(name.back().data() - cells[0].data());
  const auto product = trimmed(cells[0].substr(begin, end - begin));
  const bool known = reader.evidence().gpus[*gpu].find("identity.name") != nullptr;
  if (!known && !product.ends_with("...")) reader.observe_text(*gpu, "identity.name", product, line);
  return gpu;
}

// | N/A   33C    P8             16W /   72W |       1MiB /  23034MiB |      0%      Default |
void second_row(SectionReader& reader, std::size_t gpu, const std::vector<std::string_view>& cells, std::size_t line) {
  const auto state = words_of(cells[0]);
  const auto memory = words_of(cells[1]);
  const Rule heat{{}, {}, "thermal.gpu_c", PrintedForm::number, "C", 1};
  const Rule performance{{}, {}, "clocks.performance_state", PrintedForm::number, "P", 1};
  const Rule draw{{}, {}, "power.draw_mw", PrintedForm::number, "W", 1000};
  const Rule limit{{}, {}, "power.enforced_limit_mw", PrintedForm::number, "W", 1000};
  const Rule used{{}, {}, "memory.used_bytes", PrintedForm::number, "MiB", 1 << 20};
  const Rule total{{}, {}, "memory.total_bytes", PrintedForm::number, "MiB", 1 << 20};
  if (state.size() >= 6) {
    observe_rounded(reader, gpu, heat, state[1], line);
    observe_rounded(reader, gpu, performance, state[2], line);
    observe_rounded(reader, gpu, draw, state[3], line);
    observe_rounded(reader, gpu, limit, state[5], line);
  }
  if (memory.size() >= 3) {
    observe_rounded(reader, gpu, used, memory[0], line);
    observe_rounded(reader, gpu, total, memory[2], line);
  }
}

// Of the MIG devices: GPU, GI, CI and device, memory; SM and errors; CE ENC DEC OFA JPG.
void mig_row(SectionReader& reader, const std::vector<std::string_view>& cells, std::size_t line) {
  const auto ids = words_of(cells[0]);
  const auto memory = words_of(cells[1]);
  const auto processors = words_of(cells[2]);
  const auto engines = words_of(cells[3]);
  if (ids.size() != 4 || memory.size() < 3 || processors.empty() || engines.size() != 5) return;
  std::vector<std::uint64_t> numbers;
  for (const auto& words : {ids, std::vector{processors.front()}, engines}) {
    for (const auto word : words) {
      const auto number = whole_number(word);
      if (!number) return;
      numbers.push_back(*number);
    }
  }
  constexpr std::uint64_t kMostDevices = 64;
  if (numbers[3] >= kMostDevices) return;
  const auto gpu = reader.gpu({numbers[0], {}, {}}, line);
  if (!gpu) return;
  MigDevice device{{}, reader.origin(line)};
  const auto put = [&](const char* member, std::uint64_t number) { device.members[member] = number; };
  put("gpu_instance", numbers[1]);
  put("compute_instance", numbers[2]);
  put("multiprocessors", numbers[4]);
  put("copy_engines", numbers[5]);
  put("encoders", numbers[6]);
  put("decoders", numbers[7]);
  put("ofas", numbers[8]);
  put("jpegs", numbers[9]);
  for (const auto& [member, word] :
       {std::pair{"memory_used_bytes", memory[0]}, std::pair{"memory_total_bytes", memory[2]}}) {
    if (const auto bytes = read_number(word, "MiB", 1 << 20)) device.members[member] = *bytes;
  }
  auto& known = reader.evidence().gpus[*gpu].lists.mig_devices[static_cast<std::uint32_t>(numbers[3])];
  if (known.members.empty()) known.origin = device.origin;
  known.members.merge(device.members);
}

void read_version(SectionReader& reader) {
  for (const auto& [text, line] : reader.section().lines()) {
    const auto colon = text.find(':');
    const auto label = trimmed(text.substr(0, colon));
    const auto value = trimmed(text.substr(std::min(colon, text.size() - 1) + 1));
    if (label == "DRIVER version" || label == "KMD version") observe_driver(reader, value, line);
    if (label == "CUDA Version" || label == "CUDA UMD version") observe_cuda(reader, value, line);
  }
}

void read_table(SectionReader& reader) {
  std::optional<std::size_t> gpu;
  for (const auto& [text, line] : reader.section().lines()) {
    if (text.starts_with("| NVIDIA-SMI ")) {
      for (const auto label : {"Driver Version:", "KMD Version:"})
        observe_driver(reader, word_after(text, label), line);
      for (const auto label : {"CUDA Version:", "CUDA UMD Version:"})
        observe_cuda(reader, word_after(text, label), line);
      continue;
    }
    if (!text.starts_with('|')) continue;
    const auto cells = table_cells(text);
    if (gpu) {
      if (cells.size() >= 3) second_row(reader, *gpu, cells, line);
      gpu.reset();
    } else if (cells.size() == 3) {
      gpu = first_row(reader, cells, line);
    } else if (cells.size() == 4) {
      mig_row(reader, cells, line);
    }
  }
}

bool starts_version(std::string_view line) { return line.starts_with("NVIDIA-SMI version"); }
bool continues_version(std::string_view line) {
  return !trimmed(line).empty() && line.find(':') != std::string_view::npos;
}
bool starts_table(std::string_view line) { return line.starts_with("| NVIDIA-SMI "); }
bool continues_table(std::string_view line) {
  return trimmed(line).empty() || line.starts_with('|') || line.starts_with('+');
}

}  // namespace

constinit const ForeignFormat kVersionFormat{.name = "nvidia-smi --version",
                                             .recognises = starts_version,
                                             .read = read_section<read_version>,
                                             .continues = continues_version};
constinit const ForeignFormat kTableFormat{.name = "nvidia-smi",
                                           .recognises = starts_table,
                                           .read = read_section<read_table>,
                                           .continues = continues_table,
                                           .momentary = true};

}  // namespace nvmlab::importer
