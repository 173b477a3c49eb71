// SPDX-License-Identifier: Apache-2.0
//
// What the two readers hand to the common part: the printed tree, in order, as one flat list. A list with depths
// (rather than nodes that own nodes) means that no input, however nested, makes anything recurse. Internal to
// compiler/capture and to importers of other XML.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "import/capture/capture.hpp"

namespace nvmlab::capture {

struct Item {
  std::size_t depth = 0;  // 0: belongs to the node; a GPU's own items have depth 1 and more
  std::string name;
  std::string value;
  bool has_value = false;
  bool is_gpu = false;  // starts GPU number n; its value is the bus id as printed
  std::size_t line = 0;
  std::size_t column = 1;
};

using Items = std::vector<Item>;

// Gives every item its stable path and keeps those that hold a value.
void flatten(const Items& items, Capture& into);

// Where a log begins and ends in the bytes, and what stands above it.
struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t first_line = 1;
  Format format = Format::xml;
  std::string section;
  std::string dtd;
  std::string_view tool = "nvidia-smi -q -x";  // what prints it, for messages
  std::size_t indent = 0;                      // of the text as a whole: somebody pasted it into something else
};

// XML of any tool, below its root element; attributes are items "@name" below their element.
std::expected<Items, Error> read_xml(std::string_view log, const Extent& extent, const std::string& name);
std::expected<Items, Error> read_text(std::string_view log, const Extent& extent, const std::string& name);

std::string_view trim(std::string_view text);
// "...": stands in the place of lines that somebody left out.
bool is_ellipsis(std::string_view line);
// Bytes of unknown origin, short enough and harmless for a message.
std::string quoted(std::string_view text);

}  // namespace nvmlab::capture
