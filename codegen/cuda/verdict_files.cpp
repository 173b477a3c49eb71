// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/verdict_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/facts.hpp"

namespace nvmlab::codegen::cuda {
namespace {

using yaml::Node;
using Symbols = std::set<std::string>;

// Symbols that a key of a `functions` mapping stands for: itself and its forms for each default stream.
std::vector<std::string> forms_of(const std::string& symbol, const Symbols& symbols) {
  std::vector<std::string> forms;
  for (const char* stream : {"", "_ptds", "_ptsz"}) {
    if (symbols.contains(symbol + stream)) forms.push_back(symbol + stream);
  }
  return forms;
}

std::expected<void, Error> accept_all(const Node& functions, const std::string& topic, const VerdictReader& reader,
                                      Symbols& told) {
  for (const auto& [key, value] : functions.entries) {
    const auto forms = forms_of(key.scalar, reader.symbols);
    if (forms.empty()) return fail_at(key, fmt::format("there is no function {}", key.scalar));
    for (const std::string& form : forms) {
      if (auto read = reader.accept(form, value, topic); !read) return read;
      if (!told.insert(form).second) return fail_at(key, fmt::format("{} has a verdict already", form));
    }
  }
  return {};
}

// A base name has those of its versions that nothing else was said of.
std::expected<void, Error> refuse_all(const Node& groups, const std::string& topic, const VerdictReader& reader,
                                      Symbols& told) {
  for (const Node& group : groups.items) {
    const std::string why = text_of(group, "why");
    const Node* const names = group.find("functions");
    if (why.empty() || names == nullptr || !names->is_sequence())
      return fail_at(group, "{why: reason, functions: [names without their versions]} was expected");
    for (const Node& name : names->items) {
      bool any = false;
      for (const std::string& symbol : reader.symbols) {
        if (parts_of(symbol).base != name.scalar || !told.insert(symbol).second) continue;
        reader.refuse(symbol, why, topic);
        any = true;
      }
      if (!any) return fail_at(name, fmt::format("there is no function {} without a verdict", name.scalar));
    }
  }
  return {};
}

Result<std::vector<Node>> topic_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Node> files;
  for (const auto& path : paths) {
    auto file = yaml::parse_file(path);
    if (!file) return std::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  return files;
}

}  // namespace

std::string text_of(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  return found == nullptr ? std::string{} : found->scalar;
}

std::expected<void, Error> read_verdict_files(const std::filesystem::path& folder, const VerdictReader& reader) {
  const auto files = topic_files(folder);
  if (!files) return std::unexpected(files.error());
  Symbols told;
  for (const bool refusals : {false, true}) {
    for (const Node& file : *files) {
      const Node* const found = file.find(refusals ? "unsupported" : "functions");
      if (found == nullptr) continue;
      const std::string topic = text_of(file, "topic");
      auto read = refusals ? refuse_all(*found, topic, reader, told) : accept_all(*found, topic, reader, told);
      if (!read) return read;
    }
  }
  for (const std::string& symbol : reader.symbols) {
    if (!told.contains(symbol)) return fail(fmt::format("{} has no verdict in {}", symbol, folder.string()));
  }
  return {};
}

}  // namespace nvmlab::codegen::cuda
