// SPDX-License-Identifier: Apache-2.0
//
// Snapshots as files: a header, what lies beside the states, and the states as an image (engine/store/image.hpp),
// which keeps only the words that are not zero. The bytes follow from the snapshot alone.
// Tests: tests/unit/control/snapshot_file_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "control/snapshot.hpp"

namespace nvmlab::control {

std::vector<std::byte> to_bytes(const Snapshot& snapshot);

// Every bound is checked. The error says what is wrong with the bytes, and what to do.
std::expected<Snapshot, std::string> from_bytes(std::span<const std::byte> bytes);

// Sets magic, format, layout, size and checksum to what everything else demands; to_bytes() has done so. False where
// there is no room for a header.
bool seal_snapshot(std::span<std::byte> bytes);

// Of to_bytes(), for the log.
std::uint64_t checksum_of(const Snapshot& snapshot);

enum class Overwrite : bool { snapshots, anything };

// Complete or not at all. What is no snapshot is only overwritten where that is asked for. Errors name the file.
std::expected<void, std::string> save_snapshot(const Snapshot& snapshot, const std::string& path, Overwrite overwrite);
std::expected<Snapshot, std::string> load_snapshot(const std::string& path);

}  // namespace nvmlab::control
