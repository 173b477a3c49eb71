// SPDX-License-Identifier: Apache-2.0
//
// Processes that work on one GPU at once. Each is asked for by itself; they take turns, so where they want more than
// there is each has its share of it. In a MIG instance a process has the instance's multiprocessors and memory slices
// alone, and only what it does there adds to the GPU. Tests: tests/unit/load/workers_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/topics/load/board_physics.hpp"
#include "engine/topics/load/load_changes.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kNoProcess = ~std::uint32_t{0};

// In the list of those that run.
std::uint32_t place_of_process(const GpuEdit& gpu, std::uint32_t pid);

// From now on the process does this, or, where `kind` is idle, nothing. kInsufficientResources: kMaxWorkers do
// something.
Code set_worker(LoadSegment& segment, std::uint32_t pid, LoadKind kind, const std::uint32_t (&percent)[kBusyEngines]);

bool works(const LoadSegment& segment, std::uint32_t pid);

// Processes that have ended work no more; whether somebody still does, or the work was nobody's.
bool drop_ended(const GpuEdit& gpu, LoadSegment& segment);

// What all of them ask of the GPU: its shares, in the segment, and the rest.
void add_up(const GpuEdit& gpu, LoadSegment& segment);
Demand demand_of(const LoadSegment& segment);

// Their shares of the GPU stand still at 0, or move.
void stop_shares(GpuEdit& gpu, const LoadSegment& segment);
void move_shares(GpuEdit& gpu, const LoadSegment& segment);

}  // namespace nvmlab
