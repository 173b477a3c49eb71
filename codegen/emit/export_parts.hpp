// SPDX-License-Identifier: Apache-2.0
//
// The parts of a read as text, in the order of the prologue: what must be supported, which arguments are allowed, the
// outputs, who may ask. drivers/nvml/shapes/ has a template for each.
#pragma once

#include "codegen/emit/export_subject.hpp"

namespace nvmlab::codegen {

// The parameter of a body by the name that the verdict has for it; a struct may have another layout there than the
// caller's, and then another name.
const Parameter* inner_parameter(const ExportSubject& subject, const Function& function, const std::string& name);

// "sensorType" or, of a member of the caller's struct, "temperature->sensorType".
std::string input_text(const ExportSubject& subject, const Function& function, const std::string& path);

// "status.histogram.max" -> {"status", "histogram", "max"}
std::vector<std::string> steps_of(const std::string& path);

// "<NVML_ERROR_NOT_FOUND>": the codes of a list without items and of one without this item, where they are not the
// usual ones.
std::string codes_text(const std::string& empty, const std::string& missing);

// "or_zero<&Gpu::power, &Power::draw_mw>": what the field gives in another kind of source.
inline constexpr std::string_view kField = "field<";
std::string as_kind(const std::string& kind, const std::string& field);

// "scalar<&Gpu::power, &Power::draw_mw>(power)", or "scalar(power, SOURCE)" of what is no plain field. `member` is the
// member of the caller's struct, if any.
std::string output_call(const std::string& output, const std::string& member, std::vector<std::string> arguments,
                        const std::string& source);

// The type of the member that `steps` lead to, or of the elements of an array.
std::string member_type(const Release& release, std::string record, const std::vector<std::string>& steps);

// Whether a path leads into a struct of the caller, which may be null before the arguments have been checked.
inline bool is_member(const std::string& path) { return path.find('.') != std::string::npos; }

// The state that offsets are within, and how its fields are found.
struct Scope {
  std::string name;  // "Gpu", "Node" or "Thermal::Fan"
  const StateTopic* topic = nullptr;
  const StateRecord* record = nullptr;  // null with a topic: the items are numbers
  bool made = false;                    // members of the verdict's subject
};

// "&Gpu::power, &Power::draw_mw": the member pointers that lead to a field of the state, or of a record, with the
// function of a derived field behind them.
std::string pointers_to(const StateTopic& topic, const StateRecord* record, const std::string& path);

// What the verdict is of; of most, the state of a GPU or of the node.
Scope scope_of_subject(const ExportSubject& subject);

// Writes the parts of one case. With a choice, offsets go into its table, and the text says "chosen.at[0]".
class PartWriter {
 public:
  PartWriter(const ExportSubject& subject, const Function& function, const Case& which, bool chosen)
      : subject_(subject), function_(function), case_(which), chosen_(chosen) {}

  Result<std::vector<std::string>> outputs();  // of `read`, `item` and `length`
  Result<std::string> at(const Scope& scope, const std::string& path);
  Result<std::vector<std::string>> list_parts();  // of `list`: the list, which items, and the columns
  const std::vector<std::string>& offsets() const { return offsets_; }

 private:
  Result<std::string> source(const Scope& scope, const Binding& binding);
  Result<std::string> field_source(const Scope& scope, const Binding& binding);
  Result<std::string> rule(const Scope& scope, const Binding& binding);
  Result<std::string> output(const Scope& scope, const Binding& binding);
  Result<std::string> array(const Scope& scope, const Binding& binding);
  Result<std::string> filled(const Scope& scope, const Binding& binding);
  Result<std::string> row(const Scope& scope, const Binding& binding);
  Result<std::string> selection(const Scope& items);
  std::string text_length(const std::string& name) const;
  const Parameter* target_of(const std::string& name) const { return inner_parameter(subject_, function_, name); }
  std::string input(const std::string& path) const { return input_text(subject_, function_, path); }
  Result<Scope> scope_of(const FieldPath& list) const;
  Result<FieldPath> find(const Scope& scope, const std::string& path) const;

  const ExportSubject& subject_;
  const Function& function_;
  const Case& case_;
  const bool chosen_;
  std::vector<std::string> offsets_;
};

// Gates that no case changes.
Result<std::vector<std::string>> gates_before(const ExportSubject& subject);
std::vector<std::string> allowed_arguments(const ExportSubject& subject, const Function& function);

}  // namespace nvmlab::codegen
