// SPDX-License-Identifier: Apache-2.0
//
// Reads what `nvmlab record` wrote (docs/reference/recordings.md): calls with what they were given and what came back,
// in the order of the file. Importers and comparisons look at the same records.
//
// The bytes can be anybody's: whatever they hold, the result is a Recording or an Error with file and line; data
// that unpacks to more than a recording can be is refused. Tests: tests/unit/recording/,
// tests/fuzz/recording_fuzzer.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/located_error.hpp"

namespace nvmlab::recording {

// What a call was about. All absent: the machine.
struct CallSubject {
  std::optional<unsigned> gpu;               // by index
  std::optional<unsigned> mig;               // a MIG device of the GPU, by index
  std::optional<unsigned> gpu_instance;      // of the GPU, by id
  std::optional<unsigned> compute_instance;  // of the GPU instance, by id
  std::optional<unsigned> peer;              // the other GPU of a pair
  std::optional<unsigned> unit;              // by index
  std::optional<unsigned> vgpu_type;         // by id
  std::optional<unsigned> vgpu;              // an active vGPU, by number

  bool operator==(const CallSubject&) const = default;
  bool of_machine() const { return *this == CallSubject{}; }
  bool of_gpu(unsigned index) const;  // of this GPU and of nothing within it
  std::string text() const;           // "gpu 0, mig 1"; "machine"
};

struct Call {
  std::string function;
  CallSubject subject;
  nlohmann::json in = nlohmann::json::object();
  nlohmann::json out = nlohmann::json::object();
  std::string code;                // "SUCCESS", "NOT_SUPPORTED"; a number where no header names it
  std::optional<unsigned> number;  // of a field, as the driver numbers it
  std::size_t line = 0;            // in the text, from 1

  bool succeeded() const { return code == "SUCCESS"; }
  bool lacking() const;  // the library has no such function
};

struct Header {
  nlohmann::json all;  // the whole line
  std::string tool;
  std::string header;  // newest NVML header that the recorder knew
  std::string taken;
  std::string host;
  std::string library;
  std::string driver;  // empty: not answered
  std::string nvml;
  std::optional<int> cuda;
  unsigned gpus = 0;
  unsigned units = 0;
  bool masked = false;
};

struct Recording {
  std::string name;  // of the file, for messages
  Header header;
  std::vector<Call> calls;
  bool complete = false;
};

using Error = LocatedError;  // the line is that of the text

struct Options {
  // Take what there is of a recording that was cut off, up to its last whole line.
  bool partial = false;
  std::size_t max_bytes = std::size_t{256} << 20;  // of the text
};

// Compressed or not; by the first bytes.
bool is_recording(std::string_view bytes);

std::expected<Recording, Error> read_bytes(const std::string& name, std::string_view bytes,
                                           const Options& options = {});
std::expected<Recording, Error> read_file(const std::filesystem::path& path, const Options& options = {});

// The number of anything that a recording calls by its C name: enumerators, field ids, metrics, PRM counters.
std::optional<std::int64_t> enumerator(std::string_view name);

// An integer of `in` or `out`: a number, or a C name.
std::optional<std::int64_t> integer(const nlohmann::json& value);

// "NOT_SUPPORTED" -> 3, "999" -> 999.
std::optional<int> return_code(std::string_view code);

}  // namespace nvmlab::recording
