// SPDX-License-Identifier: Apache-2.0
// binding/nvmlab/abi/generated/return_texts.hpp: what each return code means, from model/return_codes.yaml. One table
// for the simulated driver and for the binding. Generation stops at a code of the newest header without a row.
// return_names.hpp beside it: how each is called, for what reads and writes names of codes.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "base/yaml/tree.hpp"
#include "codegen/emit/abi.hpp"

namespace nvmlab::codegen {
namespace {

constexpr std::string_view kBody =
    "inline constexpr unsigned short kNoDriver = 0xFFFF;\n\n"
    "struct ReturnText {\n"
    "  nvmlReturn_t code;\n"
    "  unsigned short since;  // major release of the first driver with this text; 0: all of them\n"
    "  char text[64];         // in the table itself, so that nothing is left for whoever loads it to fill in\n"
    "};\n\n"
    "inline constexpr ReturnText return_texts[] = {\n";

constexpr std::string_view kNamesBody =
    "struct ReturnName {\n"
    "  nvmlReturn_t code;\n"
    "  const char* name;\n"
    "};\n\n"
    "inline constexpr ReturnName return_names[] = {\n";

Result<std::string> line_of(const std::string& code, const yaml::Node& row) {
  std::string text;
  std::string since = "0";
  if (!row.is_mapping()) return fail_at(row, fmt::format("{}: keys were expected, not {}", code, row.describe()));
  for (const auto& [key, value] : row.entries) {
    if (!value.is_scalar())
      return fail_at(value, fmt::format("'{}' is one word, not {}", key.scalar, value.describe()));
    if (key.scalar == "text") {
      text = value.scalar;
    } else if (key.scalar == "ours") {
      text = value.scalar;
      since = "kNoDriver";
    } else if (key.scalar == "since") {
      unsigned major = 0;
      const char* const end = value.scalar.data() + value.scalar.size();
      if (const auto [at, error] = std::from_chars(value.scalar.data(), end, major); error != std::errc() || at != end)
        return fail_at(value, "the major release of a driver was expected");
      since = fmt::format("{}", major);
    } else if (key.scalar != "remedy") {  // of emit/nvml/advice.cpp
      return fail_at(key, fmt::format("'{}' is not one of text, ours, since, remedy", key.scalar));
    }
  }
  if (text.empty()) return fail_at(row, fmt::format("{} has neither 'text' nor 'ours'", code));
  return fmt::format("    {{{}, {}, \"{}\"}},\n", code, since, text);
}

}  // namespace

std::expected<void, Error> emit_return_codes(const Inputs& inputs, Output& output) {
  const auto file = yaml::parse_file(inputs.root / "model" / "return_codes.yaml");
  if (!file) return std::unexpected(file.error());
  const Enum* const codes = abi::enum_with(inputs.newest, "NVML_ERROR_UNINITIALIZED");
  if (codes == nullptr) return fail("the newest header has no return codes");

  std::string rows;
  std::string names;
  for (const Enumerator& code : codes->enumerators) {
    const yaml::Node* const row = file->find(code.name);
    if (row == nullptr) return fail(fmt::format("model/return_codes.yaml has no row for {}", code.name));
    auto line = line_of(code.name, *row);
    if (!line) return std::unexpected(line.error());
    rows += *line;
    names += fmt::format("    {{{0}, \"{0}\"}},\n", code.name);
  }
  for (const auto& [name, row] : file->entries) {
    const auto known = std::ranges::find(codes->enumerators, name.scalar, &Enumerator::name);
    if (known == codes->enumerators.end()) return fail_at(name, fmt::format("{} is no return code", name.scalar));
  }
  output.add("binding/nvmlab/abi/generated/return_texts.hpp",
             abi::header_text("What each return code means, from model/return_codes.yaml.",
                              "#include \"nvmlab/abi/generated/enums.hpp\"\n", fmt::format("{}{}}};\n", kBody, rows)));
  output.add("binding/nvmlab/abi/generated/return_names.hpp",
             abi::header_text("How each return code is called.", "#include \"nvmlab/abi/generated/enums.hpp\"\n",
                              fmt::format("{}{}}};\n", kNamesBody, names)));
  return {};
}

}  // namespace nvmlab::codegen
