// SPDX-License-Identifier: Apache-2.0
#include "import/smi/read_log.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "import/formats/section_reader.hpp"

namespace nvmlab::importer {

yaml::Place place_of(const capture::Capture& capture, const capture::Leaf& leaf) {
  return {std::make_shared<const std::string>(capture.name), leaf.line, leaf.column};
}

void LogReading::observe(Subject& subject, std::string_view field, const compiler::Literal& value,
                         const capture::Leaf& leaf) const {
  observe(subject, field, value, leaf, origin(leaf));
}

void LogReading::observe(Subject& subject, std::string_view field, const compiler::Literal& value,
                         const capture::Leaf& leaf, const Origin& origin) const {
  std::string why_not = evidence.observe(subject, field, value, origin);
  if (why_not.empty()) return fates.carry(leaf, field);
  fates.leave(leaf, std::move(why_not));
}

void LogReading::leave_noted(const capture::Leaf& leaf, const std::string& reason) const {
  evidence.note(origin(leaf).place.error(reason + "; it is left out").text());
  fates.leave(leaf, reason);
}

ReadLog& read_log(Evidence& evidence, std::shared_ptr<const capture::Capture> log, std::span<Subject* const> gpus,
                  std::size_t source) {
  std::vector<int> indices;
  for (const Subject* gpu : gpus)
    indices.push_back(gpu == nullptr ? -1 : static_cast<int>(gpu - evidence.gpus.data()));
  ReadLog& fates = evidence.ledger.logs.emplace_back(std::move(log), std::move(indices));
  const LogReading reading{evidence, fates.log(), gpus, source, fates};
  read_leaves(reading);
  std::vector<std::vector<const capture::Leaf*>> leaves(gpus.size());
  for (const auto& leaf : fates.log().leaves) {
    if (leaf.gpu != capture::node) leaves[static_cast<std::size_t>(leaf.gpu)].push_back(&leaf);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (gpus[i] == nullptr) continue;
    read_composites(reading, leaves[i], *gpus[i]);
    read_mig_devices(reading, leaves[i], *gpus[i]);
  }
  read_licenses(reading, leaves);
  return fates;
}

namespace {

ProfileSource source_of(const capture::Capture& capture) {
  ProfileSource source{.id = "capture",
                       .kind = "capture",
                       .file = std::string(last_part(capture.name)),
                       .note = std::string(state_of(capture.section))};
  source.driver = capture.driver_version();
  return source;
}

// By which the machine knows the GPUs of a log; empty for those whose address is masked, or that of several.
std::vector<std::string> addresses_of(const capture::Capture& log) {
  std::map<std::string, std::size_t> times;
  std::vector<std::string> addresses;
  for (const std::string& id : log.gpus)
    ++times[addresses.emplace_back(pci_address(id))];
  for (std::string& address : addresses) {
    if (times[address] > 1) address.clear();
  }
  return addresses;
}

// Its place in the machine; a GPU without an address is known by its place in the log.
Subject* find_gpu(Evidence& evidence, const std::string& address, std::size_t index) {
  const auto found = address.empty() ? std::ranges::find(evidence.gpus, index, &Subject::index)
                                     : std::ranges::find(evidence.gpus, address, &Subject::address);
  return found == evidence.gpus.end() ? nullptr : &*found;
}

// The first capture says which GPUs the machine has.
void meet_gpus(Evidence& evidence, const capture::Capture& log, std::span<const std::string> addresses,
               std::size_t source) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (find_gpu(evidence, addresses[i], i) != nullptr) continue;
    if (!evidence.open) {
      evidence.note(fmt::format("{}: GPU {} is not among those of the first capture and is left out", log.name,
                                in_quotes(log.gpus[i])));
      continue;
    }
    if (addresses[i].empty() && !log.gpus[i].empty()) {
      evidence.note(fmt::format("{}: GPU {}: {} is no PCI address of its own; one is derived", log.name, i,
                                in_quotes(log.gpus[i])));
    }
    evidence.gpus.push_back({.who = fmt::format("GPU {}", i), .address = addresses[i], .index = i});
    const auto* id = log.find(static_cast<int>(i), "@id");
    observe_address(evidence, evidence.gpus.back(), {source, id == nullptr ? yaml::Place{} : place_of(log, *id)});
  }
}

const capture::Leaf* attached_gpus(const capture::Capture& log) {
  const auto* xml = log.find(capture::node, "attached_gpus");
  return xml != nullptr ? xml : log.find(capture::node, "Attached GPUs");
}

// The last heading of one GPU in the text: every GPU of a log has the same ones.
std::string_view last_heading(const capture::Capture& log, int gpu) {
  std::string_view last;
  for (const auto& leaf : log.leaves) {
    if (leaf.gpu == gpu) last = std::string_view(leaf.path).substr(0, leaf.path.find_first_of("/["));
  }
  return last;
}

bool has_heading(const capture::Capture& log, int gpu, std::string_view heading) {
  return std::ranges::any_of(log.leaves, [&](const capture::Leaf& leaf) {
    return leaf.gpu == gpu && leaf.path.substr(0, leaf.path.find_first_of("/[")) == heading;
  });
}

// What a log that was cut at the end of a line lacks.
Complaints missing_rest(const capture::Capture& log) {
  const auto* attached = attached_gpus(log);
  const auto wanted = attached == nullptr ? std::nullopt : whole_number(attached->value);
  if (wanted && *wanted > log.gpus.size()) {
    return {place_of(log, *attached)
                .error(fmt::format("{} GPUs are attached, and the log holds {}: it is cut short, or `nvidia-smi -i` "
                                   "chose among them; --partial imports those that are there",
                                   *wanted, log.gpus.size()))
                .text()};
  }
  if (log.format == capture::Format::text && log.gpus.size() > 1) {
    const int last = static_cast<int>(log.gpus.size()) - 1;
    const auto heading = last_heading(log, 0);
    if (!heading.empty() && !has_heading(log, last, heading)) {
      return {place_of(log, log.leaves.back())
                  .error(fmt::format("the log is cut short here: GPU {} has no {} as the others do; --partial imports "
                                     "what is there",
                                     last, in_quotes(heading)))
                  .text()};
    }
  }
  return {};
}

Complaints read_capture(Evidence& evidence, const Section& section) {
  const capture::Capture& log = *section.log;
  if (auto missing = missing_rest(log); !missing.empty()) {
    if (!evidence.partial) return missing;
    evidence.note(missing.front());
  }
  const auto source = evidence.add_source(source_of(log));
  evidence.logged = true;
  const auto addresses = addresses_of(log);
  meet_gpus(evidence, log, addresses, source);
  std::vector<Subject*> gpus;
  for (std::size_t i = 0; i < log.gpus.size(); ++i)
    gpus.push_back(find_gpu(evidence, addresses[i], i));
  if (!gpus.empty() && std::ranges::all_of(gpus, [](const Subject* gpu) { return gpu == nullptr; })) {
    return {
        fmt::format("{}: none of its GPUs is one of the first capture's: it shows another machine, which takes an "
                    "import of its own",
                    log.name)};
  }
  read_log(evidence, section.log, gpus, source);
  return {};
}

}  // namespace

constinit const ForeignFormat kLogFormat{
    .name = "nvidia-smi -q", .recognises = capture::holds_log, .read = read_capture, .momentary = true};

}  // namespace nvmlab::importer
