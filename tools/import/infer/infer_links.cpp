// SPDX-License-Identifier: Apache-2.0
//
// NVLink from all inputs that know of it: nvidia-smi nvlink says which links there are and how fast they are, NCCL
// where they lead, topo -m how many lead to which GPU. Tests: tests/unit/import/topology_test.cpp.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/chips.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::size_t kLargestChipsLinks = 18;  // links of the largest chip

struct LinkEnd {
  bool at_switch = false;
  std::string address;
};

struct Link {
  LinkStatus status;
  std::optional<std::uint32_t> capabilities;
  std::optional<LinkEnd> end;
};

std::string where(const Origin& origin) {
  const auto& place = origin.place;
  return place.file == nullptr ? std::string("nowhere") : fmt::format("{}:{}", *place.file, place.line);
}

// What the links of its generation speak.
std::optional<std::uint32_t> version_of(const Subject& gpu) {
  const FieldValue* label = gpu.value("identity.architecture");
  const auto* architecture = label == nullptr ? nullptr : compiler::find_architecture(label->label());
  if (architecture == nullptr || architecture->nvlink_version == 0) return std::nullopt;
  return architecture->nvlink_version;
}

class Links {
 public:
  Links(Evidence& evidence, std::size_t index) : evidence_(evidence), index_(index) {}

  void run() {
    Subject& gpu = evidence_.gpus[index_];
    const PartialLists& lists = gpu.lists;
    if (lists.no_links && lists.links.empty()) {
      evidence_.observe(gpu, "nvlink.links", compiler::LiteralList(), *lists.no_links);
      return;
    }
    if (!lists.links.empty()) {
      from_status(lists);
    } else if (!lists.bundles.empty()) {
      from_count(sum(lists.bundles), lists.bundles.front().origin);
    } else if (!lists.bonded.empty()) {
      from_count(bonded_links(), lists.bonded.begin()->second.origin);
    }
    if (links_.empty()) return;
    if (links_.size() > kLargestChipsLinks) {
      evidence_.problems.push_back(origin_.place.error(
          fmt::format("{} has {} links; no chip has more than {}", gpu.who, links_.size(), kLargestChipsLinks)));
      return;
    }
    ends_by_bundles(lists);
    ends_by_matrix(lists);
    evidence_.observe(gpu, "nvlink.links", rows(gpu), {source(), origin_.place});
  }

 private:
  static std::uint32_t sum(const std::vector<LinkBundle>& bundles) {
    std::uint32_t total = 0;
    for (const auto& bundle : bundles)
      total += bundle.count;
    return total;
  }

  // Returns true if the same number of links reaches each of several GPUs. A GPU that the switches do not reach is none
  // of them.
  bool all_alike() const {
    const auto& bonded = evidence_.gpus[index_].lists.bonded;
    const auto count = bonded.begin()->second.count;
    return bonded.size() > 1 &&
           std::ranges::all_of(bonded, [&](const auto& entry) { return entry.second.count == count; });
  }

  // Through switches every GPU is reached over all links; a chip with four GPUs beside it and equal shares to each has
  // as many links as the shares together, where other inputs have that number.
  std::uint32_t bonded_links() const {
    const auto& bonded = evidence_.gpus[index_].lists.bonded;
    std::uint32_t total = 0;
    for (const auto& [other, bundle] : bonded)
      total += bundle.count;
    return all_alike() && total > kLargestChipsLinks ? bonded.begin()->second.count : total;
  }

  void from_status(const PartialLists& lists) {
    origin_ = lists.links.begin()->second.origin;
    for (const auto& [number, status] : lists.links) {
      links_.resize(std::max<std::size_t>(links_.size(), number + 1));
      links_[number].status = status;
    }
    for (const auto& [number, bits] : lists.capabilities) {
      if (number < links_.size()) links_[number].capabilities = bits;
    }
  }

  void from_count(std::uint32_t count, const Origin& origin) {
    origin_ = origin;
    for (std::uint32_t i = 0; i < count && i <= kLargestChipsLinks; ++i)
      links_.push_back({{true, {}, origin}, {}, {}});
  }

  std::size_t active() const {
    return static_cast<std::size_t>(std::ranges::count_if(links_, [](const Link& link) { return link.status.active; }));
  }

  // Gives the next `count` links that are up and have no end yet theirs. Which link leads where, nobody prints.
  void attach(std::uint32_t count, const LinkEnd& end) {
    for (Link& link : links_) {
      if (count == 0) return;
      if (!link.status.active || link.end) continue;
      link.end = end;
      --count;
    }
  }

  void ends_by_bundles(const PartialLists& lists) {
    if (lists.bundles.empty()) return;
    if (sum(lists.bundles) != active()) {
      evidence_.notes.push_back(
          fmt::format("nvlink.links of {}: {} says {} active links, but {} says {}; the first one stands",
                      evidence_.gpus[index_].who, where(origin_), active(), where(lists.bundles.front().origin),
                      sum(lists.bundles)));
    }
    for (const auto& bundle : lists.bundles)
      attach(bundle.count, {bundle.at_switch, bundle.address});
    placed_ = true;
  }

  void ends_by_matrix(const PartialLists& lists) {
    if (lists.bonded.empty() || !lists.bundles.empty()) return;
    std::uint32_t total = 0;
    for (const auto& [other, bundle] : lists.bonded)
      total += bundle.count;
    const auto up = active();
    const auto most = std::ranges::max_element(lists.bonded, {}, [](const auto& entry) { return entry.second.count; });
    if (total > up && most->second.count <= up && most->second.count > 0) {
      attach(static_cast<std::uint32_t>(up), {true, {}});
    } else if (total <= up) {
      for (const auto& [other, bundle] : lists.bonded)
        attach(bundle.count, {false, evidence_.gpus[other].address});
    } else {
      evidence_.notes.push_back(
          fmt::format("nvlink.links of {}: {} says {} active links, but {} says {} to one GPU; the first one stands",
                      evidence_.gpus[index_].who, where(origin_), up, where(most->second.origin), most->second.count));
      return;
    }
    placed_ = true;
  }

  // Where links lead follows from another input than how fast they are.
  std::size_t source() {
    if (!placed_) return origin_.source;
    return evidence_.add_note("links", origin_.source, "which links lead where is assumed");
  }

  compiler::LiteralList rows(const Subject& gpu) const {
    const auto version = version_of(gpu);
    compiler::LiteralList rows;
    for (const Link& link : links_) {
      compiler::LiteralRecord row{{"active", compiler::Label{link.status.active ? "active" : "inactive"}}};
      if (version && link.status.active) row.emplace("version", *version);
      if (link.status.speed_mbps) row.emplace("speed_mbps", *link.status.speed_mbps);
      if (link.capabilities) row.emplace("capabilities", *link.capabilities);
      if (link.end) add_end(row, *link.end);
      rows.emplace_back(std::move(row));
    }
    return rows;
  }

  static void add_end(compiler::LiteralRecord& row, const LinkEnd& end) {
    row.emplace("remote_type", compiler::Label{end.at_switch ? "switch" : "gpu"});
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    if (std::sscanf(end.address.c_str(), "%8x:%2x:%2x", &domain, &bus, &device) != 3) return;
    row.emplace("remote_domain", domain);
    row.emplace("remote_bus", bus);
    row.emplace("remote_device", device);
  }

  Evidence& evidence_;
  std::size_t index_;
  Origin origin_;
  std::vector<Link> links_;
  bool placed_ = false;
};

}  // namespace

void infer_links(Evidence& evidence) {
  for (std::size_t i = 0; i < evidence.gpus.size(); ++i)
    Links(evidence, i).run();
}

}  // namespace nvmlab::importer
