// SPDX-License-Identifier: Apache-2.0
//
// The table that nvidia-smi prints without arguments. It rounds and cuts what it shows, so what it says counts only
// where nothing better tells. Tests: tests/unit/import/session_test.cpp, table_test.cpp.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "engine/state/generated/state.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/gpu_log.hpp"
#include "import/smi/rules.hpp"
#include "import/smi/table_cells.hpp"
#include "import/smi/versions.hpp"

namespace nvmlab::importer {
namespace {

// The word behind a label.
std::string_view word_after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return {};
  const auto words = words_of(line.substr(at + label.size()));
  return words.empty() ? std::string_view() : words.front();
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

constexpr TableWord kSwitch[] = {{"On", "enabled"}, {"Off", "disabled"}};
constexpr TableWord kMigModes[] = {{"Enabled", "enabled"}, {"Disabled", "disabled"}};
constexpr TableWord kComputeModes[] = {{"Default", "default"},
                                       {"E. Thread", "exclusive_thread"},
                                       {"Prohibited", "prohibited"},
                                       {"E. Process", "exclusive_process"}};

// The number of uncorrected errors since the driver was loaded, where error correction is on; with MIG just "On".
void error_correction(SectionReader& reader, std::size_t gpu, std::string_view printed, std::size_t line) {
  constexpr std::string_view total = "ecc.uncorrected_volatile.total";
  if (is_known(reader, gpu, "ecc.mode")) return;
  const auto count = whole_number(printed);
  for (const auto* mode : {"ecc.mode", "ecc.mode_pending"})
    observe_word(reader, gpu, mode, kSwitch, count ? "On" : printed, line);
  if (count && !is_known(reader, gpu, total)) reader.observe(gpu, total, *count, line);
}

// Windows prints how it drives the GPU where Linux prints whether persistence mode is on.
void persistence(SectionReader& reader, std::size_t gpu, std::string_view printed, std::size_t line) {
  constexpr TableWord models[] = {{"WDDM", "wddm"}, {"TCC", "wdm"}, {"MCDM", "mcdm"}};
  if (std::ranges::find(models, printed, &TableWord::printed) == std::end(models))
    return observe_word(reader, gpu, "modes.persistence", kSwitch, printed, line);
  observe_word(reader, gpu, "modes.driver_model", models, printed, line);
  if (!is_known(reader, gpu, "modes.persistence"))
    reader.observe(gpu, "modes.persistence", error_code("NOT_SUPPORTED"), line);
}

// nvidia-smi ends a name that is too long for its column with three dots (complete_names()).
void observe_name(SectionReader& reader, std::size_t gpu, std::string_view printed, std::size_t line) {
  if (const auto name = error_name_of(printed); !name.empty()) {
    reader.observe(gpu, "identity.name", error_code(name), line);
  } else {
    reader.observe_text(gpu, "identity.name", printed, line);
  }
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
  if (!is_known(reader, *gpu, "identity.name")) observe_name(reader, *gpu, product, line);
  persistence(reader, *gpu, name.back(), line);
  if (where.size() > 1) observe_word(reader, *gpu, "modes.display_active", kSwitch, where[1], line);
  error_correction(reader, *gpu, cells[2], line);
  return gpu;
}

void fan(SectionReader& reader, std::size_t gpu, std::string_view printed, std::size_t line) {
  constexpr std::string_view fans = "thermal.fans";
  if (is_known(reader, gpu, fans)) return;
  if (const auto speed = read_number(printed, "%", 1)) {
    const compiler::LiteralRecord row{{"speed_percent", *speed},
                                      {"target_percent", std::min<std::uint64_t>(*speed, 100)}};
    reader.observe(gpu, fans, compiler::LiteralList{row}, line);
  } else if (const auto code = error_name_of(printed); code == "NOT_SUPPORTED") {
    reader.observe(gpu, fans, compiler::LiteralList{}, line);
  } else if (!code.empty()) {
    reader.observe(gpu, fans, compiler::LiteralList{compiler::LiteralRecord{{"speed_percent", error_code(code)}}},
                   line);
  } else {
    note_cell(reader, printed, line);
  }
}

// How busy the GPU is and who may use it: "0%      Default", "N/A   E. Process".
void busy(SectionReader& reader, std::size_t gpu, std::string_view cell, std::size_t line) {
  const auto words = words_of(cell);
  if (words.empty()) return;
  observe_cell(reader, gpu, {{}, {}, "utilization.gpu_percent", PrintedForm::number, "%", 1}, words.front(), line);
  const auto mode = trimmed(cell.substr(words.front().size()));
  if (!mode.empty()) observe_word(reader, gpu, "modes.compute_mode", kComputeModes, mode, line);
}

// | N/A   33C    P8             16W /   72W |       1MiB /  23034MiB |      0%      Default |
void second_row(SectionReader& reader, std::size_t gpu, const std::vector<std::string_view>& cells, std::size_t line) {
  const auto state = words_of(cells[0]);
  const auto memory = words_of(cells[1]);
  const Rule heat{{}, {}, "thermal.gpu_c", PrintedForm::number, "C", 1};
  const Rule performance{{}, {}, "clocks.performance_state", PrintedForm::number, "P", 1};
  const Rule draw{{}, {}, "power.draw_mw", PrintedForm::number, "W", 1000};
  const Rule limit{{}, {}, "power.enforced_limit_mw", PrintedForm::number, "W", 1000};
  const Rule used{{}, {}, "memory.used_bytes", PrintedForm::number, "MiB", kBytesPerMiB};
  const Rule total{{}, {}, "memory.total_bytes", PrintedForm::number, "MiB", kBytesPerMiB};
  if (state.size() >= 6) {
    fan(reader, gpu, state[0], line);
    observe_cell(reader, gpu, heat, state[1], line);
    observe_cell(reader, gpu, performance, state[2], line);
    observe_cell(reader, gpu, draw, state[3], line);
    observe_cell(reader, gpu, limit, state[5], line);
  } else {
    note_cell(reader, cells[0], line);
  }
  if (memory.size() == 3) {
    observe_cell(reader, gpu, used, memory[0], line);
    observe_cell(reader, gpu, total, memory[2], line);
  } else {  // "Not Supported": the GPU has no memory of its own
    observe_cell(reader, gpu, used, cells[1], line);
    observe_cell(reader, gpu, total, cells[1], line);
  }
  busy(reader, gpu, cells[2], line);
}

// |                                         |                        |             Disabled |
// The row has only the MIG mode; drivers before 450 do not print it.
bool is_third_row(const std::vector<std::string_view>& cells) {
  return cells.size() == 3 && cells[0].empty() && cells[1].empty() && !cells[2].empty();
}
void third_row(SectionReader& reader, std::size_t gpu, std::string_view mode, std::size_t line) {
  for (const auto* field : {"modes.mig", "modes.mig_pending"})
    observe_word(reader, gpu, field, kMigModes, mode, line);
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
  if (processors.size() > 1) {
    if (const auto errors = whole_number(processors[1])) put("uncorrected_errors", *errors);
  }
  for (const auto& [member, word] :
       {std::pair{"memory_used_bytes", memory[0]}, std::pair{"memory_total_bytes", memory[2]}}) {
    if (const auto bytes = read_number(word, "MiB", kBytesPerMiB)) device.members[member] = *bytes;
  }
  auto& known = reader.evidence().gpus[*gpu].lists.mig_devices[static_cast<std::uint32_t>(numbers[3])];
  if (known.members.empty()) known.origin = device.origin;
  known.members.merge(device.members);
}

// |    0   N/A  N/A            2553      G   /usr/lib/xorg/Xorg                       43MiB |
// Drivers before 450 print no ids of instances.
struct ProcessRow {
  std::uint64_t gpu = 0;
  compiler::LiteralRecord process;
};

std::optional<ProcessRow> process_row(std::string_view cell) {
  const auto words = words_of(cell);
  const auto is_type = [](std::string_view word) {
    return !word.empty() && word.find_first_not_of("CGM+") == std::string_view::npos;
  };
  const auto type = std::ranges::find_if(words, is_type);
  if (type - words.begin() < 2 || words.end() - type < 3) return std::nullopt;
  const auto gpu = whole_number(words.front());
  const auto pid = whole_number(*(type - 1));
  if (!gpu || !pid) return std::nullopt;
  const auto begin = static_cast<std::size_t>((type + 1)->data() - cell.data());
  const auto end = static_cast<std::size_t>(words.back().data() - cell.data());
  ProcessRow row{
      *gpu, {{"pid", *pid}, {"kinds", kinds_of(*type)}, {"name", fitting(trimmed(cell.substr(begin, end - begin)))}}};
  if (const auto used = read_number(words.back(), "MiB", kBytesPerMiB)) row.process.emplace("used_bytes", *used);
  return row;
}

// Below the GPUs; no other input may know processes.
void observe_processes(SectionReader& reader, const std::map<std::uint64_t, compiler::LiteralList>& rows,
                       std::size_t line) {
  constexpr std::size_t room = decltype(Processes::running)::capacity;
  for (const auto& [index, processes] : rows) {
    const auto gpu = reader.gpu({index, {}, {}}, line);
    if (!gpu || is_known(reader, *gpu, "processes.running")) continue;
    auto list = processes;
    if (list.size() > room) {
      reader.note(line, fmt::format("GPU {}: {} of {} processes are left out: a GPU has room for {}", index,
                                    list.size() - room, list.size(), room));
      list.resize(room);
    }
    reader.observe(*gpu, "processes.running", list, line);
  }
}

void read_table(SectionReader& reader) {
  std::optional<std::size_t> gpu;  // whose second row comes next
  std::optional<std::size_t> last;
  std::map<std::uint64_t, compiler::LiteralList> processes;
  std::size_t first_process = 0;
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
    if (cells.empty()) continue;
    if (gpu) {
      if (cells.size() >= 3) second_row(reader, *gpu, cells, line);
      last = std::exchange(gpu, std::nullopt);
    } else if (last && is_third_row(cells)) {
      third_row(reader, *last, cells[2], line);
      last.reset();
    } else if (cells.size() == 3) {
      gpu = first_row(reader, cells, line);
    } else if (cells.size() == 4) {
      mig_row(reader, cells, line);
    } else if (auto row = process_row(cells.front())) {
      if (processes.empty()) first_process = line;
      processes[row->gpu].emplace_back(std::move(row->process));
    }
  }
  observe_processes(reader, processes, first_process);
}

bool starts_table(std::string_view line) { return line.starts_with("| NVIDIA-SMI "); }
bool continues_table(std::string_view line) {
  return trimmed(line).empty() || line.starts_with('|') || line.starts_with('+');
}

}  // namespace

constinit const ForeignFormat kTableFormat{.name = "nvidia-smi",
                                           .recognises = starts_table,
                                           .read = read_section<read_table>,
                                           .continues = continues_table,
                                           .momentary = true};

}  // namespace nvmlab::importer
