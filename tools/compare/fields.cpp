// SPDX-License-Identifier: Apache-2.0
#include "compare/fields.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "compiler/return_codes.hpp"
#include "compiler/summary.hpp"
#include "compiler/unit_fields.hpp"
#include "compiler/values_raw.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::compare {
namespace {

using compiler::Style;

// A name that no family has: a source of the imported machine must not be taken for one of what it inherits.
constexpr const char* kImported = "imported-for-comparison";

struct ShownValue {
  std::string text;
  bool code = false;
  bool number = false;
};

ShownValue shown(const Field& field, const std::byte* at) {
  if (const auto code = compiler::raw::code(field, at); code != kSuccess)
    return {compiler::return_code_name(code), true, false};
  ShownValue value{compiler::format_value(field, at, Style::people), false, false};
  const bool letters = field.type == FieldType::text || field.type == FieldType::bytes;
  value.number = !letters && !value.text.empty() && value.text.find_first_not_of("-0123456789") == std::string::npos;
  return value;
}

Nature nature_of(const Field& field) {
  return field.kind == FieldKind::live || field.kind == FieldKind::counter ? Nature::live : Nature::steady;
}

// The values inside a record or a list, each by its path from there.
void add_parts(std::vector<Part>& parts, const std::string& name, const Field& field, const std::byte* at) {
  if (field.type == FieldType::record) {
    for (std::uint32_t i = 0; i < field.record->field_count; ++i) {
      const Field& member = field.record->fields[i];
      add_parts(parts, fmt::format("{}.{}", name, member.name), member, at + member.offset);
    }
    return;
  }
  if (!compiler::is_list(field.type)) {
    ShownValue value = shown(field, at);
    parts.push_back({name, std::move(value.text), nature_of(field), value.code, value.number});
    return;
  }
  const std::uint32_t count = compiler::list_count(field, at);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string item = fmt::format("{}[{}]", name, i);
    const std::byte* start = at + compiler::kListHead + std::size_t{i} * compiler::item_size(field);
    if (field.type != FieldType::list_record) {
      parts.push_back({item, compiler::format_item(field, start, Style::people), nature_of(field), false, true});
      continue;
    }
    for (std::uint32_t m = 0; m < field.record->field_count; ++m) {
      const Field& member = field.record->fields[m];
      add_parts(parts, fmt::format("{}.{}", item, member.name), member, start + member.offset);
    }
  }
}

// One field of the vocabulary, or one member of a record field.
struct Leaf {
  compiler::FieldRef ref;
  Nature nature = Nature::steady;
  bool hexadecimal = false;
};

const std::vector<Leaf>& leaves() {
  static const std::vector<Leaf> all = [] {
    std::vector<Leaf> made;
    const auto add = [&](const std::string& name) {
      auto ref = compiler::find_field(name);
      if (!ref) return;  // cannot be: the name comes from the tables
      Nature nature = nature_of(*ref->field);
      if (nature == Nature::steady && compiler::names_one_unit(name)) nature = Nature::identifier;
      made.push_back({std::move(*ref), nature, importer::in_hexadecimal(name)});
    };
    for (const Topic& topic : topics()) {
      for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
        const Field& field = topic.table.fields[i];
        const std::string name = fmt::format("{}.{}", topic.table.name, field.name);
        if (field.type != FieldType::record) add(name);
        for (std::uint32_t m = 0; field.type == FieldType::record && m < field.record->field_count; ++m)
          add(fmt::format("{}.{}", name, field.record->fields[m].name));
      }
    }
    return made;
  }();
  return all;
}

class StatementReader {
 public:
  StatementReader(const compiler::Provenance* provenance, Observed observed, std::string_view machine)
      : provenance_(provenance), observed_(observed), machine_(machine) {}

  std::vector<Statement> of(std::uint32_t gpu, bool of_node, const std::byte* owner) const {
    std::vector<Statement> statements;
    for (const Leaf& leaf : leaves()) {
      if (leaf.ref.topic->of_node == of_node) statements.push_back(statement(gpu, leaf, owner + leaf.ref.offset));
    }
    return statements;
  }

 private:
  Statement statement(std::uint32_t gpu, const Leaf& leaf, const std::byte* at) const {
    const Field& field = *leaf.ref.field;
    Statement made;
    made.topic = leaf.ref.topic->table.name;
    made.name = leaf.ref.name;
    made.nature = leaf.nature;
    bool nothing = false;
    if (compiler::is_list(field.type)) {
      made.shape = StatementShape::list;
      made.count = compiler::list_count(field, at);
      add_parts(made.parts, "", field, at);
      nothing = made.count == 0;
    } else {
      ShownValue value = shown(field, at);
      made.shape = value.number ? StatementShape::number : StatementShape::text;
      if (value.number) made.unit = field.unit;
      made.hexadecimal = leaf.hexadecimal;
      made.code = value.code;
      made.text = std::move(value.text);
      nothing = made.code && made.text == "NOT_SUPPORTED";
    }
    const compiler::Source* source = provenance_ == nullptr ? nullptr : provenance_->find(gpu, leaf.ref);
    if (source != nullptr) {
      made.origin = source->kind;
      made.origin_text = source->text;
    }
    made.silent = nothing && source == nullptr;
    if (observed_ == Observed::evidence) {
      made.observed =
          source != nullptr && source->profile == machine_ && source->kind != "derived" && source->kind != "assumed";
    }
    return made;
  }

  const compiler::Provenance* provenance_;
  Observed observed_;
  std::string_view machine_;
};

const Statement* find(const SideSubject& subject, std::string_view name) {
  const auto found = std::ranges::find(subject.statements, name, &Statement::name);
  return found == subject.statements.end() ? nullptr : &*found;
}

// A name that somebody read or wrote down, not a derived one.
const Statement* real(const SideSubject& subject, std::string_view name) {
  const Statement* found = find(subject, name);
  return found == nullptr || !found->observed || found->code || found->origin == "derived" ? nullptr : found;
}

void name_unit(SideSubject& gpu) {
  if (const Statement* name = find(gpu, "identity.name"); name != nullptr && !name->code) gpu.board = name->text;
  if (const Statement* uuid = real(gpu, "identity.uuid"); uuid != nullptr && is_real_uuid(uuid->text))
    gpu.uuid = uuid->text;
  const Statement* domain = real(gpu, "pci.domain");
  const Statement* bus = real(gpu, "pci.bus");
  const Statement* device = real(gpu, "pci.device");
  if (domain != nullptr && bus != nullptr && device != nullptr)
    gpu.address = fmt::format("{}:{}:{}", domain->text, bus->text, device->text);
}

const std::byte* bytes_of(const Node& node) { return reinterpret_cast<const std::byte*>(&node); }
const std::byte* bytes_of(const Gpu& gpu) { return reinterpret_cast<const std::byte*>(&gpu); }

}  // namespace

Side fields_of(const Node& node, std::span<const Gpu> gpus, const compiler::Provenance* provenance, Observed observed,
               std::string_view machine) {
  const StatementReader reader(provenance, observed, machine);
  Side side;
  side.node.statements = reader.of(0, true, bytes_of(node));
  side.gpus.resize(gpus.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    side.gpus[i].statements = reader.of(static_cast<std::uint32_t>(i), false, bytes_of(gpus[i]));
    name_unit(side.gpus[i]);
  }
  std::vector<std::string> boards;
  for (const SideSubject& gpu : side.gpus) {
    boards.push_back(gpu.board);
  }
  const Statement* driver = find(side.node, "system.driver_version");
  side.what = compiler::summary(boards, driver == nullptr || driver->code ? "" : driver->text);
  return side;
}

Side fields_of(const compiler::Machine& machine, Observed observed) {
  const bool sourced = !machine.provenance.sources().empty();
  return fields_of(machine.node(), machine.gpus, sourced ? &machine.provenance : nullptr, observed, machine.name);
}

std::expected<Side, Complaints> fields_of(std::span<const importer::Input> inputs, importer::LeafLedger* leaves) {
  auto imported = importer::import_captures(inputs, kImported, {.partial = true});
  if (!imported) return std::unexpected(imported.error());
  if (leaves != nullptr) *leaves = std::move(imported->leaves);
  const auto machine = compiler::compile_text(imported->yaml, std::string(kImported) + ".yaml", kImported);
  if (!machine) return std::unexpected(Complaints{compiler::describe(machine.error())});
  return fields_of(*machine, Observed::evidence);
}

}  // namespace nvmlab::compare
