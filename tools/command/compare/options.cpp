// SPDX-License-Identifier: Apache-2.0
#include "command/compare/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {
namespace {

using compare::Pair;

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<control::SelectableGpu> selectable_gpus(const compare::Side& side) {
  std::vector<control::SelectableGpu> gpus;
  for (const compare::SideSubject& gpu : side.gpus) {
    control::SelectableGpu each{gpu.uuid, {}};
    parse_pci_address(gpu.address.c_str(), &each.address);
    gpus.push_back(std::move(each));
  }
  return gpus;
}

std::expected<std::vector<int>, std::string> select(const std::string& text, const compare::Side& side) {
  const auto chosen = control::select_gpus(text, selectable_gpus(side));
  if (!chosen) return std::unexpected(fmt::format("{}: {}", side.name, chosen.error()));
  return std::vector<int>(chosen->begin(), chosen->end());
}

}  // namespace

int trouble(const Complaints& complaints) {
  complain_all(complaints);
  return kTrouble;
}

void add_comparison_options(CommandLine& line, ComparisonOptions& options) {
  line.option("--only", "CLASSES", options.only,
              "Show only these classes, and let only them decide the exit code: value, code, missing, noise, "
              "identifier, equal; a list such as value,code");
  line.flag("--all,-a", options.everything, "Show every class, even what is equal");
  line.option("--gpu,-g", "G", options.gpus,
              "Only these GPUs: an index of A's or a list such as 0,2-3; 0:5 compares GPU 0 of A with GPU 5 of B");
}

std::expected<Shown, std::string> shown_classes(const ComparisonOptions& options, const Shown& otherwise) {
  Shown shown = otherwise;
  if (options.everything) {
    for (bool& each : shown.classes)
      each = true;
  }
  if (!options.only) return shown;
  if (options.everything) return std::unexpected("--only and --all contradict each other; give one of them");
  shown = Shown{};
  shown.names_of_missing = false;
  shown.origins = otherwise.origins;
  for (const std::string& name : parts_of(*options.only)) {
    const auto found = std::ranges::find(compare::class_names, name);
    if (found == compare::class_names.end()) {
      const std::vector<std::string> names(compare::class_names.begin(), compare::class_names.end());
      return std::unexpected(
          fmt::format("--only: {} is no class; {}", in_quotes(name), hint(name, names, "the classes")));
    }
    shown.classes[found - compare::class_names.begin()] = true;
  }
  return shown;
}

std::expected<compare::Options, std::string> chosen_pairs(const ComparisonOptions& options, const compare::Side& a,
                                                          const compare::Side& b) {
  compare::Options chosen;
  chosen.identifiers = !options.no_identifiers;
  if (!options.gpus) return chosen;
  const compare::Matching matching = compare::match(a, b);
  const bool a_is_board = matching.how == compare::Matched::board && a.one_board;
  std::vector<Pair> pairs;
  for (const std::string& part : parts_of(*options.gpus)) {
    if (const auto colon = part.find(':'); colon != std::string::npos) {
      const auto left = select(part.substr(0, colon), a);
      if (!left) return std::unexpected(left.error());
      const auto right = select(part.substr(colon + 1), b);
      if (!right) return std::unexpected(right.error());
      if (left->size() != right->size())
        return std::unexpected(fmt::format("--gpu {}: both sides of a colon name as many GPUs", in_quotes(part)));
      for (std::size_t i = 0; i < left->size(); ++i)
        pairs.emplace_back((*left)[i], (*right)[i]);
      continue;
    }
    const auto wanted = select(part, a_is_board ? b : a);
    if (!wanted) return std::unexpected(wanted.error());
    for (const int gpu : *wanted) {
      const auto pair = std::ranges::find(matching.pairs, gpu, a_is_board ? &Pair::second : &Pair::first);
      if (pair == matching.pairs.end())
        return std::unexpected(fmt::format("GPU {} of {} has no like in {}; {}:0 would compare it with the first one",
                                           gpu, a.name, b.name, gpu));
      pairs.push_back(*pair);
    }
  }
  chosen.pairs = std::move(pairs);
  return chosen;
}

}  // namespace nvmlab::tool
