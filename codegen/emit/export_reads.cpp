// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/export_reads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "codegen/emit/export_parts.hpp"

namespace nvmlab::codegen {
namespace {

// What a body is put together from.
struct Body {
  std::vector<std::string> first;  // statements before the call of the shape
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
  return fmt::format("    {{.keys = {{{}}}, .at = {{{}}}}},\n", fmt::join(keys, ", "), fmt::join(offsets, ", "));
}

std::string table_name(const ExportSubject& subject) { return subject.function.name + "_choices"; }

// One row of the table for each case, whose parts have to read alike.
Result<std::vector<std::string>> cases_of(ExportSubject& subject, const Function& inner) {
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
    subject.table = fmt::format("constexpr Choice<{}, {}> {}[] = {{\n{}}};\n\n", verdict.by.size(), fields,
                                table_name(subject), rows);
  }
  return parts;
}

std::string choose_statement(const ExportSubject& subject, const Function& inner) {
  const Verdict& verdict = subject.verdict;
  std::vector<std::string> keys;
  keys.reserve(verdict.by.size());
  for (const std::string& by : verdict.by)
    keys.push_back(input_text(subject, inner, by));
  return fmt::format("const auto chosen = choose({}, {}, {});", table_name(subject), verdict.otherwise,
                     fmt::join(keys, ", "));
}

// "keys(vgpuTypeId)": what names the thing that a function reads.
std::string keys_text(const ExportSubject& subject, const Function& inner) {
  std::vector<std::string> keys;
  for (const std::string& each : subject.verdict.named_by)
    keys.push_back(input_text(subject, inner, each));
  return fmt::format("keys({})", fmt::join(keys, ", "));
}

std::string receiver_of(const ExportSubject& subject) { return takes_device(subject.function) ? "gpu" : "node"; }

// Whether something in the caller's structs is looked at before the shape checks its arguments.
bool looks_inside(const Verdict& verdict) {
  const auto inside = [](const std::string& path) { return is_member(path); };
  return std::ranges::any_of(verdict.by, inside) || std::ranges::any_of(verdict.named_by, inside) ||
         inside(verdict.item.by) || inside(verdict.item.value) ||
         std::ranges::any_of(verdict.allowed, [](const Allowed& each) { return is_member(each.argument); }) ||
         std::ranges::any_of(verdict.cases, [&](const Case& each) {
           return std::ranges::any_of(each.bindings, [](const Binding& binding) { return is_member(binding.bit); });
         });
}

std::vector<std::string> version_checks(const ExportSubject& subject) {
  std::vector<std::string> checks;
  for (const Parameter& each : subject.function.parameters) {
    const auto versions = versions_of(subject.inputs, subject.verdict, each);
    if (versions.size() != 1) continue;
    const bool usual = is_layout_of(subject, each, *versions[0]);
    checks.push_back(usual ? fmt::format("versioned({})", each.name)
                           : fmt::format("versioned<{}>({})", version_word(*versions[0]), each.name));
  }
  return checks;
}

std::string on_lines(const std::vector<std::string>& statements, const std::string& indent) {
  std::string lines;
  for (const std::string& each : statements)
    lines += indent + each + "\n";
  return lines;
}

// One call of the shape, which checks the arguments itself.
std::string direct_body(const ExportSubject& subject, const Body& body) {
  auto parts = version_checks(subject);
  parts.insert(parts.end(), body.parts.begin(), body.parts.end());
  const bool device = !body.of_node && takes_device(subject.function);
  return on_lines(body.first, "  ") + shape_call(subject, device ? "read" : "read_node", parts);
}

// Behind the checks of call(): for lists, structs of several versions, and inputs within structs.
std::string wrapped_body(const ExportSubject& subject, const Layouts& layouts, const std::string& shape,
                         const Body& body) {
  std::string statement = fmt::format("return {}({});", shape, fmt::join(body.parts, ", "));
  constexpr std::size_t short_enough = 80;
  if (!layouts.open.empty()) {
    statement = fmt::format("    return {}\n      {}\n    {};\n", layouts.open, statement, layouts.close);
  } else if (!body.first.empty() || statement.size() > short_enough) {
    statement = on_lines(body.first, "    ") + "    " + statement + "\n";
  }
  return shape_call(subject, "call", with_checks(subject, body_lambda(subject, statement)));
}

// A thing that the arguments name.
std::string thing_body(const ExportSubject& subject, const Function& inner, const Layouts& layouts, Body body) {
  const std::string& type = subject.verdict.subject.type;
  const std::string keys = keys_text(subject, inner);
  if (layouts.open.empty() && body.first.empty() && !looks_inside(subject.verdict)) {
    const std::string required = fmt::format("required({})", fmt::join(checked_pointers(subject), ", "));
    body.parts.insert(body.parts.begin(), {required, keys});
    return shape_call(subject, "read_thing", body.parts, ", " + type);
  }
  body.parts.insert(body.parts.begin(), {receiver_of(subject), keys});
  return wrapped_body(subject, layouts, fmt::format("answer_of<{}>", type), body);
}

std::string protocol_name(const std::string& letter) {
  static const std::map<std::string, std::string> names{{"A", "a"}, {"A0", "a_or_null"}, {"B", "b"},
                                                        {"C", "c"}, {"F", "f"},          {"G", "g"}};
  const auto found = names.find(letter);
  return found == names.end() ? "" : found->second;
}

Result<std::string> list_body(const ExportSubject& subject, const Function& inner, const Layouts& layouts, Body body) {
  const Verdict& verdict = subject.verdict;
  if (protocol_name(verdict.protocol).empty())
    return fail(fmt::format("{}: '{}' is no protocol; one of A, A0, B, C, F, G", verdict.function, verdict.protocol));
  auto gates = gates_before(subject);
  if (!gates) return std::unexpected(gates.error());
  if (!verdict.by.empty()) {
    gates->emplace_back("known(chosen.code)");
    body.first.push_back(choose_statement(subject, inner));
  }
  for (std::string& each : allowed_arguments(subject, inner))
    gates->push_back(std::move(each));
  if (verdict.root_only) gates->emplace_back("root_only()");
  if (verdict.subject.given()) {  // asked first, with all that has to hold for it
    gates->insert(gates->begin(), {receiver_of(subject), keys_text(subject, inner)});
    body.first.push_back(
        fmt::format("const nvmlReturn_t code = answer_of<{}>({});", verdict.subject.type, fmt::join(*gates, ", ")));
    body.first.emplace_back("if (code != NVML_SUCCESS) return code;");
    gates->clear();
  }
  if (!verdict.entry_layout.empty())
    body.first.push_back(fmt::format("const bool other = simulated_driver().{};", verdict.entry_flag));
  body.parts.insert(body.parts.begin(), fmt::format("conditions({})", fmt::join(*gates, ", ")));
  body.parts.insert(body.parts.begin(), !body.of_node                    ? "gpu"
                                        : takes_device(subject.function) ? "gpu.store.node"
                                                                         : "node.node");
  return wrapped_body(subject, layouts, fmt::format("list<Protocol::{}>", protocol_name(verdict.protocol)), body);
}

Result<std::string> find_body(const ExportSubject& subject) {
  const Verdict& verdict = subject.verdict;
  const auto& parameters = subject.function.parameters;
  const std::string& to = parameters.back().name;
  std::string call = fmt::format("find_by_index(node, {}, {})", verdict.find_by, to);
  if (!verdict.find_in.empty()) {
    const auto found = find_field(subject.vocabulary, verdict.find_in);
    call = fmt::format("find_by_text(node, field<{}>, {}, {})", pointers_to(*found->topic, nullptr, verdict.find_in),
                       verdict.find_by, to);
  } else if (parameters.back().type.base == "nvmlDevice_t") {
    return fmt::format("  return find_by_index<Fn::{}>({}, {});\n", subject.function.name, verdict.find_by, to);
  }
  return shape_call(subject, "call", with_checks(subject, body_lambda(subject, "return " + call + ";")));
}

}  // namespace

std::string refusal_of_subject(const ExportSubject& subject) {
  Body body;
  body.parts = {fmt::format("refusal(Fn::{}, {})", subject.function.name, subject.verdict.answer)};
  return thing_body(subject, subject.function, {}, std::move(body));
}

Result<std::string> reading_body(ExportSubject& subject) {
  const Verdict& verdict = subject.verdict;
  if (verdict.kind == VerdictKind::find) return find_body(subject);
  if (verdict.kind == VerdictKind::length && verdict.cases.front().bindings.front().path == "gpus")
    return shape_call(subject, "call",
                      with_checks(subject, fmt::format("[&](Store& node) {{ return give_count(node, {}); }}",
                                                       verdict.cases.front().bindings.front().target)));
  Function inner = subject.function;
  const auto layouts = newest_layout(subject, inner);
  if (!layouts) return std::unexpected(layouts.error());
  Body body;
  body.of_node = of_node(subject);
  auto parts = cases_of(subject, inner);
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
  if (!verdict.by.empty()) body.first.push_back(choose_statement(subject, inner));
  if (verdict.subject.given()) return thing_body(subject, inner, *layouts, std::move(body));

  const bool of_unit =
      !subject.function.parameters.empty() && subject.function.parameters[0].type.text() == "nvmlUnit_t";
  const bool device_asks_node = body.of_node && takes_device(subject.function);
  if (device_asks_node)
    return fail(verdict.function + ": a device's function reads a field of the node; write a `call`");
  const bool wraps =
      verdict.cases.front().bindings.empty() || looks_inside(verdict) || !layouts->open.empty() || of_unit;
  if (!wraps) return direct_body(subject, body);
  body.parts.insert(body.parts.begin(), body.of_node ? "node.node" : "gpu.slot");
  return wrapped_body(subject, *layouts, "answer", body);
}

}  // namespace nvmlab::codegen
