// SPDX-License-Identifier: Apache-2.0
// The shared tables behind the rows of the walk: enumerators, structs with their members, inputs. Each is written once,
// however many functions use it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/binding/types.hpp"
#include "codegen/emit/walk/rules.hpp"

namespace nvmlab::codegen::walk {

class Tables {
 public:
  Tables(const Inputs& inputs, const BindingTypes& types, const Rules& rules)
      : inputs_(inputs), types_(types), rules_(rules) {}

  // C++ expressions for the tables, which these make on first use: "&kNames_nvmlClockType_t", "nullptr".
  std::string names_of_enum(const Enum& list);
  std::string names_of_typed(const TypedEnum& list);
  Result<std::string> record(const Record& record, const std::string& name);

  // A Field: of a struct's member, or of what is behind a parameter ("nvmlDeviceGetName.name").
  Result<std::string> field(const nvmlab::codegen::Field& field, const std::string& owner, std::int16_t counted_by);

  // The input of a parameter or key by its full name; `kind` is what a binding's row says about it.
  Result<std::string> input(const Type& type, const std::string& kind, const std::string& full_name);

  // A slot for every output that some input or subject is made from.
  std::string slot(const std::string& full_name);
  std::size_t slot_of_pattern(const std::vector<std::string>& patterns);
  Result<std::uint64_t> number(const std::string& text) const;  // a number, or a macro's

  // Whether the input (its expression) is made from what other calls told.
  bool is_late(const std::string& input) const { return late_.contains(input); }
  // Whether a struct's first member says which of its versions it is.
  bool is_versioned(const std::string& record) const;
  std::string mask(const std::string& full_name) const { return rules_.mask(full_name); }

  // Arrays of one function's own; `name` tells them apart.
  std::string key(const std::string& name, const std::string& field, const std::string& input);
  std::string version(const std::string& numbers, const std::string& record, const std::string& name,
                      const std::string& keys);
  std::string versions(const std::string& name, const std::string& all);

  // What was made so far; the slots stay.
  void forget_tables() {
    made_.clear();
    text_.clear();
  }

  const std::string& text() const { return text_; }  // in an order in which each is declared before it is used
  const BindingTypes& types() const { return types_; }

 private:
  Result<std::string> type_of(const nvmlab::codegen::Field& field, const std::string& owner, bool behind, char& kind,
                              std::uint64_t& size);
  std::string make(const std::string& name, const std::string& definition);

  const Inputs& inputs_;
  const BindingTypes& types_;
  const Rules& rules_;
  std::set<std::string> made_;
  std::set<std::string> late_;
  std::vector<std::vector<std::string>> slots_;  // patterns of each
  std::string text_;
};

}  // namespace nvmlab::codegen::walk
