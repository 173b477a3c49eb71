// SPDX-License-Identifier: Apache-2.0
// binding/nvmlab/nvml/generated/snapshot.{hpp,cpp}: one member for each getter of a device that needs nothing but the
// device. Covered by tests/binding/snapshot_test.cpp.
#include <fmt/format.h>

#include "codegen/emit/nvml/methods.hpp"
#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen {
namespace {

struct SnapshotMember {
  std::string name;
  std::string result;
  std::string key;  // the enumeration whose values it is asked with; empty: it takes no argument

  std::string type() const {
    return key.empty() ? fmt::format("Result<{}>", result) : fmt::format("ByKey<{}, {}>", key, result);
  }
};

bool only_asks(std::string_view function) {
  return function.starts_with("nvmlDeviceGet") || function.starts_with("nvmlDeviceIs") ||
         function.starts_with("nvmlGpmQuery");
}

// A real driver measures for 20 ms before it answers.
bool takes_long(std::string_view function) { return function == "nvmlDeviceGetPcieThroughput"; }

// "ClockType" of "ClockType domain", where that is an enumeration.
std::string key_of(const BindingTypes& types, const std::string& parameter) {
  const std::string type = parameter.substr(0, parameter.find(' '));
  const TypedEnum* found = types.enum_named(type);
  return found != nullptr && found->name == type ? type : std::string{};
}

// Of a family what its own method answers, if it can be asked without more than an enumerator.
Result<std::vector<SnapshotMember>> members_of_device(const methods::Writing& writing) {
  std::vector<SnapshotMember> members;
  for (const Family& family : writing.plan.families()) {
    const Method& newest = *family.members.front();
    const std::string& function = newest.function->name;
    if (newest.class_name != "Device" || !only_asks(function) || takes_long(function)) continue;
    const methods::Writer writer = methods::writer_of(writing, newest);
    if (writer == nullptr) continue;
    auto pieces = writer(writing, newest);
    if (!pieces) return std::unexpected(pieces.error());
    for (const methods::Piece& piece : *pieces) {
      if (piece.result == "void" || piece.parameters.size() > 1) continue;
      const std::string key = piece.parameters.empty() ? "" : key_of(writing.types, piece.parameters.front());
      if (piece.parameters.size() == 1 && key.empty()) continue;
      members.push_back({newest.name, piece.result, key});
      break;
    }
  }
  return members;
}

}  // namespace

std::expected<void, Error> emit_snapshot(const Inputs& inputs, Output& output) {
  const auto plan = load_plan(inputs);
  if (!plan) return std::unexpected(plan.error());
  const auto types = BindingTypes::load(inputs);
  if (!types) return std::unexpected(types.error());
  const auto hand = load_hand_written(inputs.root / "binding" / "nvmlab" / "nvml");
  if (!hand) return std::unexpected(hand.error());
  const auto members = members_of_device({inputs, *plan, *types, *hand});
  if (!members) return std::unexpected(members.error());

  std::string names;
  std::string declarations;
  std::string visits;
  std::string keyed_visits;
  std::string answers;
  for (const SnapshotMember& member : *members) {
    const std::string& name = member.name;
    const std::string type = member.type();
    names += fmt::format("  {0},  ///< Snapshot::{0}\n", name);
    declarations += fmt::format("  {} {};  ///< Device::{}({})\n", type, name, name, member.key);
    (member.key.empty() ? visits : keyed_visits) += fmt::format("    visit(std::string_view{{\"{0}\"}}, {0});\n", name);
    answers += member.key.empty()
                   ? fmt::format("      .{0} = is(SnapshotMember::{0}) ? device.{0}() : {1}{{none}},\n", name, type)
                   : fmt::format(
                         "      .{0} = {{keys<{1}>(is(SnapshotMember::{0})), [&]({1} key) {{ return "
                         "device.{0}(key); }}}},\n",
                         name, member.key);
  }
  const std::string folder(values::kFolder);
  output.add(
      folder + "snapshot.hpp",
      values::header_text(
          "Everything that one device tells without being asked for more than itself, or for an enumerator.",
          "#include <initializer_list>\n#include <span>\n#include <string_view>\n\n"
          "#include \"nvmlab/nvml/by_key.hpp\"\n#include \"nvmlab/nvml/objects.hpp\"\n",
          fmt::format(
              "/// The members of a Snapshot, to choose some.\nenum class SnapshotMember : unsigned char {{\n{}}};\n\n"
              "/// Each member is what the method of its name answered, so an error where the board lacks "
              "it; where the method takes an\n/// argument, its answers to all values that have a name. The "
              "getters were called one after the other: numbers that\n/// move are of slightly different "
              "moments.\nstruct Snapshot {{\n{}\n"
              "  /// visit(std::string_view name, const Result<T>& answer), for each member without an "
              "argument in its order.\n  template <class Visit>\n  void for_each(Visit&& visit) const "
              "{{\n{}  }}\n\n"
              "  /// visit(std::string_view name, const ByKey<Key, T>& answers), for each member with an "
              "argument in its order.\n  template <class Visit>\n  void for_each_keyed(Visit&& visit) const "
              "{{\n{}  }}\n}};\n\n"
              "/// Calls every getter of the device that takes no argument or an enumerator; a few hundred "
              "microseconds on real\n/// hardware.\n[[nodiscard]] Snapshot snapshot(const Device& device);\n"
              "/// Calls those that were chosen. All others are NO_DATA of origin binding, and without "
              "answers where they have an\n/// argument.\n[[nodiscard]] Snapshot snapshot(const Device& device, "
              "std::span<const SnapshotMember> chosen);\n"
              "/// Likewise.\n[[nodiscard]] Snapshot snapshot(const Device& device, "
              "std::initializer_list<SnapshotMember> chosen);\n\n",
              names, declarations, visits, keyed_visits)));
  output.add(
      folder + "snapshot.cpp",
      values::source_text(
          "The calls behind a snapshot.",
          "#include \"nvmlab/nvml/generated/snapshot.hpp\"\n\n#include <bitset>\n\n"
          "#include \"nvmlab/nvml/reflect.hpp\"\n",
          fmt::format(
              "namespace {{\n\nusing Chosen = std::bitset<{}>;\n\n"
              "// All values that have a name; none where nobody wants the answers.\n"
              "template <class Key>\nstd::span<const Key> keys(bool chosen) {{\n"
              "  return chosen ? enumerators<Key>() : std::span<const Key>{{}};\n}}\n\n"
              "Snapshot taken(const Device& device, const Chosen& chosen) {{\n"
              "  const auto is = [&](SnapshotMember member) {{ return chosen[static_cast<std::size_t>(member)]; }};\n"
              "  const unexpected<Error> none(detail::not_asked());\n  return {{\n{}  }};\n}}\n\n}}  // namespace\n\n"
              "Snapshot snapshot(const Device& device) {{ return taken(device, Chosen{{}}.set()); }}\n\n"
              "Snapshot snapshot(const Device& device, std::span<const SnapshotMember> chosen) {{\n"
              "  Chosen set;\n  for (const SnapshotMember member : chosen)\n"
              "    set.set(static_cast<std::size_t>(member));\n  return taken(device, set);\n}}\n\n"
              "Snapshot snapshot(const Device& device, std::initializer_list<SnapshotMember> chosen) {{\n"
              "  return snapshot(device, std::span(chosen.begin(), chosen.size()));\n}}\n\n",
              members->size(), answers)));
  return {};
}

}  // namespace nvmlab::codegen
