// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/trace_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "codegen/emit/export_bodies.hpp"
#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen {
namespace {

constexpr std::size_t kMostMembers = 24;  // of a struct; a line has no room for more

constexpr std::pair<std::string_view, std::string_view> kScalars[] = {
    {"int", "i4"},           {"unsigned int", "u4"}, {"long long", "i8"},      {"unsigned long long", "u8"},
    {"unsigned long", "u8"}, {"long", "i8"},         {"unsigned short", "u2"}, {"short", "i2"},
    {"unsigned char", "u1"}, {"signed char", "i1"},  {"double", "f8"},         {"char", "c1"}};

class TraceTypes {
 public:
  explicit TraceTypes(const Release& release) : release_(release) {}

  // "device:D sensorType:u4 temp:u4*"
  std::string parameters(const Function& function) {
    std::string text;
    for (const Parameter& parameter : function.parameters)
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", parameter.name, type(parameter.type));
    return text;
  }

  // "total@0:u8 free@8:u8"; of all structs that were named, which are more with each.
  std::vector<std::string> records() {
    std::vector<std::string> texts;
    while (texts.size() < records_.size()) {  // members name more of them
      std::vector<std::string> members;
      add_members(*records_[texts.size()], "", 0, members);
      std::string text;
      for (const std::string& member : members)
        text += (text.empty() ? "" : " ") + member;
      texts.push_back(std::move(text));
    }
    return texts;
  }

 private:
  std::string type(Type of) {
    while (const Typedef* alias = find(release_.typedefs, of.base)) {
      if (find(release_.records, alias->name) != nullptr) break;
      of.base = alias->target.base;
      of.pointers += alias->target.pointers;
    }
    const std::string pointers(of.pointers, '*');
    if (of.base == "nvmlDevice_t") return "D" + pointers;
    if (find(release_.handles, of.base) != nullptr) return "p" + pointers;
    if (const Enum* found = find(release_.enums, of.base)) return (found->underlying == "int" ? "i4" : "u4") + pointers;
    if (const Record* record = resolve_record(release_, of.base)) {
      if (of.pointers != 1) return "p";
      return fmt::format("R{}*", number_of(*record));
    }
    const auto* const scalar =
        std::ranges::find(kScalars, of.base, &std::pair<std::string_view, std::string_view>::first);
    if (scalar == std::end(kScalars)) return "p";
    if (scalar->second == "c1" && of.pointers == 1) return "s";
    return std::string(scalar->second) + pointers;
  }

  std::size_t number_of(const Record& record) {
    const auto found = std::ranges::find(records_, &record);
    if (found != records_.end()) return static_cast<std::size_t>(found - records_.begin());
    records_.push_back(&record);
    return records_.size() - 1;
  }

  void add_members(const Record& record, const std::string& prefix, std::uint64_t base,
                   std::vector<std::string>& members) {
    for (const Field& field : record.fields) {
      if (members.size() == kMostMembers) return;
      const std::string name = prefix + field.name;
      const std::uint64_t at = base + field.offset;
      if (!field.nested.empty() && field.extents.empty()) {
        add_nested(field.nested.front(), name, at, members);
        continue;
      }
      const Record* inner = field.type.pointers == 0 ? resolve_record(release_, field.type.base) : nullptr;
      if (inner != nullptr && field.extents.empty()) {
        add_nested(*inner, name, at, members);
      } else if (inner == nullptr && field.nested.empty()) {
        add_scalar(field, name, at, members);
      }
    }
  }

  void add_nested(const Record& record, const std::string& name, std::uint64_t at, std::vector<std::string>& members) {
    if (record.is_union) {  // which of its members counts, another member says
      members.push_back(fmt::format("{}@{}:{}", name, at, record.size >= 8 ? "u8" : "u4"));
    } else {
      add_members(record, name + ".", at, members);
    }
  }

  // Of an array the first item, and a text as a whole.
  void add_scalar(const Field& field, const std::string& name, std::uint64_t at, std::vector<std::string>& members) {
    std::string code = type(field.type);
    if (field.extents.size() == 1 && (code == "c1" || code == "u1")) {
      members.push_back(fmt::format("{}@{}:S{}", name, at, field.extents[0].count));
    } else if (!code.ends_with('*') && code != "p") {
      members.push_back(fmt::format("{}{}@{}:{}", name, field.extents.empty() ? "" : "[0]", at, code));
    }
  }

  const Release& release_;
  std::vector<const Record*> records_;
};

// Texts one behind the other and where each begins: an array of pointers would need a relocation for each.
std::string texts(const char* name, const std::vector<std::string>& all) {
  std::string bytes = fmt::format("constexpr char {}_texts[] =\n", name);
  std::string offsets;
  std::size_t offset = 0;
  for (const std::string& text : all) {
    bytes += fmt::format("    \"{}\\0\"\n", text);
    offsets += fmt::format("    {},\n", offset);
    offset += text.size() + 1;
  }
  return fmt::format("{};\n\nconstexpr std::uint32_t {}_offsets[] = {{\n{}}};\n\n", bytes, name, offsets);
}

}  // namespace

std::string trace_types_source(const Inputs& inputs, const Verdicts& verdicts,
                               const std::vector<std::string>& functions) {
  TraceTypes types(inputs.newest);
  std::vector<std::string> parameters;
  parameters.reserve(functions.size());
  for (const std::string& name : functions)
    parameters.push_back(types.parameters(declaration(inputs, verdicts.at(name), name)));
  return "#include \"drivers/nvml/generated/functions.hpp\"\n\nnamespace nvmlab::driver {\nnamespace {\n\n" +
         texts("parameter", parameters) + texts("member", types.records()) +
         "}  // namespace\n\n"
         "const char* parameters_of(Function function) {\n"
         "  return parameter_texts + parameter_offsets[static_cast<std::uint32_t>(function)];\n}\n\n"
         "const char* members_of(std::uint32_t record) { return member_texts + member_offsets[record]; }\n\n"
         "}  // namespace nvmlab::driver\n";
}

}  // namespace nvmlab::codegen
