// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/nvml/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "codegen/binding/names.hpp"
#include "codegen/columns.hpp"
#include "codegen/emit/exports.hpp"
#include "codegen/emit/nvml/docs.hpp"
#include "codegen/emit/nvml/method_calls.hpp"
#include "codegen/emit/nvml/method_functions.hpp"
#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen {
namespace methods {
namespace {

struct Class {
  std::string_view name;
  std::string_view base;  // Object<...>, or Opened
  std::string_view says;
};
constexpr std::array kClasses{
    Class{"Library", "Opened", "What needs no device: the system, counts, and how objects are found."},
    Class{"Device", "Object<abi::nvmlDevice_t>", "A GPU, or a MIG device."},
    Class{"Unit", "Object<abi::nvmlUnit_t>", "An S-class unit."},
    Class{"EventSet", "Object<abi::nvmlEventSet_t>", "Events of devices that are waited for together."},
    Class{"SystemEventSet", "Object<abi::nvmlSystemEventSet_t>", "Events of the system that are waited for together."},
    Class{"GpmSample", "Object<abi::nvmlGpmSample_t>", "A sample of the GPU's performance counters."},
    Class{"GpuInstance", "Object<abi::nvmlGpuInstance_t>", "A part of a GPU in MIG mode."},
    Class{"ComputeInstance", "Object<abi::nvmlComputeInstance_t>", "A part of a GPU instance that computes."},
    Class{"VgpuType", "Object<abi::nvmlVgpuTypeId_t>", "A kind of virtual GPU."},
    Class{"VgpuInstance", "Object<abi::nvmlVgpuInstance_t>", "A running virtual GPU."},
};

// What one class's files are made of.
struct Parts {
  std::map<std::string, std::string> declarations;  // by subject
  std::string definitions;
  std::set<std::string> headers;
  bool optional = false;
};

class ClassWriter {
 public:
  ClassWriter(const Writing& writing, const Verdicts& verdicts) : writing_(writing), verdicts_(verdicts) {}

  Result<void> write_all() {
    for (const Class& each : kClasses)
      parts_[std::string(each.name)];
    std::string problems;  // all at once: a new header brings many
    for (const Family& family : writing_.plan.families()) {
      if (auto written = write_family(family); !written) problems += written.error().message + "\n";
    }
    if (!problems.empty()) return fail(problems);
    return {};
  }

  Result<void> emit(Output& output) const {
    const std::string folder(values::kFolder);
    std::string structures;
    std::set<std::string> headers{"nvmlab/nvml/units.hpp"};
    std::string visits;
    for (const auto& [name, text] : structures_) {
      structures += fmt::format("/// What {} answers.\n{}\n", structure_methods_.at(name), text);
      visits += values::visit_of(name, structure_members_.at(name));
    }
    headers.insert(structure_headers_.begin(), structure_headers_.end());
    output.add(folder + "results.hpp",
               values::header_text("What methods answer that C functions write to several places.",
                                   "#include <cstdint>\n#include <optional>\n\n" + includes(headers), structures));
    output.add(
        folder + "result_members.hpp",
        values::header_text("The members of what methods answer, to be visited.",
                            "#include <string_view>\n\n#include \"nvmlab/nvml/generated/results.hpp\"\n", visits));
    functions_.emit(writing_.types, output);
    if (auto written = functions_.emit_signatures(writing_.types, output); !written) return written;
    if (auto written = emit_tests_page(writing_, functions_.counts(), output); !written) return written;
    for (const Class& each : kClasses) {
      const Parts& parts = parts_.at(std::string(each.name));
      const std::string file = words_of(each.name) + "_methods";
      output.add(folder + file + ".hpp", header_of(each, parts));
      output.add(folder + file + ".cpp", source_of(each, parts));
    }
    return {};
  }

 private:
  Result<void> write_family(const Family& family) {
    const bool several = family.members.size() > 1;
    std::vector<Pieces> all;
    for (const Method* method : family.members) {
      const std::string& name = method->function->name;
      if (method->row == nullptr)
        return fail(name + " has no row in model/binding/functions/: at least `says`, what it does in a sentence");
      const Writer writer = writer_of(writing_, *method);
      if (writer == nullptr) return fail(fmt::format("{}: nothing writes shape {}", name, name_of(method->shape)));
      auto pieces = writer(writing_, *method);
      if (!pieces) {
        Error error = std::move(pieces.error());
        error.message = name + ": " + error.message;
        return std::unexpected(std::move(error));
      }
      for (Piece& piece : *pieces)
        piece.body = also_formerly(*method, piece.body);
      if (pieces->empty() && !writing_.hand.methods.contains(name))
        return fail(name + " is of shape hand, and no class of binding/nvmlab/nvml/*.hpp has a method with `C: " +
                    name + "` in its comment");
      all.push_back(std::move(*pieces));
    }
    functions_.add(family, all);
    for (const Method* method : family.members) {
      if (auto added = functions_.add_ways(writing_, *method); !added) return added;
    }
    if (several) {
      if (auto walked = write_walk(family, all); !walked) return walked;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Method& method = *family.members[i];
      const std::string suffix = !several ? "" : method.suffix.empty() ? "_v1" : method.suffix;
      for (const Piece& piece : all[i]) {
        add(method, method.name + suffix, piece, comment_of(writing_, method, verdict_of(method), piece));
        if (auto kept = keep_structure(method, piece); !kept) return kept;
      }
    }
    return {};
  }

  // A library of before the function was renamed has it under its old name, with the same parameters.
  static std::string also_formerly(const Method& method, const std::string& body) {
    if (method.formerly.empty()) return body;
    std::string then = body;
    for (const char behind : {',', ')'}) {
      const std::string now = "&Functions::" + method.function->name + behind;
      for (std::size_t at = then.find(now); at != std::string::npos; at = then.find(now, at))
        then.replace(at, now.size(), "&Functions::" + method.formerly + behind);
    }
    return fmt::format("detail::newest([&] {{ return {}; }}, [&] {{ return {}; }})", body, then);
  }

  // The family's own method: all versions answer the same typed value to the same parameters.
  Result<void> write_walk(const Family& family, const std::vector<Pieces>& all) {
    const Method& newest = *family.members.front();
    for (std::size_t overload = 0; overload < all.front().size(); ++overload) {
      Piece walk = all.front()[overload];
      const std::string arguments = argument_names(walk.parameters);
      std::string asked = fmt::format("[&] {{ return {}; }}", tried(walk.body));  // not by its method: a call less
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Method& member = *family.members[i];
        if (overload >= all[i].size() || all[i][overload].result != walk.result ||
            all[i][overload].parameters != walk.parameters) {
          return fail(
              fmt::format("{} and {} differ in what they take or answer ({}({}), {}({})): give one a row with "
                          "`family: no`, or names that agree",
                          newest.function->name, member.function->name, walk.result, joined(walk.parameters),
                          overload < all[i].size() ? all[i][overload].result : "nothing",
                          overload < all[i].size() ? joined(all[i][overload].parameters) : ""));
        }
        const char* suffix = member.suffix.empty() ? "_v1" : member.suffix.c_str();
        if (i > 0) asked += fmt::format(", [&] {{ return {}{}({}); }}", member.name, suffix, arguments);
      }
      walk.body = newest_of(newest, asked);
      walk.in_class = false;
      walk.structure.clear();
      add(newest, newest.name, walk, comment_of(writing_, family, verdict_of(newest), walk));
    }
    return {};
  }

  const Verdict* verdict_of(const Method& method) const {
    const auto at = verdicts_.find(method.function->name);
    if (at == verdicts_.end()) return nullptr;
    if (at->second.kind != VerdictKind::same_as) return &at->second;
    const auto other = verdicts_.find(at->second.same_as);
    return other == verdicts_.end() ? nullptr : &other->second;
  }

  void add(const Method& method, const std::string& name, const Piece& piece, const std::string& comment) {
    Parts& parts = parts_[method.class_name];
    const std::string signature = fmt::format("{}({}) const", name, joined(piece.parameters));
    std::string& declarations = parts.declarations[method.row->subject];
    declarations += fmt::format("{}  [[nodiscard]] Result<{}> {}", comment, piece.result, signature);
    declarations += piece.in_class ? fmt::format(" {{\n    return {};\n  }}\n\n", piece.body) : std::string(";\n\n");
    if (!piece.in_class) {
      parts.definitions += fmt::format("Result<{}> {}Methods::{} {{\n  return {};\n}}\n\n", piece.result,
                                       method.class_name, signature, piece.body);
    }
    parts.headers.insert(piece.headers.begin(), piece.headers.end());
    parts.optional = parts.optional || piece.result.starts_with("std::optional");
    if (!piece.structure_name.empty()) parts.headers.insert("nvmlab/nvml/generated/results.hpp");
  }

  // Two methods may share one: VgpuInstance and Device answer the same of encoders.
  Result<void> keep_structure(const Method& method, const Piece& piece) {
    if (piece.structure.empty()) return {};
    structure_headers_.insert(piece.headers.begin(), piece.headers.end());
    const auto [at, fresh] = structures_.try_emplace(piece.structure_name, piece.structure);
    structure_members_.try_emplace(piece.structure_name, piece.members);
    std::string& methods = structure_methods_[piece.structure_name];
    const std::string name = method.class_name + "::" + method.name;
    if (!methods.contains(name)) methods += (methods.empty() ? "" : ", ") + name;
    if (!fresh && at->second != piece.structure)
      return fail(fmt::format("{}: another method answers a different {}; give one another name", method.function->name,
                              piece.structure_name));
    return {};
  }

  static std::string includes(const std::set<std::string>& headers) {
    std::string text;
    for (const std::string& header : headers)
      text += fmt::format("#include \"{}\"\n", header);
    return text;
  }

  static std::string class_comment(const Class& each) {
    return wrapped(
        fmt::format("{} The usual errors of its methods: FUNCTION_NOT_FOUND (of origin symbol where the library lacks "
                    "the function, of origin driver where the kernel's part does), UNINITIALIZED, INVALID_ARGUMENT, "
                    "NOT_SUPPORTED, GPU_IS_LOST, ARGUMENT_VERSION_MISMATCH (the driver knows no layout of the struct) "
                    "and UNKNOWN.",
                    each.says),
        "/// ");
  }

  // Bodies that everybody compiles name entries of the table, which macros of a nvml.h in the same file would rename.
  static std::string shielded(const Parts& parts, const std::string& text) {
    const auto names_entries = [](const auto& group) { return group.second.contains("&Functions::"); };
    if (std::ranges::none_of(parts.declarations, names_entries)) return text;
    const std::string_view space = "\nnamespace nvml::inline v1 {\n";
    std::string shield = text;
    shield.insert(shield.find(space), "\n#include \"nvmlab/loader/generated/nvml_h_macros_off.hpp\"\n");
    return shield + "\n#include \"nvmlab/loader/generated/nvml_h_macros_on.hpp\"\n";
  }

  std::string header_of(const Class& each, const Parts& parts) const {
    std::set<std::string> headers = parts.headers;
    headers.insert({"nvmlab/nvml/forward.hpp", "nvmlab/nvml/shapes/scalar.hpp",
                    each.base == "Opened" ? "nvmlab/nvml/opened.hpp" : "nvmlab/nvml/object.hpp"});
    return shielded(
        parts,
        values::header_text(
            each.says,
            fmt::format("#include <array>\n#include <cstddef>\n#include <cstdint>\n#include <optional>\n#include "
                        "<span>\n#include <string>\n#include "
                        "<vector>\n\n{}",
                        includes(headers)),
            fmt::format("{4}class {0}Methods : public {1} {{\n public:\n  using {2}::{2};\n\n{3}}};\n\n", each.name,
                        each.base, each.base == "Opened" ? "Opened" : "Object", grouped(parts.declarations),
                        class_comment(each))));
  }

  std::string source_of(const Class& each, const Parts& parts) const {
    std::set<std::string> headers{fmt::format("nvmlab/nvml/generated/{}_methods.hpp", words_of(each.name)),
                                  "nvmlab/nvml/shapes/shapes.hpp", "nvmlab/nvml/objects.hpp"};
    for (const std::string& header : parts.headers) {
      constexpr std::string_view structs = "nvmlab/nvml/generated/values_";
      if (header.starts_with(structs)) headers.insert("nvmlab/nvml/generated/convert_" + header.substr(structs.size()));
    }
    return values::source_text(each.says, includes(headers), parts.definitions);
  }

  const Writing& writing_;
  const Verdicts& verdicts_;
  std::map<std::string, Parts> parts_;
  MethodFunctions functions_;
  std::map<std::string, std::string> structures_;
  std::map<std::string, std::vector<std::string>> structure_members_;
  std::map<std::string, std::string> structure_methods_;
  std::set<std::string> structure_headers_;
};

}  // namespace
}  // namespace methods

std::expected<void, Error> emit_methods(const Inputs& inputs, Output& output) {
  auto plan = load_plan(inputs);
  if (!plan) return std::unexpected(plan.error());
  const auto types = BindingTypes::load(inputs);
  if (!types) return std::unexpected(types.error());
  const auto vocabulary = load_vocabulary(inputs.root / "model" / "state");
  if (!vocabulary) return std::unexpected(vocabulary.error());
  const auto verdicts = load_meaning(inputs, *vocabulary);
  if (!verdicts) return std::unexpected(verdicts.error());
  add_former_names(*plan, former_names(*verdicts));
  const auto hand = load_hand_written(inputs.root / "binding" / "nvmlab" / "nvml");
  if (!hand) return std::unexpected(hand.error());
  if (auto checked = check_names(*hand, *plan); !checked) return checked;
  const methods::Writing writing{inputs, *plan, *types, *hand};
  methods::ClassWriter writer(writing, *verdicts);
  if (auto written = writer.write_all(); !written) return written;
  if (auto written = writer.emit(output); !written) return written;
  return emit_method_calls(writing, output);
}

}  // namespace nvmlab::codegen
