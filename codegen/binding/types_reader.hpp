// SPDX-License-Identifier: Apache-2.0
// How BindingTypes are read and made: the rows of model/binding/types/, then what follows from the facts.
#pragma once

#include <set>

#include "base/yaml/tree.hpp"
#include "codegen/binding/types.hpp"

namespace nvmlab::codegen {

// A row of `enums:`, `pseudo_enums:` or `masks:`.
struct EnumRow {
  std::string name;
  std::string set;
  std::string c_type;
  std::string number;                 // the C number that a group of macros stands for
  std::vector<std::string> prefixes;  // what the names of the enumerators lose
  std::vector<std::string> except;
  std::map<std::string, std::string> names;  // by C name
  std::vector<Enumerator> values;            // of numbers that the header describes in prose alone
  std::string digit;                         // before a name that would begin with a digit
  std::string says;
  std::string topic;
};

// The enumeration of a C enum; `row` may be null.
Result<TypedEnum> enum_from_c(const Enum& source, const EnumRow* row);

// The enumeration of a group of macros.
Result<TypedEnum> enum_from_macros(const Release& release, const EnumRow& row);

class TypesReader {
 public:
  explicit TypesReader(const Inputs& inputs) : inputs_(inputs) {}
  Result<BindingTypes> read();

 private:
  Result<void> read_file(const std::filesystem::path& path);
  Result<void> read_enums(const yaml::Node& rows, const std::string& topic, std::string_view section);
  Result<void> read_structs(const yaml::Node& rows, const std::string& topic);
  Result<void> read_enumerators(const yaml::Node& rows);
  Result<void> make_enums();
  Result<void> tell_enumerators();
  Result<void> make_structs();

  const Inputs& inputs_;
  BindingTypes types_;
  std::map<std::string, EnumRow> c_enums_;  // by C name
  std::vector<EnumRow> groups_;
  std::vector<std::pair<yaml::Node, yaml::Node>> told_;  // an enumeration, and the sentences of its enumerators
  std::map<std::string, TypedStruct> structs_;           // by name
  std::map<std::string, std::string> owner_;             // C struct, without its version, to the typed struct
};

}  // namespace nvmlab::codegen
