// SPDX-License-Identifier: Apache-2.0
#include "base/yaml/tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/yaml/simple.hpp"

namespace nvmlab::yaml {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr std::size_t kShortMapping = 32;     // keys; so few are compared one by one
constexpr std::size_t kMaxNodes = 1'000'000;  // aliases can multiply a small file

using File = std::shared_ptr<const std::string>;

struct Event {
  yaml_event_t raw{};
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&raw); }
};

std::string anchor_of(const yaml_char_t* anchor) {
  return anchor == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(anchor));
}

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, File file) : file_(std::move(file)), text_(text) {
    yaml_parser_initialize(&parser_);
    const char* const begin = text.empty() ? "" : text.data();  // libyaml asserts that there is one
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(begin), text.size());
  }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;
  ~TreeBuilder() { yaml_parser_delete(&parser_); }

  std::expected<Node, LocatedError> document() {
    Node root;
    root.place = Place{file_, 1, 1};
    bool seen = false;
    for (;;) {
      Event event;
      if (auto read = next(event); !read) return std::unexpected(read.error());
      switch (event.raw.type) {
        case YAML_STREAM_END_EVENT:
          return root;
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
          break;
        case YAML_DOCUMENT_START_EVENT:
          if (seen) return std::unexpected(at(event.raw.start_mark).error("a second document; one file holds one"));
          seen = true;
          break;
        default:
          if (auto read = value(event, 0, root); !read) return std::unexpected(read.error());
      }
    }
  }

 private:
  Place at(const yaml_mark_t& mark) const { return Place{file_, mark.line + 1, mark.column + 1}; }

  std::expected<void, LocatedError> next(Event& event) {
    if (yaml_parser_parse(&parser_, &event.raw) != 0) return {};
    const Place place = parser_.error == YAML_READER_ERROR ? at_byte(parser_.problem_offset) : at(parser_.problem_mark);
    return std::unexpected(place.error(std::string("not YAML: ") + (parser_.problem ? parser_.problem : "unreadable")));
  }

  // What is no text has no mark: libyaml reads ahead of what it parses.
  Place at_byte(std::size_t offset) const {
    const auto before = text_.substr(0, std::min(offset, text_.size()));
    const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const auto start = before.rfind('\n');
    return Place{file_, line + 1, before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1};
  }

  // Each node is filled where it stays: moving it would take longer than making it.
  std::expected<void, LocatedError> value(const Event& event, std::size_t depth, Node& node) {
    node.place = at(event.raw.start_mark);
    if (depth > kMaxDepth) return too_deep(node);
    deepest_ = std::max(deepest_, depth);
    if (++nodes_ > kMaxNodes) return std::unexpected(node.error("more than a million values"));
    switch (event.raw.type) {
      case YAML_SCALAR_EVENT:
        scalar(event, node);
        return {};
      case YAML_SEQUENCE_START_EVENT:
        return sequence(event, node, depth);
      case YAML_MAPPING_START_EVENT:
        return mapping(event, node, depth);
      case YAML_ALIAS_EVENT: {
        auto found = anchors_.find(anchor_of(event.raw.data.alias.anchor));
        if (found == anchors_.end())
          return std::unexpected(node.error("an alias to an anchor that is not defined before it"));
        const Anchor& anchor = found->second;
        if (depth + anchor.height > kMaxDepth) return too_deep(node);
        deepest_ = std::max(deepest_, depth + anchor.height);
        nodes_ += anchor.nodes;
        if (nodes_ > kMaxNodes) return std::unexpected(node.error("more than a million values"));
        node = anchor.node;
        return {};
      }
      default:
        return std::unexpected(node.error("not YAML: a value was expected here"));
    }
  }

  void scalar(const Event& event, Node& node) {
    const auto& raw = event.raw.data.scalar;
    take_scalar({reinterpret_cast<const char*>(raw.value), raw.length}, raw.style != YAML_PLAIN_SCALAR_STYLE, node);
    remember(raw.anchor, node, nodes_ - 1, 0);
  }

  std::expected<void, LocatedError> sequence(const Event& start, Node& node, std::size_t depth) {
    const std::size_t before = nodes_;
    const std::size_t deepest_before = std::exchange(deepest_, depth);
    node.kind = Kind::sequence;
    for (;;) {
      Event event;
      if (auto read = next(event); !read) return read;
      if (event.raw.type == YAML_SEQUENCE_END_EVENT) break;
      if (auto read = value(event, depth + 1, node.items.emplace_back()); !read) return read;
    }
    remember(start.raw.data.sequence_start.anchor, node, before, deepest_ - depth);
    deepest_ = std::max(deepest_, deepest_before);
    return {};
  }

  std::expected<void, LocatedError> mapping(const Event& start, Node& node, std::size_t depth) {
    const std::size_t before = nodes_;
    const std::size_t deepest_before = std::exchange(deepest_, depth);
    node.kind = Kind::mapping;
    std::map<std::string, Place> seen;  // of long mappings alone
    for (;;) {
      Event key_event;
      if (auto read = next(key_event); !read) return read;
      if (key_event.raw.type == YAML_MAPPING_END_EVENT) break;
      auto& [key, item] = node.entries.emplace_back();
      if (auto read = value(key_event, depth + 1, key); !read) return read;
      if (!key.is_scalar()) return std::unexpected(key.error("a key must be a plain word"));
      if (const std::optional<Place> earlier = earlier_place(node, seen)) {
        return std::unexpected(key.error("'" + key.scalar + "' stands here a second time; the first is in line " +
                                         std::to_string(earlier->line)));
      }
      Event value_event;
      if (auto read = next(value_event); !read) return read;
      if (auto read = value(value_event, depth + 1, item); !read) return read;
    }
    remember(start.raw.data.mapping_start.anchor, node, before, deepest_ - depth);
    deepest_ = std::max(deepest_, deepest_before);
    return {};
  }

  // Where the last key of a mapping stands in it already.
  static std::optional<Place> earlier_place(const Node& mapping, std::map<std::string, Place>& seen) {
    const std::size_t last = mapping.entries.size() - 1;
    const std::string& key = mapping.entries[last].first.scalar;
    if (last < kShortMapping) {
      for (std::size_t i = 0; i < last; ++i) {
        if (const Node& name = mapping.entries[i].first; name.scalar == key) return name.place;
      }
      return std::nullopt;
    }
    for (std::size_t i = seen.size(); i < last; ++i)
      seen.emplace(mapping.entries[i].first.scalar, mapping.entries[i].first.place);
    const auto found = seen.find(key);
    return found == seen.end() ? std::nullopt : std::optional(found->second);
  }

  void remember(const yaml_char_t* anchor, const Node& node, std::size_t before, std::size_t height) {
    if (anchor != nullptr) anchors_[anchor_of(anchor)] = {node, nodes_ - before + 1, height};
  }

  static std::unexpected<LocatedError> too_deep(const Node& node) {
    return std::unexpected(node.error("nested deeper than 64 levels"));
  }

  // What an alias stands for counts as if it were written there: its values, and how deep they are nested.
  struct Anchor {
    Node node;
    std::size_t nodes = 0;
    std::size_t height = 0;
  };

  yaml_parser_t parser_{};
  File file_;
  std::string_view text_;
  std::map<std::string, Anchor> anchors_;
  std::size_t nodes_ = 0;
  std::size_t deepest_ = 0;  // level so far, within the list or mapping that is being read
};

}  // namespace

LocatedError Place::error(std::string message) const {
  return {file == nullptr ? std::string() : *file, line, column, std::move(message)};
}

Node::Node() = default;
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name.scalar == key) return &value;
  }
  return nullptr;
}

std::string_view Node::describe() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return "a single value";
    case Kind::sequence:
      return "a list";
    case Kind::mapping:
      return "a mapping";
  }
  return "something else";
}

std::expected<Node, LocatedError> parse_any(std::string_view text, const std::string& name) {
  auto file = std::make_shared<const std::string>(name);
  if (text.size() > kMaxBytes) return std::unexpected(Place{file, 1, 1}.error("larger than 16 MiB"));
  return TreeBuilder(text, file).document();
}

std::expected<Node, LocatedError> parse(std::string_view text, const std::string& name) {
  Node root;
  if (read_simple(text, std::make_shared<const std::string>(name), root)) return root;
  return parse_any(text, name);
}

namespace {

LocatedError not_read(const std::string& file, int number) {
  if (number == ENOENT || number == ENOTDIR) return {.file = file, .message = "there is no such file"};
  return {.file = file, .message = std::string("cannot be opened for reading: ") + std::strerror(number)};
}

}  // namespace

// Without streams: the first of a process sets up a dozen kinds of locales.
std::expected<Node, LocatedError> parse_file(const std::filesystem::path& path) {
  const std::string file = path.string();
  struct stat status {};
  const bool there = ::stat(file.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode))
    return std::unexpected(LocatedError{.file = file, .message = "is a folder, not a file"});
  if (there && S_ISFIFO(status.st_mode))  // nvmlInit must not wait for whoever may write into it some day
    return std::unexpected(LocatedError{.file = file, .message = "is a FIFO, not a file"});
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::unexpected(not_read(file, errno));
  // One byte more than parse() accepts, so that a larger file (or an endless device) is refused there.
  constexpr std::size_t chunk = 64 << 10;
  std::string text;
  text.resize(std::min<std::size_t>(there ? static_cast<std::size_t>(status.st_size) + 1 : 0, kMaxBytes + 1));
  std::size_t length = 0;
  for (;;) {
    if (length == text.size()) text.resize(std::min(length + chunk, kMaxBytes + 1));
    const ssize_t count = ::read(fd, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    length += static_cast<std::size_t>(count);
    if (length > kMaxBytes) break;
  }
  ::close(fd);
  text.resize(length);
  return parse(text, file);
}

}  // namespace nvmlab::yaml
