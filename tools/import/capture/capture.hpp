// SPDX-License-Identifier: Apache-2.0
//
// Reads what nvidia-smi printed on a real machine: `nvidia-smi -q -x` (XML, every DTD version) and `nvidia-smi -q`
// (text), alone or inside a larger file of collected command output. The result is a flat list of leaves, because both
// uses want that: an importer looks leaves up by path, a comparison goes through them one by one.
//
// The bytes can be anybody's: whatever they hold, the result is a Capture or an Error with file, line and column;
// input that is too large or nested too deeply is refused. Tests: tests/unit/capture/.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/located_error.hpp"

namespace nvmlab::capture {

// GPU index of a leaf that belongs to the node as a whole (driver version, timestamp).
inline constexpr int node = -1;

// One printed value. Paths join the element names (XML) or the printed keys (text) with '/', relative to the GPU; "@id"
// is an attribute. What can repeat always carries an index or a key, also where it occurs once, so that a path means
// the same in every capture: "processes/process_info[0]/pid", "supported_clocks/supported_mem_clock[2619
// MHz]/supported_graphics_clock[3]".
struct Leaf {
  int gpu = node;
  std::string path;
  std::string value;
  std::size_t line = 0;    // in the file, from 1
  std::size_t column = 1;  // of the value, from 1; of the element in XML
};

enum class Format { xml, text };

struct Capture {
  std::string name;     // of the file, for messages
  std::string section;  // the nearest heading above, where the log lies inside a larger file; else empty
  std::string dtd;      // "v12"; empty for text and for XML without a DOCTYPE
  Format format = Format::xml;
  std::size_t begin = 0;  // of the log within the bytes
  std::size_t end = 0;
  std::vector<std::string> gpus;  // PCI bus ids as printed, in order; their position is the leaves' GPU index
  std::vector<Leaf> leaves;       // in the order of the file

  // The first leaf with that path, or nullptr.
  [[nodiscard]] const Leaf* find(int gpu, std::string_view path) const;
  // As far as a leaf says it: "610.47", also where it is printed as "610.47 [Deprecated; ...]". Else empty.
  [[nodiscard]] std::string_view driver_version() const;
};

using Error = LocatedError;

inline constexpr std::size_t max_bytes = std::size_t{64} << 20;  // 1024 GPUs print about 27 MB
inline constexpr std::size_t max_depth = 64;
inline constexpr std::size_t max_items = 2'000'000;

// What a value says besides the remark that its line is deprecated: "610.47 [Deprecated; ...]".
[[nodiscard]] std::string_view without_remark(std::string_view value);
// Digits between dots, as versions of drivers are: "610.47", "535.161.08".
[[nodiscard]] bool is_version(std::string_view text);

// Whether there is a log, whole or not.
[[nodiscard]] bool holds_log(std::string_view bytes);
// What bytes without a log are, in a few words: "the file is empty".
[[nodiscard]] std::string looks_like(std::string_view bytes);

// Every log that the bytes hold, in order; at least one.
[[nodiscard]] std::expected<std::vector<Capture>, Error> read_captures(std::string_view bytes, std::string name);

// The first log. A file of collected output usually holds the idle state first.
[[nodiscard]] std::expected<Capture, Error> read_capture(std::string_view bytes, std::string name);

}  // namespace nvmlab::capture
