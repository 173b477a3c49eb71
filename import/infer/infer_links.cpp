// SPDX-License-Identifier: Apache-2.0
//
// NVLink from all that tells of it: nvidia-smi nvlink says which links there are and how fast they are, NCCL where they
// lead, topo -m how many lead to which GPU. Tests: tests/unit/import/links_test.cpp.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "import/evidence/evidence.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::size_t kLargestChipsLinks = 18;  // links of the largest chip

struct End {
  bool at_switch = false;
  std::string address;
};

struct Link {
  LinkStatus status;
  std::optional<std::uint32_t> capabilities;
  std::optional<End> end;
};

std::string where(const Told& told) {
  return told.place.file == nullptr ? std::string("nowhere") : fmt::format("{}:{}", *told.place.file, told.place.line);
}

// nvmlNvlinkVersion_t by the chip that speaks it.
std::optional<unsigned> version_of(const Subject& gpu) {
  struct Version {
    std::string_view architecture;
    unsigned number;
  };
  constexpr std::array versions{Version{"pascal", 1}, Version{"volta", 2},  Version{"turing", 3},
                                Version{"ampere", 4}, Version{"hopper", 6}, Version{"blackwell", 7}};
  const Fact* chip = gpu.find("identity.architecture");
  if (chip == nullptr) return std::nullopt;
  const auto* found = std::ranges::find(versions, chip->yaml, &Version::architecture);
  return found == versions.end() ? std::nullopt : std::optional(found->number);
}

class Links {
 public:
  Links(Evidence& evidence, std::size_t index) : evidence_(evidence), index_(index) {}

  void run() {
    Subject& gpu = evidence_.gpus[index_];
    const Gathered& told = gpu.gathered;
    if (told.no_links)
      return evidence_.state(gpu, "nvlink.links", "[]", told.no_links_told->source, told.no_links_told->place);
    if (!told.links.empty()) {
      from_status(told);
    } else if (!told.bundles.empty()) {
      from_count(sum(told.bundles), told.bundles.front().told);
    } else if (!told.bonded.empty()) {
      from_count(bonded_links(), told.bonded.begin()->second.told);
    }
    if (links_.empty()) return;
    if (links_.size() > kLargestChipsLinks) {
      evidence_.problems.push_back({told_.place, fmt::format("{} has {} links; no chip has more than {}", gpu.who,
                                                             links_.size(), kLargestChipsLinks)});
      return;
    }
    ends_by_bundles(told);
    ends_by_matrix(told);
    evidence_.state(gpu, "nvlink.links", yaml(gpu), source(), told_.place);
  }

 private:
  static std::uint32_t sum(const std::vector<LinkBundle>& bundles) {
    std::uint32_t total = 0;
    for (const auto& bundle : bundles)
      total += bundle.count;
    return total;
  }

  // Whether every other GPU is reached by the same number of links: then they go through switches.
  bool all_alike() const {
    const auto& bonded = evidence_.gpus[index_].gathered.bonded;
    const auto count = bonded.begin()->second.count;
    return bonded.size() > 1 && bonded.size() + 1 == evidence_.gpus.size() &&
           std::ranges::all_of(bonded, [&](const auto& entry) { return entry.second.count == count; });
  }

  // Through switches every GPU is reached over all links; a chip with four GPUs beside it and equal shares to each has
  // as many links as the shares together, where other inputs tell that number.
  std::uint32_t bonded_links() const {
    const auto& bonded = evidence_.gpus[index_].gathered.bonded;
    std::uint32_t total = 0;
    for (const auto& [other, bundle] : bonded)
      total += bundle.count;
    return all_alike() && total > kLargestChipsLinks ? bonded.begin()->second.count : total;
  }

  void from_status(const Gathered& told) {
    told_ = told.links.begin()->second.told;
    for (const auto& [number, status] : told.links) {
      links_.resize(std::max<std::size_t>(links_.size(), number + 1));
      links_[number].status = status;
    }
    for (const auto& [number, bits] : told.capabilities) {
      if (number < links_.size()) links_[number].capabilities = bits;
    }
  }

  void from_count(std::uint32_t count, const Told& told) {
    told_ = told;
    for (std::uint32_t i = 0; i < count && i <= kLargestChipsLinks; ++i)
      links_.push_back({{true, {}, told}, {}, {}});
  }

  std::size_t active() const {
    return static_cast<std::size_t>(std::ranges::count_if(links_, [](const Link& link) { return link.status.active; }));
  }

  // Gives the next `count` links that are up and have no end yet theirs. Which link leads where, nobody prints.
  void attach(std::uint32_t count, const End& end) {
    for (Link& link : links_) {
      if (count == 0) return;
      if (!link.status.active || link.end) continue;
      link.end = end;
      --count;
    }
  }

  void ends_by_bundles(const Gathered& told) {
    if (told.bundles.empty()) return;
    if (sum(told.bundles) != active()) {
      evidence_.notes.push_back(fmt::format(
          "nvlink.links of {}: {} says {} active links, but {} says {}; the first one stands",
          evidence_.gpus[index_].who, where(told_), active(), where(told.bundles.front().told), sum(told.bundles)));
    }
    for (const auto& bundle : told.bundles)
      attach(bundle.count, {bundle.at_switch, bundle.address});
    placed_ = true;
  }

  void ends_by_matrix(const Gathered& told) {
    if (told.bonded.empty() || !told.bundles.empty()) return;
    std::uint32_t total = 0;
    for (const auto& [other, bundle] : told.bonded)
      total += bundle.count;
    const auto up = active();
    const auto most = std::ranges::max_element(told.bonded, {}, [](const auto& entry) { return entry.second.count; });
    if (total > up && most->second.count <= up && most->second.count > 0) {
      attach(static_cast<std::uint32_t>(up), {true, {}});
    } else if (total <= up) {
      for (const auto& [other, bundle] : told.bonded)
        attach(bundle.count, {false, evidence_.gpus[other].place});
    } else {
      evidence_.notes.push_back(
          fmt::format("nvlink.links of {}: {} says {} active links, but {} says {} to one GPU; the first one stands",
                      evidence_.gpus[index_].who, where(told_), up, where(most->second.told), most->second.count));
      return;
    }
    placed_ = true;
  }

  // Where links lead follows from another input than how fast they are.
  std::size_t source() {
    if (!placed_) return told_.source;
    return evidence_.noted("links", told_.source, "which links lead where is assumed");
  }

  std::string yaml(const Subject& gpu) const {
    const auto version = version_of(gpu);
    std::vector<std::string> rows;
    for (const Link& link : links_) {
      std::vector<std::string> members{fmt::format("active: {}", link.status.active ? "active" : "inactive")};
      if (version && link.status.active) members.push_back(fmt::format("version: {}", *version));
      if (link.status.speed_mbps) members.push_back(fmt::format("speed_mbps: {}", *link.status.speed_mbps));
      if (link.capabilities) members.push_back(fmt::format("capabilities: {}", *link.capabilities));
      if (link.end) {
        members.push_back(fmt::format("remote_type: {}", link.end->at_switch ? "switch" : "gpu"));
        unsigned domain = 0;
        unsigned bus = 0;
        unsigned device = 0;
        if (std::sscanf(link.end->address.c_str(), "%8x:%2x:%2x", &domain, &bus, &device) == 3)
          members.push_back(fmt::format("remote_domain: {}, remote_bus: {}, remote_device: {}", domain, bus, device));
      }
      rows.push_back(fmt::format("{{{}}}", fmt::join(members, ", ")));
    }
    return fmt::format("[{}]", fmt::join(rows, ", "));
  }

  Evidence& evidence_;
  std::size_t index_;
  Told told_;
  std::vector<Link> links_;
  bool placed_ = false;
};

}  // namespace

void conclude_links(Evidence& evidence) {
  for (std::size_t i = 0; i < evidence.gpus.size(); ++i)
    Links(evidence, i).run();
}

}  // namespace nvmlab::importer
