// SPDX-License-Identifier: Apache-2.0
// The registry as text: read back exactly, and refused with its place where it is wrong.
#include "codegen/model/registry_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/io/files.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

Registry sample_registry() {
  return merge({test::extracted(test::sample_header, "1.0"), test::extracted("void nvmlOther(void);", "1.1")}).value();
}

TEST(RegistryFile, IsReadBackExactly) {
  const Registry registry = sample_registry();
  const std::string text = to_text(registry);
  const auto again = parse_registry(text, "r.json");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, registry);
  EXPECT_EQ(to_text(*again), text);
}

TEST(RegistryFile, HoldsOneDefinitionALine) {
  const std::string text = to_text(sample_registry());
  const std::size_t at = text.find("\"nvmlDeviceGetName\"");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(
      text.substr(at, text.find('\n', at) - at),
      R"("nvmlDeviceGetName": [{"since":"1.0","until":"1.0","returns":"nvmlReturn_t","parameters":[{"name":"device","type":"nvmlDevice_t"},)"
      R"({"name":"name","type":"char*"},{"name":"length","type":"const unsigned int"}]}],)");
}

TEST(RegistryFile, CommittedOneIsInItsOwnForm) {
  const auto text = read_file(test::source_folder() / "model" / "facts" / "nvml.json");
  ASSERT_TRUE(text);
  EXPECT_TRUE(to_text(test::committed_registry()) == *text)
      << "someone edited model/facts/nvml.json; only nvmlgen extract writes it";
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto registry = parse_registry(text, "r.json");
  return registry ? "(accepted)" : registry.error().text();
}

TEST(RegistryFile, BrokenJsonHasLineAndColumn) {
  EXPECT_TRUE(error_of("{\n  \"format\" 1\n}").starts_with("r.json:2:12: not valid JSON"))
      << error_of("{\n  \"format\" 1\n}");
  EXPECT_TRUE(error_of("").starts_with("r.json:1:1: not valid JSON")) << error_of("");
  const std::string whole = to_text(sample_registry());
  for (const std::size_t length : {whole.size() / 4, whole.size() / 2, whole.size() - 3}) {
    EXPECT_NE(error_of(whole.substr(0, length)).find("not valid JSON"), std::string::npos) << length;
  }
}

TEST(RegistryFile, WrongShapesNameTheEntity) {
  const std::string good = to_text(sample_registry());
  const auto line_of = [&](std::string_view what) { return position_of(good, good.find(what)).first; };
  EXPECT_EQ(error_of("[]"), "r.json: not a registry: no 'format'; write it with nvmlgen extract");
  EXPECT_NE(error_of(replaced(good, "\"format\": 1", "\"format\": 2")).find("format 2; this nvmlgen reads format 1"),
            std::string::npos);
  const std::string unknown = error_of(replaced(good, R"("returns":"const char*")", R"("retruns":"const char*")"));
  EXPECT_NE(unknown.find("functions/nvmlErrorString: unknown key 'retruns'"), std::string::npos) << unknown;
  EXPECT_TRUE(unknown.starts_with(fmt::format("r.json:{}:", line_of("\"nvmlErrorString\"")))) << unknown;
  EXPECT_NE(error_of(replaced(good, R"("size":120)", R"("size":-1)")).find("'size' must be a number from 0 up"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, R"("size":120)", R"("size":"128")")).find("'size' must be"), std::string::npos);
  EXPECT_NE(error_of(replaced(good, R"("kind":"union")", R"("kind":"class")")).find("kind 'class'"), std::string::npos);
  EXPECT_NE(
      error_of(replaced(good, R"("kind":"bit_range")", R"("kind":"range")")).find("unknown kind of macro 'range'"),
      std::string::npos);
  EXPECT_NE(error_of(replaced(good, R"("type":"char*")", R"("type":"char[]")")).find("not a type"), std::string::npos);
  EXPECT_NE(error_of(replaced(good, R"("value":-1)", R"("value":1.5)")).find("whole number"), std::string::npos);
  EXPECT_NE(error_of(replaced(good, "\"handles\": {", "\"handels\": {")).find("handles"), std::string::npos);
}

TEST(RegistryFile, MissingFileIsNamed) {
  const auto registry = load_registry("/nowhere/nvml.json");
  ASSERT_FALSE(registry);
  EXPECT_EQ(registry.error().file, "/nowhere/nvml.json");
}

}  // namespace
}  // namespace nvmlab::codegen
