// SPDX-License-Identifier: Apache-2.0
// The topics of model/state/, one file each.
#include <algorithm>

#include "base/yaml/tree.hpp"
#include "codegen/state/read_field.hpp"

namespace nvmlab::codegen {
namespace {

using yaml::Node;

Result<std::vector<StateField>> read_fields(const Node& node) {
  std::vector<StateField> fields;
  for (const auto& [key, value] : node.entries) {
    auto field = codegen::read_field(key, value);
    if (!field) return std::unexpected(field.error());
    fields.push_back(std::move(*field));
  }
  return fields;
}

Result<StateTopic> read_topic(const Node& root, const std::string& stem) {
  StateTopic topic;
  for (const auto& [key, value] : root.entries) {
    if (key.scalar == "topic") {
      topic.name = value.scalar;
      if (topic.name != stem) return fail_at(value, "the topic's name must be the file's name, '" + stem + "'");
    } else if (key.scalar == "of") {
      if (value.scalar != "gpu" && value.scalar != "node") return fail_at(value, "`of` is gpu or node");
      topic.of_node = value.scalar == "node";
    } else if (key.scalar == "doc") {
      topic.doc = value.scalar;
    } else if (key.scalar == "records") {
      for (const auto& [name, fields] : value.entries) {
        auto read = read_fields(fields);
        if (!read) return std::unexpected(read.error());
        topic.records.push_back({name.scalar, std::move(*read)});
      }
    } else if (key.scalar == "fields") {
      auto read = read_fields(value);
      if (!read) return std::unexpected(read.error());
      topic.fields = std::move(*read);
    } else {
      return fail_at(key, "'" + key.scalar + "' is not a part of a topic; one of topic, of, doc, records, fields");
    }
  }
  for (const StateField& field : topic.fields) {
    if (!field.record.empty() && topic.record(field.record) == nullptr) {
      return fail_at(
          root, "field '" + field.name + "' names the record '" + field.record + "', which this topic does not define");
    }
  }
  return topic;
}

}  // namespace

Result<Vocabulary> load_vocabulary(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (failed) return fail_at(folder.string(), 0, 0, failed.message());
  std::ranges::sort(files);
  Vocabulary vocabulary;
  for (const auto& file : files) {
    auto root = yaml::parse_file(file);
    if (!root) return std::unexpected(root.error());
    auto topic = read_topic(*root, file.stem().string());
    if (!topic) return std::unexpected(topic.error());
    vocabulary.topics.push_back(std::move(*topic));
  }
  return vocabulary;
}

}  // namespace nvmlab::codegen
