// SPDX-License-Identifier: Apache-2.0
// Sides for tests, in few words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/compare.hpp"

namespace nvmlab::compare {

inline Statement value(const std::string& name, const std::string& text, Nature nature = Nature::steady) {
  Statement made;
  made.topic = name.substr(0, name.find('.'));
  made.name = name;
  made.text = text;
  made.nature = nature;
  return made;
}

inline Statement code(const std::string& name, const std::string& which, Nature nature = Nature::steady) {
  Statement made = value(name, which, nature);
  made.code = true;
  return made;
}

inline Statement list(const std::string& name, const std::vector<Part>& parts, std::size_t count) {
  Statement made = value(name, "");
  made.shape = StatementShape::list;
  made.count = count;
  made.parts = parts;
  return made;
}

// What nobody says of the side, but would be assumed.
inline Statement assumed(Statement made) {
  made.observed = false;
  return made;
}

// Not supported, because nothing was said.
inline Statement silence(const std::string& name) {
  Statement made = code(name, "NOT_SUPPORTED");
  made.silent = true;
  return made;
}

// One GPU for each list of statements.
inline Side side(const std::vector<std::vector<Statement>>& gpus, std::vector<Statement> node = {}) {
  Side made;
  made.node.statements = std::move(node);
  for (const auto& statements : gpus)
    made.gpus.push_back({{}, {}, {}, statements});
  return made;
}

}  // namespace nvmlab::compare
