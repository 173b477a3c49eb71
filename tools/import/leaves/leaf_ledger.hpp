// SPDX-License-Identifier: Apache-2.0
//
// What became of every leaf of the logs that were read: the fields that say now what it said, or why none does. Nothing
// that a capture tells is lost without a word, and `nvmlab profiles diff` counts against all of it.
// Tests: tests/unit/import/leaves_test.cpp, tests/import/golden/.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "import/capture/capture.hpp"

namespace nvmlab::importer {

struct LeafFate {
  std::vector<std::string_view> fields;  // that carry it; the node's or its GPU's
  std::string reason;                    // why none does
  bool counted = false;                  // it says no more than what was read says by its number: "Attached GPUs"

  bool carried() const { return counted || !fields.empty(); }
};

// One log: of each of its leaves, what became of it.
class ReadLog {
 public:
  ReadLog(std::shared_ptr<const capture::Capture> log, std::vector<int> gpus);

  const capture::Capture& log() const { return *log_; }
  // The index in the machine of one of the log's GPUs; -1 where that GPU is left out.
  int gpu(int of_log) const { return gpus_[static_cast<std::size_t>(of_log)]; }
  const std::vector<LeafFate>& fates() const { return fates_; }
  std::vector<LeafFate>& fates() { return fates_; }

  void carry(const capture::Leaf& leaf, std::string_view field);
  void count(const capture::Leaf& leaf) { fate_of(leaf).counted = true; }
  void leave(const capture::Leaf& leaf, std::string reason);

 private:
  LeafFate& fate_of(const capture::Leaf& leaf) { return fates_[static_cast<std::size_t>(&leaf - log_->leaves.data())]; }

  std::shared_ptr<const capture::Capture> log_;
  std::vector<int> gpus_;
  std::vector<LeafFate> fates_;
};

// Leaves of one kind that are not carried, for one reason.
struct LeavesLeft {
  std::string file;
  std::size_t line = 0;  // of the first
  std::string path;      // without indices: "processes/process_info/pid"
  std::string reason;
  std::size_t times = 0;
};

struct LeafLedger {
  std::deque<ReadLog> logs;

  std::size_t total() const;
  std::size_t carried() const;
  // In the order of the files.
  std::vector<LeavesLeft> left() const;
};

}  // namespace nvmlab::importer
