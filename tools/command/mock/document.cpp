// SPDX-License-Identifier: Apache-2.0
#include "command/mock/document.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/write_file.hpp"

namespace nvmlab::tool::mock {
namespace {

constexpr unsigned kReadByAll = 0644;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    const bool plain = static_cast<unsigned char>(c) >= 0x20;
    out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out + '"';
}

void write_node(const yaml::Node& node, std::size_t depth, std::string& out);

void write_entries(const yaml::Node& node, std::size_t depth, std::string& out) {
  for (const auto& [key, value] : node.entries) {
    out += std::string(depth * 2, ' ') + (key.quoted ? quoted(key.scalar) : key.scalar) + ":";
    write_node(value, depth + 1, out);
  }
}

// What stands behind a key or a dash.
void write_node(const yaml::Node& node, std::size_t depth, std::string& out) {
  if (node.is_mapping() && !node.entries.empty()) {
    out += '\n';
    return write_entries(node, depth, out);
  }
  if (node.is_sequence() && !node.items.empty()) {
    out += '\n';
    for (const yaml::Node& item : node.items) {
      out += std::string(depth * 2, ' ') + "-";
      write_node(item, depth + 1, out);
    }
    return;
  }
  out += ' ';
  if (node.is_mapping()) out += "{}";
  if (node.is_sequence()) out += "[]";
  if (node.is_null()) out += "null";
  if (node.is_scalar()) out += node.quoted ? quoted(node.scalar) : node.scalar;
  out += '\n';
}

void erase(yaml::Node& mapping, std::string_view key) {
  std::erase_if(mapping.entries, [&](const auto& entry) { return entry.first.scalar == key; });
}

std::string index_key(std::uint32_t gpu) { return std::to_string(gpu); }

}  // namespace

std::string overrides_path(const std::string& config) {
  const char* const named = std::getenv("MOCK_NVML_OVERRIDES");
  if (named != nullptr && *named != '\0') return named;
  return config.empty() ? "" : (std::filesystem::path(config).parent_path() / "overrides.yaml").string();
}

yaml::Node yaml_scalar(std::string value) {
  yaml::Node node;
  node.kind = yaml::Kind::scalar;
  node.scalar = std::move(value);
  return node;
}

yaml::Node yaml_text(std::string value) {
  yaml::Node node = yaml_scalar(std::move(value));
  node.quoted = true;
  return node;
}

yaml::Node yaml_mapping() {
  yaml::Node node;
  node.kind = yaml::Kind::mapping;
  return node;
}

yaml::Node& yaml_member(yaml::Node& mapping, std::string_view key) {
  for (auto& [name, value] : mapping.entries) {
    if (name.scalar == key) return value;
  }
  const bool number = !key.empty() && key.find_first_not_of("0123456789") == std::string_view::npos;
  return mapping.entries
      .emplace_back(number ? yaml_text(std::string(key)) : yaml_scalar(std::string(key)), yaml::Node{})
      .second;
}

void merge(yaml::Node& into, const yaml::Node& from) {
  if (!from.is_mapping() || !into.is_mapping()) {
    into = from;
    return;
  }
  for (const auto& [key, value] : from.entries)
    merge(yaml_member(into, key.scalar), value);
}

std::expected<OverridesDocument, std::string> OverridesDocument::read(const std::string& path) {
  OverridesDocument document;
  if (!std::filesystem::exists(path)) return document;
  std::ifstream file(path, std::ios::binary);
  document.text_as_read_.assign(std::istreambuf_iterator<char>(file), {});
  if (!file) return std::unexpected(fmt::format("{}: cannot be read", path));
  auto root = yaml::parse(document.text_as_read_, path);
  if (!root) return std::unexpected(root.error().text());
  if (root->is_null()) return document;
  if (!root->is_mapping())
    return std::unexpected(root->error(fmt::format("{} was found; overrides are a mapping", root->describe())).text());
  document.root_ = std::move(*root);
  return document;
}

yaml::Node& OverridesDocument::block(std::optional<std::uint32_t> gpu) {
  const auto mapping = [](yaml::Node& node) -> yaml::Node& {
    if (!node.is_mapping()) node = yaml_mapping();
    return node;
  };
  if (!gpu) return mapping(yaml_member(root_, "all"));
  return mapping(yaml_member(mapping(yaml_member(root_, "devices")), index_key(*gpu)));
}

const yaml::Node* OverridesDocument::find(std::optional<std::uint32_t> gpu) const {
  const yaml::Node* const node = root_.find(gpu ? "devices" : "all");
  if (!gpu || node == nullptr || !node->is_mapping()) return gpu ? nullptr : node;
  return node->find(index_key(*gpu));
}

void OverridesDocument::clear(std::optional<std::uint32_t> gpu) {
  if (gpu) {
    for (auto& [key, value] : root_.entries)
      if (key.scalar == "devices") erase(value, index_key(*gpu));
  } else {
    erase(root_, "all");
    erase(root_, "devices");
  }
}

bool OverridesDocument::empty() const {
  return std::ranges::none_of(root_.entries, [](const auto& entry) {
    return (entry.first.scalar == "all" || entry.first.scalar == "devices") && !entry.second.entries.empty();
  });
}

std::string OverridesDocument::text(std::optional<std::uint32_t> gpu) const {
  yaml::Node shown = yaml_mapping();
  yaml_member(shown, "version") = yaml_scalar("1");
  for (const auto& [key, value] : root_.entries) {
    if (key.scalar == "version" || value.entries.empty()) continue;
    yaml::Node& copy = yaml_member(shown, key.scalar);
    copy = value;
    if (gpu && key.scalar == "devices")
      std::erase_if(copy.entries, [&](const auto& entry) { return entry.first.scalar != index_key(*gpu); });
    for (auto& [name, block] : copy.entries)
      name.quoted = key.scalar == "devices";
  }
  std::string out;
  write_entries(shown, 0, out);
  return out;
}

std::expected<void, std::string> OverridesDocument::write(const std::string& path) const {
  const std::string whole = text();
  std::vector<std::byte> bytes(whole.size());
  std::memcpy(bytes.data(), whole.data(), whole.size());
  return write_file(path, bytes, kReadByAll);
}

std::expected<OverridesLock, std::string> OverridesLock::take(const std::string& path) {
  const std::string lock = path + ".lock";
  const int fd = ::open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, kReadByAll);
  if (fd < 0) return std::unexpected(fmt::format("{}: {}", lock, std::strerror(errno)));
  while (::flock(fd, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const std::string why = std::strerror(errno);
    ::close(fd);
    return std::unexpected(fmt::format("{}: {}", lock, why));
  }
  return OverridesLock(fd);
}

OverridesLock::~OverridesLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace nvmlab::tool::mock
