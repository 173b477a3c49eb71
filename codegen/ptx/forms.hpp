// SPDX-License-Identifier: Apache-2.0
// The forms of PTX that model/ptx/*.tsv name: a row has a pattern, in which "{a,b}" stands for either, and the test
// kernel that executes each, or "refused" and why. Standard headers alone, as the tests read them, too
// (tests/unit/kernels/forms/).
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::ptx_forms {

struct Row {
  std::string section;  // the file's name
  std::string pattern;
  std::vector<std::string> forms;
  std::string kernel;  // "refused": not executed
  std::string why;
};

struct CensusRow {
  std::string form;
  std::uint64_t count = 0;
};

inline std::vector<std::string> expanded(std::string_view pattern) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return {std::string(pattern)};
  const std::size_t close = pattern.find('}', open);
  std::vector<std::string> all;
  std::size_t from = open + 1;
  while (from <= close) {
    const std::size_t to = std::min(pattern.find(',', from), close);
    const std::string head = std::string(pattern.substr(0, open)) + std::string(pattern.substr(from, to - from));
    for (const std::string& tail : expanded(pattern.substr(close + 1)))
      all.push_back(head + tail);
    from = to + 1;
  }
  return all;
}

inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> all;
  std::size_t from = 0;
  for (std::size_t to = 0; to != std::string::npos; from = to + 1) {
    to = line.find('\t', from);
    all.push_back(line.substr(from, to == std::string::npos ? to : to - from));
  }
  return all;
}

template <class Body>
void each_line(const std::filesystem::path& file, Body body) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') body(fields_of(line));
  }
}

// In the order of the files' names.
inline std::vector<Row> rows_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.path().extension() == ".tsv" && each.path().stem() != "census") files.push_back(each.path());
  }
  std::ranges::sort(files);
  std::vector<Row> all;
  for (const auto& file : files) {
    each_line(file, [&](const std::vector<std::string>& fields) {
      all.push_back({file.stem().string(), fields[0], expanded(fields[0]), fields.size() > 1 ? fields[1] : "",
                     fields.size() > 2 ? fields[2] : ""});
    });
  }
  return all;
}

inline std::vector<CensusRow> census_of(const std::filesystem::path& folder) {
  std::vector<CensusRow> all;
  each_line(folder / "census.tsv", [&](const std::vector<std::string>& fields) {
    all.push_back({fields[0], fields.size() > 1 ? std::stoull(fields[1]) : 0});
  });
  return all;
}

inline std::vector<std::string> words_of(std::string_view form) {
  std::vector<std::string> all;
  while (!form.empty()) {
    std::size_t dot = form.find('.');
    all.emplace_back(form.substr(0, dot));
    form = dot == std::string_view::npos ? std::string_view{} : form.substr(dot + 1);
  }
  return all;
}

// Compilers write modifiers in several orders; that of types says which is which.
inline std::string key_of(std::string_view form) {
  std::vector<std::string> words = words_of(form);
  std::string types;
  std::vector<std::string> others;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool type = word.size() > 1 && std::string_view("usfbte").find(word[0]) != std::string_view::npos &&
                      word.find_first_of("0123456789") != std::string::npos && word.find("::") == std::string::npos;
    if (type) {
      types += "." + word;
    } else {
      others.push_back(word);
    }
  }
  std::ranges::sort(others);
  std::string key = words[0];
  for (const std::string& each : others)
    key += "." + each;
  return key + types;
}

}  // namespace nvmlab::ptx_forms
