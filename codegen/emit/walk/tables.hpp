// SPDX-License-Identifier: Apache-2.0
// The shared tables behind the rows of the walk: enumerators, structs with their members, inputs. Each is written once,
// however many functions use it, into the file of the topic that uses it first; one header declares them all.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/binding/types.hpp"
#include "codegen/emit/designated.hpp"
#include "codegen/emit/walk/rules.hpp"

namespace nvmlab::codegen::walk {

// "historic::nvmlX_t_before_11.1" -> "historic_nvmlX_t_before_11_1"
std::string identifier(std::string_view name);

class Tables {
 public:
  Tables(const Inputs& inputs, const BindingTypes& types, const Rules& rules)
      : inputs_(inputs), types_(types), rules_(rules) {}

  // What follows belongs to this topic; "" are the lists that belong to none.
  void enter(const std::string& topic) { text_ = &texts_[topic]; }

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
  std::string version(const Designated& numbers, const std::string& record, const std::string& name,
                      const std::string& keys);
  std::string versions(const std::string& name, const std::string& all);
  std::string parameters(const std::string& function, const std::vector<std::string>& all);

  // What was made so far; the slots stay.
  void forget_tables();

  // By topic, each table declared before it is used, or by declarations().
  const std::map<std::string, std::string>& texts() const { return texts_; }
  std::string declarations() const;
  const BindingTypes& types() const { return types_; }

 private:
  // What tells how a member is shown: its kind, its size, and the table of its enumerators or members.
  struct Shown {
    std::string kind;
    std::uint64_t size = 0;
    std::string names = "nullptr";
    std::string record = "nullptr";
  };
  Result<std::string> input_by_rule(const InputRule& rule);
  Result<Shown> shown(const nvmlab::codegen::Field& field, const std::string& owner, bool behind);
  Result<Shown> shown_record(const nvmlab::codegen::Field& field, const Record& record, const std::string& owner,
                             std::uint64_t size);
  std::string names(const std::string& type, const std::vector<std::pair<std::string, std::string>>& all);
  // `before` are arrays that the table alone uses.
  std::string make(const char* type, const std::string& name, const Designated& row, const std::string& before = "");

  const Inputs& inputs_;
  const BindingTypes& types_;
  const Rules& rules_;
  std::set<std::string> made_;
  std::set<std::string> late_;
  std::vector<std::vector<std::string>> slots_;            // patterns of each
  std::map<std::string, std::string> texts_;               // by topic
  std::string* text_ = nullptr;                            // of the topic that was entered
  std::map<std::string, std::set<std::string>> declared_;  // by type
};

}  // namespace nvmlab::codegen::walk
