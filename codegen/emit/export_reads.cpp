// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/export_reads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "codegen/emit/export_parts.hpp"
#include "codegen/emit/fit.hpp"

namespace nvmlab::codegen {
namespace {

// What a body is put together from.
struct Body {
  std::string table;               // of the choice
  std::string choose;              // the line that looks it up
  std::vector<std::string> parts;  // of the shape
  bool of_node = false;
};

bool of_node(const ExportSubject& subject) {
  const Case& first = subject.verdict.cases.front();
  std::string path = first.list;
  for (const Binding& binding : first.bindings) {
    if (path.empty()) path = binding.path;
    if (path.empty() && !binding.fields.empty()) path = binding.fields[0];
  }
  const auto found = path.empty() ? Result<FieldPath>(FieldPath{}) : find_field(subject.vocabulary, path);
  return found && found->topic != nullptr && found->topic->of_node;
}

std::string table_row(const std::vector<std::string>& keys, const std::vector<std::string>& offsets) {
  constexpr std::size_t line_length = 120;
  std::string line =
      fmt::format("      {{.keys = {{{}}}, .at = {{{}}}}},\n", fmt::join(keys, ", "), fmt::join(offsets, ", "));
  if (line.size() <= line_length) return line;
  return fmt::format("      {{.keys = {{{}}},\n       .at = {{{}}}}},\n", fmt::join(keys, ", "),
                     fmt::join(offsets, ",\n              "));
}

// One row of the table for each case, whose parts have to read alike.
Result<std::vector<std::string>> cases_of(const ExportSubject& subject, const Function& inner, std::string& table) {
  const Verdict& verdict = subject.verdict;
  const bool chosen = !verdict.by.empty();
  std::vector<std::string> parts;
  std::string rows;
  std::size_t fields = 0;
  const auto write = [&](const Case& each) -> Result<std::vector<std::string>> {
    PartWriter writer(subject, inner, each, chosen);
    auto text = verdict.kind == VerdictKind::list ? writer.list_parts() : writer.outputs();
    if (!text) return text;
    fields = writer.offsets().size();
    rows += table_row(each.keys, writer.offsets());
    return text;
  };
  for (const Case& each : verdict.cases) {
    if (!each.supported) {
      rows += table_row(each.keys, {"kNoField"});
      continue;
    }
    auto text = write(each);
    if (!text) return text;
    if (!parts.empty() && parts != *text)
      return fail(verdict.function + ": its choices differ in more than in their fields; write a `call`");
    parts = std::move(*text);
  }
  if (parts.empty() && verdict.enabled_by.empty()) return fail(verdict.function + " reads nothing");
  if (chosen) {
    table = fmt::format("  static constexpr Choice<{}, {}> choices[] = {{\n{}  }};\n", verdict.by.size(), fields, rows);
  }
  return parts;
}

std::string choose_line(const ExportSubject& subject, const Function& inner, const std::string& indent) {
  const Verdict& verdict = subject.verdict;
  std::vector<std::string> keys;
  keys.reserve(verdict.by.size());
  for (const std::string& by : verdict.by)
    keys.push_back(input_text(subject, inner, by));
  return fmt::format("{}const auto chosen = choose(choices, {}, {});\n", indent, verdict.otherwise,
                     fmt::join(keys, ", "));
}

// "node, keys(vgpuTypeId)": what the subject is looked up with.
std::string look_up_text(const ExportSubject& subject, const Function& inner) {
  std::vector<std::string> keys;
  for (const std::string& each : subject.verdict.named_by)
    keys.push_back(input_text(subject, inner, each));
  return fmt::format("{}, keys({})", takes_device(subject.function) ? "gpu" : "node", fmt::join(keys, ", "));
}

// Whether something in the caller's structs is looked at before the shape checks its arguments.
bool looks_inside(const Verdict& verdict) {
  const auto inside = [](const std::string& path) { return is_member(path); };
  return std::ranges::any_of(verdict.by, inside) || inside(verdict.item.by) || inside(verdict.item.value) ||
         std::ranges::any_of(verdict.allowed, [](const Allowed& each) { return is_member(each.argument); }) ||
         std::ranges::any_of(verdict.cases, [&](const Case& each) {
           return std::ranges::any_of(each.bindings, [](const Binding& binding) { return is_member(binding.bit); });
         });
}

std::vector<std::string> version_checks(const ExportSubject& subject) {
  std::vector<std::string> checks;
  for (const Parameter& each : subject.function.parameters) {
    const auto versions = versions_of(subject.inputs, subject.verdict, each);
    if (versions.size() == 1) checks.push_back(fmt::format("versioned({}, {})", each.name, version_word(*versions[0])));
  }
  return checks;
}

// As one call of the shape, which checks the arguments itself.
std::string direct_body(const ExportSubject& subject, const Body& body) {
  auto parts = version_checks(subject);
  parts.insert(parts.end(), body.parts.begin(), body.parts.end());
  const bool device = !body.of_node && takes_device(subject.function);
  const std::string handed = fit(fmt::format("return way({});", fmt::join(parts, ", ")), 4);
  const std::string call = device ? fmt::format("read<f>(call, {}, parts)", subject.function.parameters[0].name)
                                  : "read_node<f>(call, parts)";
  return fmt::format("{}{}  const auto parts = [=](auto&& way) {{\n    {}\n  }};\n  return {};\n", body.table,
                     body.choose, handed, call);
}

// Behind a prologue of its own: for lists, structs of several versions, and inputs within structs.
std::string wrapped_body(const ExportSubject& subject, const Layouts& layouts, const std::string& shape,
                         const Body& body) {
  const bool device = takes_device(subject.function);
  const std::string prologue =
      device ? fmt::format("call_device<f>({}, asked", subject.function.parameters[0].name) : "call_node<f>(asked";
  std::string call = fmt::format("return {}({});", shape, fmt::join(body.parts, ", "));
  if (layouts.open.empty()) {
    call = "    " + fit(call, 4) + "\n";
  } else {
    call = fmt::format("    return {}\n      {}\n    {};\n", fit(layouts.open, 4), fit(call, 6), layouts.close);
  }
  return fmt::format("{}  const auto asked = [&]({}) {{\n{}{}  }};\n  {}\n", body.table,
                     device ? "const Device& gpu" : "Store& node", body.choose, call,
                     fit(fmt::format("return finish<f>(call, {}{}));", prologue, checked_pointers(subject)), 2));
}

std::string protocol_name(const std::string& letter) {
  static const std::map<std::string, std::string> names{{"A", "a"}, {"A0", "a_or_null"}, {"B", "b"},
                                                        {"C", "c"}, {"F", "f"},          {"G", "g"}};
  const auto found = names.find(letter);
  return found == names.end() ? "" : found->second;
}

// What `list` takes in place of the columns, which stand behind the list, the filter, the code of an empty one, and the
// count: a function that hands them over. The layout of entries may depend on the driver.
constexpr std::ptrdiff_t kBeforeColumns = 4;
void hand_over_columns(const Verdict& verdict, Body& body) {
  const auto first = body.parts.begin() + kBeforeColumns;
  std::string handed = fmt::format("return way({});", fmt::join(first, body.parts.end(), ", "));
  if (verdict.entry_layout.empty()) {
    handed = fit(handed, 6);
  } else {
    const std::string& array = verdict.cases.front().bindings.front().target;
    handed = fmt::format(
        "return in_layout_of_driver<historic::{}>(\n"
        "          simulated_driver().{}, {}, [&](auto* entries) {{\n            {}\n          }});",
        verdict.entry_layout, verdict.entry_flag, array.substr(0, array.find('.')), fit(handed, 12));
  }
  body.choose += fmt::format("    const auto columns = [&](auto&& way) {{\n      {}\n    }};\n", handed);
  body.parts.erase(first, body.parts.end());
  body.parts.emplace_back("columns");
}

Result<std::string> list_body(const ExportSubject& subject, const Function& inner, const Layouts& layouts, Body body) {
  const Verdict& verdict = subject.verdict;
  if (protocol_name(verdict.protocol).empty())
    return fail(fmt::format("{}: '{}' is no protocol; one of A, A0, B, C, F, G", verdict.function, verdict.protocol));
  auto gates = gates_before(subject);
  if (!gates) return std::unexpected(gates.error());
  if (!verdict.by.empty()) {
    gates->emplace_back("known(chosen.code)");
    body.choose = choose_line(subject, inner, "    ");
  }
  for (std::string& each : allowed_arguments(subject, inner))
    gates->push_back(std::move(each));
  if (verdict.root_only) gates->emplace_back("root_only()");
  if (verdict.subject.given()) {  // asked first, with all that has to hold for it
    gates->insert(gates->begin(), look_up_text(subject, inner));
    body.choose +=
        fmt::format("    const nvmlReturn_t code = {}\n    if (code != NVML_SUCCESS) return code;\n",
                    fit(fmt::format("answer_of<{}>({});", verdict.subject.type, fmt::join(*gates, ", ")), 4));
    gates->clear();
  }
  hand_over_columns(verdict, body);
  body.parts.insert(body.parts.begin(), fmt::format("conditions({})", fmt::join(*gates, ", ")));
  body.parts.insert(body.parts.begin(), !body.of_node                    ? "gpu"
                                        : takes_device(subject.function) ? "gpu.store.node"
                                                                         : "node.node");
  return wrapped_body(subject, layouts, fmt::format("list<Protocol::{}>", protocol_name(verdict.protocol)), body);
}

std::string node_call(const ExportSubject& subject, const std::string& call) {
  return fmt::format(
      "  const auto asked = [&](Store& node) {{ return {}; }};\n  return finish<f>(call, call_node<f>(asked{}));\n",
      call, checked_pointers(subject));
}

Result<std::string> find_body(const ExportSubject& subject) {
  const Verdict& verdict = subject.verdict;
  const auto& parameters = subject.function.parameters;
  const std::string& to = parameters.back().name;
  if (!verdict.find_in.empty()) {
    const auto found = find_field(subject.vocabulary, verdict.find_in);
    return node_call(subject,
                     fmt::format("find_by_text(node, At<{}>{{offsetof(Gpu, {})}}, {}, {})",
                                 cpp_type(*found->topic, *found->field), verdict.find_in, verdict.find_by, to));
  }
  if (parameters.back().type.base == "nvmlDevice_t")
    return fmt::format("  return find_by_index<f>({}, {});\n", verdict.find_by, to);
  return node_call(subject, fmt::format("find_by_index(node, {}, {})", verdict.find_by, to));
}

}  // namespace

std::string refusal_of_subject(const ExportSubject& subject) {
  Body body;
  body.parts = {look_up_text(subject, subject.function), fmt::format("refusal(f, {})", subject.verdict.answer)};
  return wrapped_body(subject, {}, fmt::format("answer_of<{}>", subject.verdict.subject.type), body);
}

Result<std::string> reading_body(const ExportSubject& subject) {
  const Verdict& verdict = subject.verdict;
  if (verdict.kind == VerdictKind::find) return find_body(subject);
  if (verdict.kind == VerdictKind::length && verdict.cases.front().bindings.front().path == "gpus")
    return node_call(subject, fmt::format("give_count(node, {})", verdict.cases.front().bindings.front().target));
  Function inner = subject.function;
  const auto layouts = newest_layout(subject, inner);
  if (!layouts) return std::unexpected(layouts.error());
  Body body;
  body.of_node = of_node(subject);
  auto parts = cases_of(subject, inner, body.table);
  if (!parts) return std::unexpected(parts.error());
  body.parts = std::move(*parts);
  if (verdict.kind == VerdictKind::list) return list_body(subject, inner, *layouts, std::move(body));

  auto gates = gates_before(subject);
  if (!gates) return std::unexpected(gates.error());
  if (!verdict.by.empty()) gates->emplace_back("known(chosen.code)");
  for (std::string& each : allowed_arguments(subject, inner))
    gates->push_back(std::move(each));
  body.parts.insert(body.parts.begin(), gates->begin(), gates->end());
  if (verdict.root_only) body.parts.emplace_back("root_only()");
  if (verdict.mig_only) body.parts.emplace_back("mig_viewers_only()");
  if (verdict.subject.given()) {
    body.parts.insert(body.parts.begin(), look_up_text(subject, inner));
    return wrapped_body(subject, *layouts, fmt::format("answer_of<{}>", verdict.subject.type), body);
  }

  const bool of_unit =
      !subject.function.parameters.empty() && subject.function.parameters[0].type.text() == "nvmlUnit_t";
  const bool device_asks_node = body.of_node && takes_device(subject.function);
  if (device_asks_node)
    return fail(verdict.function + ": a device's function reads a field of the node; write a `call`");
  const bool wraps =
      verdict.cases.front().bindings.empty() || looks_inside(verdict) || !layouts->open.empty() || of_unit;
  if (!verdict.by.empty()) body.choose = choose_line(subject, inner, wraps ? "    " : "  ");
  if (!wraps) return direct_body(subject, body);
  body.parts.insert(body.parts.begin(), body.of_node ? "node.node" : "gpu.slot");
  return wrapped_body(subject, *layouts, "answer", body);
}

}  // namespace nvmlab::codegen
