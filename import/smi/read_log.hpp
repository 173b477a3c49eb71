// SPDX-License-Identifier: Apache-2.0
//
// A log of nvidia-smi (`-q`, `-q -x`, or a row of --query-gpu that stands for one) into the evidence: leaf by leaf
// through the table of rules.hpp, then what takes several leaves. Internal to the importer.
#pragma once

#include <span>

#include "import/capture/capture.hpp"
#include "import/evidence/evidence.hpp"

namespace nvmlab::importer {

// A log whose GPUs are these; null for one that is left out.
void read_log(Evidence& evidence, const capture::Capture& log, std::span<Subject* const> gpus, std::size_t source);

// All leaves of one capture, through the table. `gpus` are those of the capture; null for one that is left out.
void read_leaves(Evidence& evidence, const capture::Capture& capture, std::span<Subject* const> gpus,
                 std::size_t source);
// What takes more than one leaf: lists, memory, fans (composites.cpp, processes.cpp). `leaves` are those of one GPU.
void read_composites(Evidence& evidence, const capture::Capture& capture, std::span<const capture::Leaf* const> leaves,
                     Subject& subject, std::size_t source);
// The MIG devices of one GPU in a log (read_mig_devices.cpp).
void read_mig_devices(const capture::Capture& capture, std::span<const capture::Leaf* const> leaves, Subject& subject,
                      std::size_t source);

// The GPU of the capture among those that are known; null where it is none of them.
Subject* subject_of(Evidence& evidence, const capture::Capture& capture, int gpu);

yaml::Place place_of(const capture::Capture& capture, const capture::Leaf& leaf);

}  // namespace nvmlab::importer
