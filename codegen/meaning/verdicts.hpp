// SPDX-License-Identifier: Apache-2.0
//
// The meaning vocabulary (model/meaning/*.yaml): exactly one verdict for every exported function, checked against the
// facts and the state vocabulary. model/meaning/README.md describes the form. Tests:
// tests/unit/codegen/verdicts_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codegen/error.hpp"
#include "codegen/meaning/subjects.hpp"
#include "codegen/model/registry.hpp"
#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

enum class VerdictKind : std::uint8_t { read, item, length, list, find, write, change, same_as, call, unsupported };

// Where the value of an output comes from.
enum class ValueSource : std::uint8_t {
  field,      // of the state, or of the item
  itself,     // the item of a list of numbers
  constant,   // the same on every machine
  length,     // of a list
  not_empty,  // 1 where a list has items
  now_us,     // the time
  rule,       // a function of the engine over some fields
  items,      // a list, into an array within a struct
  mask,       // words of a bit mask
  fill,       // a list into an array whose size is given in bytes
};

// "power" or "utilization.gpu" -> "power.draw_mw"
struct Binding {
  std::string target;
  std::string path;  // of the field or the list; empty: no field of the state
  ValueSource source = ValueSource::field;
  std::string instead;              // `or`: a number, a name of C or a field, where the field is absent
  std::string times;                // so many units of the output make one of the field's
  std::string bit;                  // the parameter that says which bit of the field
  std::string equals;               // `is`: 1 where the field has this value, else 0
  std::string constant;             // of `constant`
  std::string rule;                 // the engine's function
  std::vector<std::string> fields;  // that the rule is of
  std::string count;  // of `items`: the member that takes their number; of `mask`: the parameter with the room
  std::string rest;   // of `fill`: what the array has behind the items
  std::string fits;   // of a text in a struct: the parameter that says how long it may be
  std::string empty;  // of `items` and `length`: the code of an empty list; none where it is no error
  // What the output, in a recording, tells of the field: its value; or `positive`, where zero means that there is none;
  // `bit`, where the lowest bit alone is the field's; `nothing`.
  std::string told;
  std::vector<std::pair<std::string, std::string>> tells;  // of a rule: members that are fields as they are
  std::vector<Binding> columns;                            // of `items`

  bool plain() const;  // the field as it is
};

// What is read for one choice of enumerators; a function without a choice has one case, without keys.
struct Case {
  std::vector<std::string> keys;
  std::string any;        // a field that some item must have
  bool supported = true;  // false: the choice exists, and no board has it
  std::string list;       // of an item or a list
  std::vector<Binding> bindings;
};

// Which item of a list.
struct Selection {
  std::string by;                                  // an index: a parameter, a member of one, or a number
  std::string key;                                 // or a field of the item, which has the value of
  std::string value;                               //   this parameter
  std::string visible;                             // a field of the item that must be below
  std::string limit;                               //   this number of the simulated driver
  std::string inner_at;                            // the parameter that says which item of the inner list
  std::string inner;                               // the list within the item, where the items of that one are meant
  std::string empty = "NVML_ERROR_NOT_SUPPORTED";  // the code of a list without items
  std::string missing = "NVML_ERROR_INVALID_ARGUMENT";  // of one without this item
};

// An argument and the values that it may have: names of C, or what it is below: a number of C, of the simulated driver
// or of the subject.
struct Allowed {
  std::string argument;
  std::vector<std::string> values;
  std::string below;
};

// What a member of a change takes: an argument, a member of the caller's struct, or a constant (a number, a name of C,
// one of the engine's with dots: PowerScope.gpu). Or one of these for each value of `by`.
struct ChangeMember {
  std::string name;
  std::string value;
  std::vector<std::pair<std::string, std::string>> table;  // an empty value: the choice exists, and no board has it
};

struct Verdict {
  std::string function;
  std::string topic;
  VerdictKind kind{};
  std::vector<Case> cases;        // of what reads
  std::vector<std::string> by;    // parameters whose values pick the case
  std::vector<Binding> bindings;  // of a write
  std::string otherwise = "NVML_ERROR_INVALID_ARGUMENT";
  std::vector<std::string> supported_by;              // fields that must have a value
  std::vector<std::string> enabled_by;                // and must not be zero
  std::string disabled = "NVML_ERROR_NOT_SUPPORTED";  // the code of a zero
  Selection item;
  VerdictSubject subject;             // what it is of, where no GPU and no unit alone
  std::vector<std::string> named_by;  // and the arguments that name that
  std::vector<Allowed> allowed;
  bool root_only = false;
  bool mig_only = false;                // those alone who may look at instances of MIG
  std::string protocol;                 // of a list: a letter of model/meaning/README.md
  std::string count;                    // of a list: the parameter or member that says how much room there is
  std::string empty = "NVML_SUCCESS";   // of a list: the code without items
  std::string newer_than;               // of a list: the parameter with the time of what the caller has seen
  std::string entry_flag;               // of a list: the fact of a driver by which entries have
  std::string entry_layout;             //   this layout of an earlier time
  std::string mask_field;               // of a list: items that have one of
  std::string mask_bits;                //   these bits in this field
  std::string where_field;              // of a list: items in which this field
  std::string where_value;              //   is what this parameter says; of a device, its number
  std::string find_by;                  // of `find`: the parameter with the key
  std::string find_in;                  //   and the field that it is; empty: the place in the list
  std::vector<std::string> optional;    // pointers that may be null
  std::uint32_t text_size = 0;          // of a text without a length parameter
  std::vector<std::uint32_t> versions;  // of its versioned struct; empty: all that the struct's name has
  bool before_init = false;
  std::string change;  // of `change`: what the engine is asked for, a record of engine/topics/*/*_changes.hpp
  std::vector<ChangeMember> members;  // with what it has
  std::string same_as;
  std::vector<std::pair<std::string, std::string>> constants;  // of same_as: parameters of the other with their values
  std::string layout;  // of same_as: the layout that callers of this name have, where it is not the other's
  std::string reason;  // of unsupported: why; of call: why data cannot say it
  std::string answer = "NVML_ERROR_NOT_SUPPORTED";
  std::vector<Parameter> parameters;  // of a function that no header declares

  bool reads() const { return kind <= VerdictKind::list; }
  bool derives() const;  // whether a rule of the engine makes one of its outputs
};

inline constexpr const char* kNotSimulatedYet = "not simulated yet";

using Verdicts = std::map<std::string, Verdict>;  // by function

// The verdict behind `same_as`.
const Verdict& resolved(const Verdicts& verdicts, const Verdict& verdict);

// The functions that are another one under its old name, each with that one.
std::map<std::string, std::string, std::less<>> former_names(const Verdicts& verdicts);

// A field of the state by its path, with the C++ expression that reaches it from Gpu or Node; or by its path within a
// record.
struct FieldPath {
  const StateTopic* topic = nullptr;
  const StateField* field = nullptr;
};

Result<FieldPath> find_field(const Vocabulary& vocabulary, const std::string& path);
Result<FieldPath> find_member(const StateTopic& topic, const StateRecord& record, const std::string& path);

// The record that the items of a list are; an error where they are numbers.
Result<const StateRecord*> item_of(const FieldPath& list);

// `functions` is every name that the library exports; a name without a verdict, or a verdict without a name, is an
// error.
Result<Verdicts> load_verdicts(const std::filesystem::path& folder, const std::vector<std::string>& functions,
                               const Registry& registry, const Vocabulary& vocabulary);

}  // namespace nvmlab::codegen
