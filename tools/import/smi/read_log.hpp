// SPDX-License-Identifier: Apache-2.0
//
// A log of nvidia-smi (`-q`, `-q -x`, or rows of CSV that stand for one) into the evidence: leaf by leaf through the
// table of rules.hpp, then what takes several leaves. Of each leaf it is noted what became of it. Internal to the
// importer.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/capture/capture.hpp"
#include "import/evidence/evidence.hpp"

namespace nvmlab::importer {

yaml::Place place_of(const capture::Capture& capture, const capture::Leaf& leaf);

// A log that is being read: where what it says goes.
struct LogReading {
  Evidence& evidence;
  const capture::Capture& capture;
  std::span<Subject* const> gpus;  // of the log's; null for one that is left out
  std::size_t source = 0;
  ReadLog& fates;

  Origin origin(const capture::Leaf& leaf) const { return {source, place_of(capture, leaf)}; }
  // The leaf says this of the field, alone or as one of several; what it says is left out where it cannot be.
  void observe(Subject& subject, std::string_view field, const compiler::Literal& value,
               const capture::Leaf& leaf) const;
  void observe(Subject& subject, std::string_view field, const compiler::Literal& value, const capture::Leaf& leaf,
               const Origin& origin) const;
  // The leaf is left out, and a note says so.
  void leave_noted(const capture::Leaf& leaf, const std::string& reason) const;
};

// A log whose GPUs are these; null for one that is left out.
ReadLog& read_log(Evidence& evidence, std::shared_ptr<const capture::Capture> log, std::span<Subject* const> gpus,
                  std::size_t source);

// All leaves of one log, through the table.
void read_leaves(const LogReading& reading);
// What takes more than one leaf: lists, memory, fans (composites.cpp, processes.cpp). `leaves` are those of one GPU.
void read_composites(const LogReading& reading, std::span<const capture::Leaf* const> leaves, Subject& subject);
// The MIG devices of one GPU in a log (read_mig_devices.cpp).
void read_mig_devices(const LogReading& reading, std::span<const capture::Leaf* const> leaves, Subject& subject);

// The licences of all GPUs of a guest, by the leaves of each (licenses.cpp).
void read_licenses(const LogReading& reading, std::span<const std::vector<const capture::Leaf*>> leaves);

// When everything is read and worked out: leaves whose fields others took the place of are carried no more, and each
// that is not carried has a reason (settle_leaves.cpp).
void settle_leaves(Evidence& evidence);

}  // namespace nvmlab::importer
