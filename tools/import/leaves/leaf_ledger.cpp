// SPDX-License-Identifier: Apache-2.0
#include "import/leaves/leaf_ledger.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace nvmlab::importer {
namespace {

// Names of fields outlive every import: there are no more of them than the state has.
std::string_view kept_name(std::string_view field) {
  static std::set<std::string, std::less<>> names;
  const auto known = names.find(field);
  return known != names.end() ? *known : *names.emplace(field).first;
}

std::string without_indices(std::string_view path) {
  std::string kind;
  bool inside = false;
  for (const char letter : path) {
    inside = inside || letter == '[';
    if (!inside) kind += letter;
    if (letter == ']') inside = false;
  }
  return kind;
}

template <class Use>
void each_fate(const std::deque<ReadLog>& logs, Use use) {
  for (const ReadLog& read : logs) {
    for (std::size_t i = 0; i < read.fates().size(); ++i)
      use(read, read.log().leaves[i], read.fates()[i]);
  }
}

}  // namespace

ReadLog::ReadLog(std::shared_ptr<const capture::Capture> log, std::vector<int> gpus)
    : log_(std::move(log)), gpus_(std::move(gpus)), fates_(log_->leaves.size()) {}

void ReadLog::carry(const capture::Leaf& leaf, std::string_view field) {
  LeafFate& fate = fate_of(leaf);
  const auto name = kept_name(field);
  if (std::ranges::find(fate.fields, name) == fate.fields.end()) fate.fields.push_back(name);
}

void ReadLog::leave(const capture::Leaf& leaf, std::string reason) {
  LeafFate& fate = fate_of(leaf);
  if (fate.reason.empty()) fate.reason = std::move(reason);
}

std::size_t LeafLedger::total() const {
  std::size_t leaves = 0;
  for (const ReadLog& read : logs)
    leaves += read.fates().size();
  return leaves;
}

std::size_t LeafLedger::carried() const {
  std::size_t leaves = 0;
  each_fate(logs,
            [&](const ReadLog&, const capture::Leaf&, const LeafFate& fate) { leaves += fate.carried() ? 1 : 0; });
  return leaves;
}

std::vector<LeavesLeft> LeafLedger::left() const {
  std::vector<LeavesLeft> left;
  std::map<std::pair<std::string, std::string>, std::size_t> places;  // in `left`, by path and reason
  each_fate(logs, [&](const ReadLog& read, const capture::Leaf& leaf, const LeafFate& fate) {
    if (fate.carried()) return;
    std::string path = without_indices(leaf.path);
    const auto [place, fresh] = places.emplace(std::pair(path, fate.reason), left.size());
    if (fresh) left.push_back({read.log().name, leaf.line, std::move(path), fate.reason});
    ++left[place->second].times;
  });
  return left;
}

}  // namespace nvmlab::importer
