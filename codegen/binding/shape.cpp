// SPDX-License-Identifier: Apache-2.0
#include "codegen/binding/shape.hpp"

#include <algorithm>
#include <array>

#include "codegen/binding/names.hpp"
#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen {
namespace {

constexpr std::array<std::string_view, kShapeCount> kNames{
    "lifecycle",
    "error_text",
    "command",
    "pointed_scalar",
    "scalar",
    "scalars",
    "object",
    "text",
    "text_sized",
    "text_fixed",
    "list",
    "sized_array",
    "filled_array",
    "record",
    "keyed_record",
    "versioned_record",
    "keyed_versioned_record",
    "versioned_input",
    "record_input",
    "embedded_list",
    "blob",
    "hand",
};

// What a C type is, as far as shapes care.
enum class Kind { number, handle, text, record };

struct Seen {
  Kind kind{};
  const Record* record = nullptr;
};

Seen see(const Type& type, const Release& release) {
  if (type.base == "char" && type.pointers == 1) return {Kind::text, nullptr};
  if (const Record* record = resolve_record(release, type.base)) return {Kind::record, record};
  const bool id = type.base == "nvmlVgpuTypeId_t" || type.base == "nvmlVgpuInstance_t";
  return {id || find(release.handles, type.base) != nullptr ? Kind::handle : Kind::number, nullptr};
}

// nvmlDeviceSetX and its like: a struct goes in. By the verb that stands first or behind the thing that the function is
// about; rows correct it by role.
bool is_command(std::string_view function) {
  constexpr std::array<std::string_view, 14> verbs{"Set",   "Register", "Modify",   "Remove", "Discover",
                                                   "Clear", "Update",   "Activate", "Lock",   "Setup",
                                                   "Reset", "Free",     "Destroy",  "Freeze"};
  constexpr std::array<std::string_view, 8> readers{"Get", "Query", "Is", "Read", "Create", "Alloc", "Wait", "On"};
  const auto first = [&](std::string_view verb) {
    std::size_t at = function.find(verb);
    // "SetX" and not "EventSet" + something, "Settings", "Reset".
    while (at != std::string_view::npos) {
      const char next = at + verb.size() < function.size() ? function[at + verb.size()] : 'A';
      const bool is_word = next < 'a' || next > 'z';
      const bool in_event_set = verb == "Set" && function.substr(0, at).ends_with("Event");
      if (is_word && !in_event_set) return at;
      at = function.find(verb, at + 1);
    }
    return at;
  };
  std::size_t command = std::string_view::npos;
  for (const auto verb : verbs)
    command = std::min(command, first(verb));
  return command != std::string_view::npos &&
         std::ranges::none_of(readers, [&](std::string_view verb) { return first(verb) < command; });
}

class Classifier {
 public:
  Classifier(const Function& function, const Release& release, const FunctionRow* row)
      : function_(function), release_(release), row_(row) {
    for (const Parameter& parameter : function.parameters)
      parameters_.push_back(made(parameter));
  }

  std::optional<Classified> result() {
    const std::optional<Shape> shape = row_ != nullptr && row_->shape == "hand" ? Shape::hand : find_shape();
    if (!shape) return std::nullopt;
    return Classified{*shape, std::move(parameters_)};
  }

 private:
  MethodParameter made(const Parameter& c) const {
    MethodParameter parameter;
    parameter.c = c;
    parameter.name = parameter_name(c.name);
    const Seen seen = see(c.type, release_);
    parameter.record = seen.record;
    const bool into = seen.kind == Kind::text ? !c.type.constant : c.type.pointers > 0 && !c.type.constant;
    parameter.role = !into ? Role::in : seen.kind == Kind::text ? Role::text : Role::out;
    if (row_ == nullptr) return parameter;
    if (const auto at = row_->names.find(c.name); at != row_->names.end()) parameter.name = at->second;
    if (const auto at = row_->units.find(c.name); at != row_->units.end()) parameter.kind = at->second;
    if (const auto at = row_->nothing.find(c.name); at != row_->nothing.end()) parameter.nothing = at->second;
    if (const auto at = row_->roles.find(c.name); at != row_->roles.end())
      parameter.role = at->second == "in" ? Role::in : at->second == "out" ? Role::out : Role::inout;
    return parameter;
  }

  bool has_row_role(const MethodParameter& parameter) const {
    return row_ != nullptr && row_->roles.contains(parameter.c.name);
  }

  Kind kind(const MethodParameter& parameter) const { return see(parameter.c.type, release_).kind; }

  std::vector<MethodParameter*> with(Role role) {
    std::vector<MethodParameter*> found;
    for (MethodParameter& parameter : parameters_) {
      if (parameter.role == role) found.push_back(&parameter);
    }
    return found;
  }

  std::optional<Shape> find_shape() {
    if (function_.returns.base != "nvmlReturn_t") {
      if (function_.returns.text() == "const char*") return Shape::error_text;
      return std::nullopt;
    }
    if (parameters_.empty()) return Shape::lifecycle;
    if (const auto shape = text_shape()) return shape;
    if (const auto shape = array_shape()) return shape;
    if (const auto shape = record_shape()) return shape;
    return plain_shape();
  }

  std::optional<Shape> text_shape() {
    const auto texts = with(Role::text);
    if (texts.size() != 1) return std::nullopt;
    const auto at = static_cast<std::size_t>(texts.front() - parameters_.data());
    if (at + 1 == parameters_.size()) return Shape::text_fixed;
    MethodParameter& size = parameters_[at + 1];
    if (size.c.type.base != "unsigned int") return std::nullopt;
    size.role = Role::size;
    return size.c.type.pointers == 1 ? Shape::text_sized : Shape::text;
  }

  // An array of anything has its count beside it.
  std::optional<Shape> array_shape() {
    for (std::size_t i = 0; i + 1 < parameters_.size(); ++i) {
      for (const auto& [first, second] : {std::pair{i, i + 1}, std::pair{i + 1, i}}) {
        if (const auto shape = array_of(parameters_[first], parameters_[second])) return shape;
      }
    }
    return std::nullopt;
  }

  std::optional<Shape> array_of(MethodParameter& array, MethodParameter& count) {
    const Type& type = count.c.type;
    if (array.role != Role::out || array.c.type.pointers != 1 || has_row_role(array)) return std::nullopt;
    const bool by_value = type.pointers == 0 && (type.base == "int" || type.base == "unsigned int");
    const bool sized = by_value && (count.c.name == "size" || count.c.name.ends_with("SetSize"));
    if (sized && kind(array) == Kind::number) {
      array.role = Role::array;
      count.role = Role::count;
      return Shape::sized_array;
    }
    if (by_value && count.c.name.ends_with("Count") && kind(array) == Kind::record) {
      array.role = Role::inout;
      count.role = Role::count;
      return Shape::filled_array;
    }
    if (type.base != "unsigned int" || type.pointers != 1) return std::nullopt;
    if (count.c.name == "bufferSize" && kind(array) == Kind::record) {
      array.role = Role::out;
      count.role = Role::size;
      return Shape::blob;
    }
    const bool told = row_ != nullptr && !row_->protocol.empty();
    const bool counted = count.c.name == "count" || count.c.name == "pageCount" ||
                         (count.c.name.ends_with("Count") && (kind(array) != Kind::number || told));
    if (!counted) return std::nullopt;
    for (MethodParameter* other : with(Role::out)) {
      // nvmlDeviceGetRetiredPages_v2 has a second array, nvmlDeviceGetSamples the type of all values.
      if (other != &count && (other > &count || other == &array)) other->role = Role::array;
    }
    count.role = Role::count;
    return Shape::list;
  }

  std::optional<Shape> record_shape() {
    std::vector<MethodParameter*> pointed;
    for (MethodParameter& parameter : parameters_) {
      if (parameter.record != nullptr && parameter.role != Role::in) pointed.push_back(&parameter);
    }
    if (pointed.empty() || kind_of_out(Kind::handle)) return input_shape();
    const Record& record = *pointed.front()->record;
    const bool keys = row_ != nullptr && !row_->keys.empty();
    const bool embedded = std::ranges::any_of(record.fields, [](const Field& field) {
      return field.type.pointers > 0 && !(field.type.base == "char" && field.type.constant);
    });
    if (embedded && !is_command(function_.name)) {
      pointed.front()->role = Role::inout;
      return Shape::embedded_list;
    }
    if (is_command(function_.name) && !has_row_role(*pointed.front())) {
      for (MethodParameter* each : pointed)
        each->role = Role::in;
      return input_shape();
    }
    const bool inout = keys || std::ranges::any_of(pointed, [](auto* each) { return each->role == Role::inout; });
    if (keys) pointed.front()->role = Role::inout;
    if (inout) return record.has_version() ? Shape::keyed_versioned_record : Shape::keyed_record;
    return record.has_version() ? Shape::versioned_record : Shape::record;
  }

  bool kind_of_out(Kind wanted) {
    return std::ranges::any_of(with(Role::out), [&](const MethodParameter* each) { return kind(*each) == wanted; });
  }

  std::optional<Shape> input_shape() {
    if (!with(Role::out).empty()) return std::nullopt;
    const auto input = std::ranges::find_if(
        parameters_, [](const MethodParameter& each) { return each.record != nullptr && each.c.type.pointers > 0; });
    if (input == parameters_.end()) return std::nullopt;
    return input->record->has_version() ? Shape::versioned_input : Shape::record_input;
  }

  std::optional<Shape> plain_shape() {
    const auto outs = with(Role::out);
    if (is_command(function_.name)) {
      const bool pointed = std::ranges::any_of(parameters_, [&](const MethodParameter& each) {
        return each.c.type.pointers > 0 && kind(each) == Kind::number;
      });
      return pointed ? Shape::pointed_scalar : Shape::command;
    }
    if (outs.empty()) return Shape::command;
    if (outs.size() > 1) {
      const bool numbers = std::ranges::all_of(outs, [&](auto* each) { return kind(*each) == Kind::number; });
      return numbers ? std::optional{Shape::scalars} : std::nullopt;
    }
    return kind(*outs.front()) == Kind::handle ? Shape::object : Shape::scalar;
  }

  const Function& function_;
  const Release& release_;
  const FunctionRow* row_;
  std::vector<MethodParameter> parameters_;
};

}  // namespace

std::string_view name_of(Shape shape) { return kNames[static_cast<std::size_t>(shape)]; }

std::optional<Classified> classify(const Function& function, const Release& release, const FunctionRow* row) {
  return Classifier(function, release, row).result();
}

}  // namespace nvmlab::codegen
