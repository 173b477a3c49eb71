// SPDX-License-Identifier: Apache-2.0
// What is read without libyaml is what libyaml makes of it, place by place: of all files that are shipped, of small
// texts that show each rule, and of some ten thousand texts that are made of these by changing a few characters.
#include "base/yaml/simple.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

namespace nvmlab::yaml {
namespace {

namespace fs = std::filesystem;

void tell(const Node& node, std::string& out) {
  out += std::to_string(node.place.line) + ":" + std::to_string(node.place.column) + (node.quoted ? " '" : " ") +
         std::to_string(static_cast<int>(node.kind)) + node.scalar + "(";
  for (const Node& item : node.items)
    tell(item, out);
  for (const auto& [key, value] : node.entries) {
    tell(key, out);
    tell(value, out);
  }
  out += ")";
}
std::string told(const Node& node) {
  std::string out;
  tell(node, out);
  return out;
}

bool is_simple(std::string_view text, Node& root) {
  return read_simple(text, std::make_shared<const std::string>("t.yaml"), root);
}

// Whether it was read without libyaml, and then as by it.
bool agrees(std::string_view text) {
  Node root;
  if (!is_simple(text, root)) return false;
  const auto by_libyaml = parse_any(text, "t.yaml");
  EXPECT_TRUE(by_libyaml) << text;
  if (by_libyaml) {
    EXPECT_EQ(told(root), told(*by_libyaml)) << text;
  }
  return true;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* kSimple[] = {
    "a: 1\n",
    "a: 1",
    "# of something\n\na:   b c  \nd: e # f\n\n# g\n",
    "a: b#c\nd: e:f\ng: h [i], {j}?\n",
    "a:\n  b: 1\n  c: {}\nd: []\n",
    "a:\n- b\n- c: d\n  e:\n  - f\n  - g\nh: i\n",
    "a:\n  - b\n  -   c: d\n      e: f\n  - [g, h]\n",
    "a: {b: c, d: [e, 'f, g', {h: \"i\"}],\n    j: k # l\n    , m: 0x1}\nn: ~\n",
    "a: {b: c,\nd: e}\nf: [-1, .5, 1.0e3, (x), null]\n",
    "a: 'b: c'\nd: \"e # f\"\ng: 580.105.08\n",
    "a:   # b\n  c: 2026-11-23\n",
};

constexpr const char* kLeftToLibyaml[] = {
    "",
    "# a\n",
    "--- a: 1\n",
    "a: 1\n---\nb: 2\n",
    "a: 1\n...\n",
    "a:\n",
    "a: b\n  c\n",
    "a: &b c\n",
    "a: *b\n",
    "a: !b c\n",
    "a: |\n  b\n",
    "a: >\n b\n",
    "a: \"\\n\"\n",
    "a: 'b''c'\n",
    "a: 'b\n",
    "a: b: c\n",
    "a: [b: c]\n",
    "a: {b}\n",
    "a: {b: }\n",
    "a: [b, ]\n",
    "a: [b\n",
    "a: {b: c,",
    "a: 1\n b: 2\n",
    "a: 1\na: 2\n",
    "a\n",
    "- a\n",
    " a: 1\n",
    "a: {b: c d\n e}\n",
    "a: \tb\n",
    "a: b\r\n",
    "a: \xC3\xA4\n",
    "? a\n: b\n",
    "a:b\n",
    "a: 'b'#c\n",
    "a: 'b' c\n",
    "a: @b\n",
    "a: %b\n",
    "null: 1\n",
    "a:\n  - b\n c: d\n",
    "a:\n  -\n    b\n",
    "a:\n  - - b\n",
    "'a': b\n",
};

TEST(YamlSimple, IsAsLibyamlReadsIt) {
  for (const char* text : kSimple)
    EXPECT_TRUE(agrees(text)) << text;
}

TEST(YamlSimple, LeavesTheRestToLibyaml) {
  for (const char* text : kLeftToLibyaml) {
    Node root;
    EXPECT_FALSE(is_simple(text, root)) << text;
  }
  Node root;
  std::string deep = "a: ";
  EXPECT_FALSE(is_simple(deep.append(100'000, '['), root));
  std::string long_mapping;
  for (int i = 0; i < 1000; ++i)
    long_mapping += "k" + std::to_string(i) + ": 1\n";
  EXPECT_FALSE(is_simple(long_mapping, root)) << "each key would be compared with all before it";
}

std::vector<fs::path> files_below(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(std::getenv("NVMLAB_SOURCE_DIR")) / folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

TEST(YamlSimple, ReadsEveryMachineThatIsShipped) {
  for (const fs::path& file : files_below("profiles/machines"))
    EXPECT_TRUE(agrees(contents(file))) << file;
}

TEST(YamlSimple, NoFileOfTheRepositoryIsReadOtherwise) {
  for (const char* folder : {"profiles", "profiles/scenarios", "model", "tests/fuzz/corpus/profile",
                             "tests/fuzz/corpus/mock", "tests/fuzz/corpus/scenario"}) {
    for (const fs::path& file : files_below(folder))
      agrees(contents(file));
  }
}

// What texts are made of is changed character by character, or put together line by line.
class Texts {
 public:
  explicit Texts(unsigned seed) : random_(seed) {
    for (const char* text : kSimple)
      texts_.emplace_back(text);
    for (const char* text : kLeftToLibyaml)
      texts_.emplace_back(text);
  }
  std::string next() { return below(2) == 0 ? changed() : of_lines(); }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string changed() {
    constexpr std::string_view characters = "  \n\n:-#,[]{}'\"?ab0.~&*!|>%@\\\t=<";
    std::string text = texts_[below(texts_.size())];
    if (below(4) == 0) text += texts_[below(texts_.size())];
    for (std::size_t change = below(4); change > 0; --change) {
      const std::size_t at = below(text.size() + 1);
      const char c = characters[below(characters.size())];
      if (const std::size_t kind = below(3); kind == 0 || at == text.size()) {
        text.insert(at, 1, c);
      } else if (kind == 1) {
        text.erase(at, 1 + below(3));
      } else {
        text[at] = c;
      }
    }
    return text;
  }

  std::string of_lines() {
    constexpr const char* pieces[] = {"k: v",   "k:", "l: w x", "- k: v", "- v",   "- l:",   "m: {a: b,", "c: d}",
                                      "m: [a,", "b]", "# c",    "",       "n: {}", "- []",   "o: 'p'",    "q: v # r",
                                      "- k:",   "v",  "}",      "s: {t:", "}, ",   "-  k: v"};
    std::string text;
    for (std::size_t line = 2 + below(6); line > 0; --line)
      text += std::string(below(3) * 2, ' ') + pieces[below(std::size(pieces))] + "\n";
    return text;
  }

  std::mt19937 random_;
  std::vector<std::string> texts_;
};

TEST(YamlSimple, NoTextIsReadOtherwise) {
  constexpr std::size_t kTexts = 100'000;
  Texts texts(11);
  std::size_t simple = 0;
  for (std::size_t i = 0; i < kTexts && !testing::Test::HasFailure(); ++i)
    simple += agrees(texts.next()) ? 1 : 0;
  EXPECT_GT(simple, kTexts / 50) << "or nothing was compared";
}

}  // namespace
}  // namespace nvmlab::yaml
