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
};

bool only_asks(std::string_view function) {
  return function.starts_with("nvmlDeviceGet") || function.starts_with("nvmlDeviceIs") ||
         function.starts_with("nvmlGpmQuery");
}

// Of a family what its own method answers, if it can be asked without more.
Result<std::vector<SnapshotMember>> members_of_device(const methods::Writing& writing, std::set<std::string>& headers) {
  std::vector<SnapshotMember> members;
  for (const Family& family : writing.plan.families()) {
    const Method& newest = *family.members.front();
    if (newest.class_name != "Device" || !only_asks(newest.function->name)) continue;
    const methods::Writer writer = methods::writer_of(writing, newest);
    if (writer == nullptr) continue;
    auto pieces = writer(writing, newest);
    if (!pieces) return std::unexpected(pieces.error());
    for (const methods::Piece& piece : *pieces) {
      if (!piece.parameters.empty() || piece.result == "void") continue;
      members.push_back({newest.name, piece.result});
      headers.insert(piece.headers.begin(), piece.headers.end());
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
  std::set<std::string> headers;
  const auto hand = load_hand_written(inputs.root / "binding" / "nvmlab" / "nvml");
  if (!hand) return std::unexpected(hand.error());
  const auto members = members_of_device({inputs, *plan, *types, *hand}, headers);
  if (!members) return std::unexpected(members.error());

  std::string declarations;
  std::string visits;
  std::string answers;
  for (const SnapshotMember& member : *members) {
    declarations += fmt::format("  Result<{}> {};  ///< Device::{}()\n", member.result, member.name, member.name);
    visits += fmt::format("    visit(std::string_view{{\"{0}\"}}, {0});\n", member.name);
    answers += fmt::format("      .{0} = device.{0}(),\n", member.name);
  }
  const std::string folder(values::kFolder);
  output.add(
      folder + "snapshot.hpp",
      values::header_text(
          "Everything that one device tells without being asked for more than itself.",
          "#include <string_view>\n\n#include \"nvmlab/nvml/objects.hpp\"\n",
          fmt::format("/// Each member is what the method of its name answered, so an error where the board lacks "
                      "it. The getters were called\n/// one after the other: numbers that move are of slightly "
                      "different moments.\nstruct Snapshot {{\n{}\n"
                      "  /// visit(std::string_view name, const Result<T>& answer), for each member in its "
                      "order.\n  template <class Visit>\n  void for_each(Visit&& visit) const {{\n{}  }}\n}};\n\n"
                      "/// Calls every getter of the device that takes no arguments; a few hundred microseconds "
                      "on real hardware.\n[[nodiscard]] Snapshot snapshot(const Device& device);\n\n",
                      declarations, visits)));
  output.add(folder + "snapshot.cpp",
             values::source_text(
                 "The calls behind a snapshot.", "#include \"nvmlab/nvml/generated/snapshot.hpp\"\n",
                 fmt::format("Snapshot snapshot(const Device& device) {{\n  return {{\n{}  }};\n}}\n\n", answers)));
  return {};
}

}  // namespace nvmlab::codegen
