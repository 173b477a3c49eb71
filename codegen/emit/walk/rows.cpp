// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/walk/rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/nvml/layouts.hpp"
#include "codegen/model/layouts.hpp"
#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen::walk {
namespace {

// What the method's shape says when nobody has written its method by hand.
Result<Classified> roles_of(const Inputs& inputs, const Method& method) {
  FunctionRow row = method.row == nullptr ? FunctionRow{} : *method.row;
  if (row.shape == "hand") row.shape.clear();
  auto classified = classify(*method.function, inputs.newest, &row);
  if (classified) return std::move(*classified);
  row.shape = "hand";
  classified = classify(*method.function, inputs.newest, &row);
  if (!classified) return fail(method.function->name + " fits no shape");
  return std::move(*classified);
}

std::string about_of(const std::string& handle) {
  if (handle == "nvmlDevice_t") return "device";
  if (handle == "nvmlUnit_t") return "unit";
  if (handle == "nvmlGpuInstance_t") return "gpu_instance";
  if (handle == "nvmlComputeInstance_t") return "compute_instance";
  if (handle == "nvmlVgpuTypeId_t") return "vgpu_type";
  return handle == "nvmlVgpuInstance_t" ? "vgpu" : "";
}

constexpr std::size_t kMostParameters = 6;  // those that travel in registers

class WalkWriter {
 public:
  WalkWriter(const Inputs& inputs, const Plan& plan, const Method& method, Tables& tables)
      : inputs_(inputs), plan_(plan), method_(method), tables_(tables), name_(method.function->name) {}

  Result<Row> write() {
    auto roles = roles_of(inputs_, method_);
    if (!roles) return std::unexpected(roles.error());
    if (roles->parameters.size() > kMostParameters)
      return fail(fmt::format("{} has more than {} parameters, which the recorder passes", name_, kMostParameters));
    row_.about = "machine";
    for (std::size_t i = 0; i < roles->parameters.size(); ++i) {
      const auto written = parameter(roles->parameters[i], i);
      if (!written) return std::unexpected(written.error());
      row_.parameters.push_back(*written);
    }
    return std::move(row_);
  }

 private:
  // A parameter's value, or one element of it, as if it were a member.
  Result<std::string> what(const MethodParameter& parameter) {
    nvmlab::codegen::Field field;
    field.name = parameter.c.name;
    field.type = parameter.c.type;
    field.type.pointers = 0;
    if (parameter.record != nullptr) {
      const std::string layout = methods::layout_of(inputs_, plan_, method_, parameter);
      const CLayout* found = layout_named(layout);
      const Record& record = found == nullptr ? *parameter.record : found->record;
      field.size = record.size;
      const auto made = tables_.record(record, layout);
      if (!made) return std::unexpected(made.error());
      return Designated()
          .named(field.name)
          .with("size", record.size)
          .with("kind", "Kind::record")
          .with("record", *made)
          .row();
    }
    return tables_.field(field, name_, -1);
  }

  const CLayout* layout_named(const std::string& name) const {
    for (const TypedStruct& each : tables_.types().structs()) {
      for (const CLayout& layout : each.layouts) {
        if (layout.name == name) return &layout;
      }
    }
    return nullptr;
  }

  Result<std::string> parameter(const MethodParameter& each, std::size_t place) {
    const bool pointer = each.c.type.pointers > 0;
    const bool vgpu_number = each.c.type.base == "nvmlVgpuTypeId_t" || each.c.type.base == "nvmlVgpuInstance_t";
    if (!pointer && (find(inputs_.newest.handles, each.c.type.base) != nullptr || vgpu_number)) {
      if (place == 0) return receiver(each);
      if (each.c.type.base == "nvmlDevice_t") return plain(each, "peer");
      if (!vgpu_number) return fail(fmt::format("{}.{}: where should such a handle come from?", name_, each.c.name));
    }
    const bool wide_text = each.c.type.base == "char" && pointer;
    if (wide_text && each.c.type.constant) return input(each, "text_in");
    switch (each.role) {
      case Role::text:
        return text(each);
      case Role::size:
        return plain(each, pointer ? "size" : "length");
      case Role::count:
        return count(each);
      case Role::array:
        return each.c.type.base == "nvmlValueType_t" ? plain(each, "output") : items(each);
      default:
        break;
    }
    if (!pointer) return input(each, "input");
    if (each.record != nullptr) return structure(each);
    return plain(each, "output");
  }

  Result<std::string> receiver(const MethodParameter& each) {
    row_.about = about_of(each.c.type.base);
    if (row_.about.empty()) return fail(fmt::format("{}: nothing tells handles of type {}", name_, each.c.type.base));
    return plain(each, "receiver");
  }

  Result<std::string> plain(const MethodParameter& each, const std::string& role, std::uint64_t room = 0,
                            std::uint64_t passed = 0, const std::string& input = "nullptr") {
    const auto field = what(each);
    if (!field) return std::unexpected(field.error());
    return Designated()
        .with("what", *field)
        .with("role", "Role::" + role)
        .with("room", room, "0")
        .with("passed", passed, "0")
        .with("input", input, "nullptr")
        .row();
  }

  // A text is as masked as its name says.
  Designated text_field(const MethodParameter& each) const {
    return Designated()
        .named(each.c.name)
        .with("kind", "Kind::text")
        .with("mask", "Mask::" + tables_.mask(name_ + "." + each.c.name), "Mask::none");
  }

  Result<std::string> text(const MethodParameter& each) {
    const Designated field = text_field(each).with("slot", tables_.slot(name_ + "." + each.c.name), "kNoSlot");
    return Designated().with("what", field.row()).with("role", "Role::text").row();
  }

  Result<std::string> input(const MethodParameter& each, const std::string& role) {
    const std::string full_name = name_ + "." + each.c.name;
    const auto made = tables_.input(each.c.type, each.kind, full_name);
    if (!made) return std::unexpected(made.error());
    row_.late = row_.late || tables_.is_late(*made);
    if (role == "text_in") {
      return Designated().with("what", text_field(each).row()).with("role", "Role::text_in").with("input", *made).row();
    }
    return plain(each, role, 0, 0, *made);
  }

  Result<std::string> count(const MethodParameter& each) {
    if (each.c.type.pointers > 0) return plain(each, "count");
    // By value: words of a bit set are counted, anything else in bytes.
    constexpr std::uint64_t elements = 16;
    const bool words = each.c.name.ends_with("SetSize");
    return plain(each, "capacity", elements, words ? elements : elements * 4);
  }

  Result<std::string> items(const MethodParameter& each) {
    auto text = plain(each, "items", 16);
    const TypedStruct* family = each.record == nullptr ? nullptr : tables_.types().struct_of(each.record->name);
    if (!text || family == nullptr || !name_.ends_with("RunningProcesses_v3")) return text;
    for (const CLayout& layout : family->layouts) {
      if (!layout.name.starts_with("historic::") || layout.record.size <= each.record->size) continue;
      const auto made = tables_.record(layout.record, layout.name);
      if (!made) return std::unexpected(made.error());
      text->insert(text->size() - 1, ", .wide = " + *made);
      break;
    }
    return text;
  }

  Result<std::string> structure(const MethodParameter& each) {
    std::string versions;
    const std::string declared = derived_type_name(each.record->name);
    const TypedStruct* family = tables_.types().struct_of(each.record->name);
    const bool alone = family == nullptr || !each.record->has_version();
    for (const CLayout& layout : alone ? std::vector<CLayout>{} : family->layouts) {
      const bool past = layout.name.starts_with("historic::");
      if (past || layout.version_word.empty() || derived_type_name(layout.record.name) != declared) continue;
      auto made = version(each, layout.record, layout.record.name);
      if (!made) return std::unexpected(made.error());
      versions += fmt::format("    {},\n", *made);
    }
    if (versions.empty()) {
      const std::string name = methods::layout_of(inputs_, plan_, method_, each);
      const CLayout* layout = layout_named(name);
      auto made = version(each, layout == nullptr ? *each.record : layout->record, name);
      if (!made) return std::unexpected(made.error());
      versions = fmt::format("    {},\n", *made);
    }
    const auto field = what(each);
    if (!field) return std::unexpected(field.error());
    return Designated()
        .with("what", *field)
        .with("role", "Role::structure")
        .with("versions", tables_.versions(name_ + "_" + each.c.name, versions))
        .row();
  }

  Result<std::string> version(const MethodParameter& each, const Record& record, const std::string& name) {
    const auto made = tables_.record(record, name);
    if (!made) return std::unexpected(made.error());
    std::string keys;
    for (const std::string& key : method_.row == nullptr ? std::vector<std::string>{} : method_.row->keys) {
      const auto field = std::ranges::find(record.fields, key, &nvmlab::codegen::Field::name);
      if (field == record.fields.end() || each.role == Role::out) continue;
      if (!field->extents.empty() || resolve_record(inputs_.newest, field->type.base) != nullptr) continue;  // zeros
      std::string kind;
      if (const TypedStruct* typed = tables_.types().struct_of(record.name)) {
        const auto row = typed->rows.find(key);
        if (row != typed->rows.end()) kind = row->second.kind;
      }
      if (const auto unit = method_.row->units.find(key); unit != method_.row->units.end()) kind = unit->second;
      const auto input = tables_.input(field->type, kind, name_ + "." + key);
      if (!input) return std::unexpected(input.error());
      row_.late = row_.late || tables_.is_late(*input);
      const auto member = tables_.field(*field, record.name, -1);
      if (!member) return std::unexpected(member.error());
      keys += fmt::format("    {},\n", Designated().with("field", *member).with("input", *input).row());
    }
    const auto word = version_word(record);
    if (!word) return std::unexpected(word.error());
    return tables_.version(*word, *made, name_ + "_" + name, keys);
  }

  // Number and word of the version; without a version word it has neither.
  Result<Designated> version_word(const Record& record) const {
    if (!record.has_version()) return Designated();
    for (const Macro& macro : inputs_.newest.macros) {
      const auto version = struct_version_of(macro);
      if (version && version->record == record.name)
        return Designated()
            .with("number", version->number)
            .with("word", fmt::format("{:#x}", version->word(record.size)));
    }
    // The older habit is a plain number (nvmlGpmSupport_t); where nothing tells it, the word is an answer.
    return tables_.is_versioned(record.name) ? Designated().with("number", 1).with("word", 1) : Designated();
  }

  const Inputs& inputs_;
  const Plan& plan_;
  const Method& method_;
  Tables& tables_;
  const std::string& name_;
  Row row_;
};

// A name that asks: with a verb that reads, and none that makes or waits for something.
bool reads(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("Create") || has("Alloc") || has("Wait") || has("Write")) return false;
  return has("Get") || has("Query") || has("DeviceIs") || has("DeviceOn") || has("Read");
}

}  // namespace

Result<bool> is_asked(const Method& method, const Rules& rules) {
  const std::string& name = method.function->name;
  if (std::ranges::find(rules.also_asked, name) != rules.also_asked.end()) return true;
  if (rules.not_asked.contains(name) || std::ranges::find(rules.by_hand, name) != rules.by_hand.end()) return false;
  switch (method.shape) {
    case Shape::lifecycle:
    case Shape::error_text:
    case Shape::command:
    case Shape::pointed_scalar:
    case Shape::versioned_input:
    case Shape::record_input:
      return false;
    case Shape::hand:
      return reads(name);
    default:
      if (reads(name)) return true;
      return fail(
          fmt::format("{} answers something, but nothing says that it changes nothing: give it a row in "
                      "`not_asked` or `also_asked` of model/recording.yaml",
                      name));
  }
}

Result<Row> row_of(const Inputs& inputs, const Plan& plan, const Method& method, Tables& tables) {
  return WalkWriter(inputs, plan, method, tables).write();
}

}  // namespace nvmlab::codegen::walk
