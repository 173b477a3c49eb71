// SPDX-License-Identifier: Apache-2.0
#include "command/compare/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/nearest.hpp"
#include "command/compare/record_now.hpp"
#include "command/profile/input.hpp"
#include "compare/calls.hpp"
#include "compare/fields.hpp"
#include "compare/leaves.hpp"
#include "compiler/shipped.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/view.hpp"
#include "import/capture/decode.hpp"

namespace nvmlab::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAccepted =
    "a capture (what `nvidia-smi -q -x` printed, or another input of `nvmlab import`), a recording of `nvmlab "
    "record`, a profile, a .machine file, a machine that is up (machine:NAME) or a libnvidia-ml.so (library: is the "
    "installed one) was expected";

bool is_file(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed) && !fs::is_directory(path, failed);
}

std::expected<CompareSource, Complaints> open_machine(const std::string& word, const std::string& name) {
  auto machine = Machine::open(name);
  if (!machine) return refuse(machine.error());
  const control::MachineView view = control::view_of(*machine);
  CompareSource source;
  source.name = word;
  source.kind = "machine that is up";
  source.told_fields = compare::fields_of(*view.node, view.gpus, nullptr, compare::Observed::all, name);
  return source;
}

std::expected<CompareSource, Complaints> open_profile(const std::string& word, bool board) {
  const auto machine = load_machine(as_profile(word), {});
  if (!machine) return std::unexpected(machine.error());
  CompareSource source;
  source.name = word;
  source.profile = !is_machine_file(word);
  source.one_board = board;
  source.kind = !source.profile ? "machine file" : board ? "GPU profile" : "machine profile";
  source.told_fields = compare::fields_of(*machine);
  return source;
}

// A file of ours says at its top what it is.
std::optional<yaml::Node> as_profile_text(const std::string& bytes, const std::string& name) {
  auto root = yaml::parse(bytes, name);
  if (!root || !root->is_mapping()) return std::nullopt;
  if (root->find("profile") == nullptr && root->find("machine") == nullptr) return std::nullopt;
  return std::move(*root);
}

std::expected<CompareSource, Complaints> open_library(const std::string& word, const std::string& library) {
  auto recorded = record_now(library);
  if (!recorded) return refuse(recorded.error());
  CompareSource source;
  source.name = word;
  source.kind = fmt::format("live library {}", recorded->calls.header.library);
  source.calls = std::move(recorded->calls);
  source.inputs.push_back({"library", std::move(recorded->bytes)});
  return source;
}

// Number `which` from 1, or the first whose heading has that word.
const capture::Capture* choose(const std::vector<capture::Capture>& logs, const std::string& which) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
  if (error == std::errc() && end == which.data() + which.size())
    return number >= 1 && number <= logs.size() ? &logs[number - 1] : nullptr;
  const auto found = std::ranges::find_if(
      logs, [&](const capture::Capture& log) { return log.section.find(which) != std::string::npos; });
  return found == logs.end() ? nullptr : &*found;
}

// That log alone, every line of it where it was.
std::string alone(const std::string& bytes, const capture::Capture& log) {
  std::string out(
      static_cast<std::size_t>(std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(log.begin), '\n')),
      '\n');
  return out + bytes.substr(log.begin, log.end - log.begin);
}

std::expected<CompareSource, Complaints> open_file(const std::string& word, const std::string& path,
                                                   const std::optional<std::string>& which) {
  auto bytes = read_input(path);
  if (!bytes) return refuse(bytes.error());
  if (path.ends_with(".yaml") || path.ends_with(".yml")) {
    if (const auto root = as_profile_text(*bytes, path)) return open_profile(word, root->find("profile") != nullptr);
  }
  if (bytes->starts_with("\x7f"
                         "ELF"))
    return open_library(word, path);
  CompareSource source;
  source.name = word;
  if (recording::is_recording(*bytes)) {
    if (which) return refuse(fmt::format("{}: a recording holds no logs to choose from", word));
    auto calls = recording::read_file(path);
    if (!calls) return refuse(calls.error().text());
    source.kind = fmt::format("recording of {}", calls->header.taken);
    source.calls = std::move(*calls);
    source.inputs.push_back({path, std::move(*bytes)});
    return source;
  }
  source.kind = "capture";
  if (auto text = capture::decode_text(*bytes, path)) bytes = std::move(*text);  // whatever shell wrote it
  auto logs = capture::read_captures(*bytes, path);
  if (which) {
    if (!logs) return refuse(logs.error().text());
    const capture::Capture* chosen = choose(*logs, *which);
    if (chosen == nullptr) {
      std::string held;
      for (std::size_t i = 0; i < logs->size(); ++i)
        held += fmt::format("{}#{} {}", i == 0 ? "" : ", ", i + 1, in_quotes((*logs)[i].section));
      return refuse(fmt::format("{}: no log in it has that number or word in its heading; it holds {}", word, held));
    }
    source.log = *chosen;
    source.inputs.push_back({path, alone(*bytes, *chosen)});
    return source;
  }
  if (logs) {
    source.logs = logs->size();
    source.log = std::move(logs->front());
  }
  source.inputs.push_back({path, std::move(*bytes)});
  return source;
}

// Why it is no capture, and what else would do.
Complaints nothing_known(const std::string& name, Complaints why) {
  why.push_back(
      fmt::format("{}: cannot be compared; besides such inputs, profiles, .machine files, machines that are up "
                  "(machine:NAME) and NVML libraries can be",
                  name));
  return why;
}

bool is_up(const std::string& name) {
  const auto machines = control::list_machines();
  return machines && std::ranges::find(*machines, name, &control::ListedMachine::name) != machines->end();
}

}  // namespace

std::expected<CompareSource, Complaints> open_compare_source(const std::string& word) {
  constexpr std::string_view machine = "machine:";
  constexpr std::string_view library = "library:";
  if (word.starts_with(library)) return open_library(word, word.substr(library.size()));
  if (word.starts_with(machine)) return open_machine(word, word.substr(machine.size()));
  if (is_file(word)) return is_machine_file(word) ? open_profile(word, false) : open_file(word, word, std::nullopt);
  if (const auto mark = word.rfind('#'); mark != std::string::npos && is_file(word.substr(0, mark)))
    return open_file(word, word.substr(0, mark), word.substr(mark + 1));
  if (const auto* shipped = compiler::find_shipped(word)) return open_profile(word, !shipped->machine);
  if (is_up(word)) return open_machine(word, word);
  std::error_code failed;
  if (fs::is_directory(word, failed)) return refuse(fmt::format("{}: is a folder; {}", word, kAccepted));
  const std::string like = did_you_mean(similar(word, compiler::shipped_names()));
  return refuse(fmt::format("{} is no file, no shipped profile and no machine that is up; {}{}", in_quotes(word),
                            like.empty() ? "" : like + " ", kAccepted));
}

std::expected<compare::Side, Complaints> fields_of(const CompareSource& source, importer::LeafLedger* leaves) {
  compare::Side side;
  if (source.told_fields) {
    side = *source.told_fields;
  } else {
    auto imported = compare::fields_of(source.inputs, leaves);
    if (!imported) return std::unexpected(nothing_known(source.name, imported.error()));
    side = std::move(*imported);
  }
  side.name = source.name;
  side.kind = source.kind;
  if (source.logs > 1) side.kind += fmt::format(" of {} logs", source.logs);
  side.one_board = source.one_board;
  return side;
}

compare::Side leaves_of(const CompareSource& source) {
  compare::Side side = compare::leaves_of(source.log.value());
  side.name = source.name;
  if (const std::string& section = source.log.value().section; !section.empty())
    side.kind += fmt::format(", '{}'", section);
  if (source.logs > 1) side.kind += fmt::format(", the first of {} logs", source.logs);
  return side;
}

std::pair<compare::Side, compare::Side> calls_of(const CompareSource& a, const CompareSource& b) {
  auto sides = compare::calls_of(a.calls.value(), b.calls.value());
  sides.first.name = a.name;
  sides.first.kind = a.kind;
  sides.second.name = b.name;
  sides.second.kind = b.kind;
  return sides;
}

}  // namespace nvmlab::tool
