// SPDX-License-Identifier: Apache-2.0
#include "compare/leaf_agreement.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "compare/leaves.hpp"
#include "import/capture/leaf_names.hpp"

namespace nvmlab::compare {
namespace {

using FieldRows = std::map<std::pair<int, std::string_view>, const Row*>;  // by the capture's GPU and the field

FieldRows rows_of(const Report& report) {
  FieldRows rows;
  for (const Row& row : report.rows)
    rows.emplace(std::pair(row.gpus.second, std::string_view(row.any().name)), &row);
  return rows;
}

bool is_steady(const capture::Capture& log, const capture::Leaf& leaf) {
  return nature_of_leaf(log.format, capture::newest_name(leaf.path)) == Nature::steady;
}

class LeafCounter {
 public:
  explicit LeafCounter(const Report& report) : rows_(rows_of(report)) {}

  void add(const importer::ReadLog& read, const capture::Leaf& leaf, const importer::LeafFate& fate) {
    ++counts.total;
    if (fate.counted) {
      ++counts.equal;
      return;
    }
    const int gpu = leaf.gpu == capture::node ? node_index : read.gpu(leaf.gpu);
    bool seen[class_names.size()] = {};
    bool found = false;
    bool steady = false;
    for (const std::string_view field : fate.fields) {
      const auto row = rows_.find({gpu, field});
      if (row == rows_.end()) continue;
      found = true;
      seen[static_cast<std::size_t>(row->second->which)] = true;
      steady = steady || row->second->any().nature == Nature::steady;
    }
    const auto has = [&](Class which) { return seen[static_cast<std::size_t>(which)]; };
    if (!found) {
      ++counts.left;
      counts.left_steady += is_steady(read.log(), leaf) ? 1 : 0;
    } else if (has(Class::value) || has(Class::code)) {
      ++counts.different;
    } else if (has(Class::noise) || has(Class::identifier) || (has(Class::missing) && !steady)) {
      ++counts.moving;
    } else if (has(Class::missing)) {
      ++counts.missing;
    } else {
      ++counts.equal;
    }
  }

  LeafAgreement counts;

 private:
  FieldRows rows_;
};

}  // namespace

double LeafAgreement::percent() const {
  return comparable() == 0 ? 0.0 : 100.0 * static_cast<double>(equal) / static_cast<double>(comparable());
}

LeafAgreement leaf_agreement(const importer::LeafLedger& leaves, const Report& report) {
  LeafCounter counter(report);
  for (const importer::ReadLog& read : leaves.logs) {
    for (std::size_t i = 0; i < read.fates().size(); ++i)
      counter.add(read, read.log().leaves[i], read.fates()[i]);
  }
  counter.counts.not_carried = leaves.left();
  return std::move(counter.counts);
}

}  // namespace nvmlab::compare
