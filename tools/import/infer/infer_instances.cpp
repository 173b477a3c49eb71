// SPDX-License-Identifier: Apache-2.0
//
// What MIG has cut a GPU into: GPU instances and compute instances, of the MIG devices that a log or a list of GPUs
// shows and of the tables of `nvidia-smi mig`. An id is a position on the chip, so where no table says where an
// instance lies and which eighth of the chip is missing, the ids tell. Tests: tests/unit/import/mig_test.cpp.
#include <algorithm>
#include <cstdio>
#include <map>
#include <span>

#include <fmt/format.h>

#include "engine/topics/mig/mig_layout.hpp"
#include "engine/topics/mig/mig_rules.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

// A GPU instance as far as it is known.
struct Piece {
  std::uint32_t id = 0;
  std::uint32_t slices = 0;         // compute slices
  std::uint32_t memory_slices = 0;  // of eight; of four on boards that have so many
  std::uint32_t profile = 0;
  std::optional<std::uint32_t> start = std::nullopt;
  std::uint64_t overhead_bytes = 0;  // where no MIG device tells it
  const MigDevice* device = nullptr;
};

std::optional<std::uint64_t> number_in(const MigDevice& device, std::string_view member) {
  const auto found = device.members.find(member);
  const auto* number = found == device.members.end() ? nullptr : found->second.get_if<compiler::Number>();
  return number == nullptr || number->negative ? std::nullopt : std::optional(number->magnitude);
}

std::string text_in(const MigDevice& device, std::string_view member) {
  const auto found = device.members.find(member);
  const auto* text = found == device.members.end() ? nullptr : found->second.get_if<std::string>();
  return text == nullptr ? "" : *text;
}

// "1c.3g.40gb": compute slices of the compute instance and of the GPU instance.
struct Slices {
  std::uint32_t compute = 0;
  std::uint32_t gpu = 0;
};
std::optional<Slices> slices_of(std::string_view name) {
  Slices slices;
  const std::string text(name);
  if (std::sscanf(text.c_str(), "%2uc.%2ug.", &slices.compute, &slices.gpu) == 2) return slices;
  if (std::sscanf(text.c_str(), "%2ug.", &slices.gpu) != 1) return std::nullopt;
  slices.compute = slices.gpu;
  return slices;
}

// How much of the chip lies beneath a position of the tree, in eighths.
std::uint32_t eighths_of(std::uint32_t id) { return id == 0 ? 8 : id < 3 ? 4 : id < 7 ? 2 : 1; }

// Of a chip with seven compute slices. Whoever prints no name prints copy engines: one for each slice, or two.
std::uint32_t usual_slices(std::uint32_t id, const MigDevice& device) {
  const std::uint64_t copies = number_in(device, "copy_engines").value_or(0);
  switch (eighths_of(id)) {
    case 8:
      return 7;
    case 4:
      return copies == 4 || copies == 8 ? 4 : 3;
    case 2:
      return copies == 1 ? 1 : 2;
    default:
      return 1;
  }
}

// Ids by which instances are made, of chips with seven compute slices and of those with four.
std::optional<std::uint32_t> usual_profile(std::uint32_t slices, std::uint32_t memory_slices, bool four) {
  struct Row {
    std::uint32_t slices, memory_slices, id;
  };
  constexpr Row seven[] = {{1, 1, 19}, {1, 2, 15}, {2, 2, 14}, {3, 4, 9}, {4, 4, 5}, {7, 8, 0}};
  constexpr Row quarters[] = {{1, 1, 14}, {2, 2, 5}, {4, 4, 0}};
  const std::span<const Row> rows = four ? std::span<const Row>(quarters) : std::span<const Row>(seven);
  const auto found = std::ranges::find_if(
      rows, [&](const Row& row) { return row.slices == slices && row.memory_slices == memory_slices; });
  return found == rows.end() ? std::nullopt : std::optional(found->id);
}

MigBoard chip(bool four, std::uint32_t missing) {
  MigBoard board{};
  board.memory_slices = four ? 4 : 8;
  board.compute_slices = four ? 4 : 7;
  board.missing_slice = missing;
  return board;
}

std::optional<std::uint32_t> start_of(const MigBoard& board, const Piece& piece) {
  for (std::uint32_t start = 0; start < board.memory_slices; start += piece.memory_slices) {
    // The last eighth has memory and no compute slice.
    const bool beyond = board.memory_slices == 8 && start > 0 && start + std::max(piece.slices, 1u) > 7;
    if (!beyond && gpu_instance_id(board, start, piece.memory_slices) == piece.id) return start;
  }
  return std::nullopt;
}

bool agrees(const MigBoard& board, const Piece& piece) {
  const auto start = start_of(board, piece);
  return start && (!piece.start || *piece.start == *start);
}

// The one that the ids fit; captures show 14 and 10 most.
std::optional<std::uint32_t> missing_slice(const std::vector<Piece>& pieces) {
  for (const std::uint32_t missing : {14u, 10u, 7u, 8u, 9u, 11u, 12u, 13u}) {
    const MigBoard board = chip(false, missing);
    if (std::ranges::all_of(pieces, [&](const Piece& piece) { return agrees(board, piece); })) return missing;
  }
  return std::nullopt;
}

// Where nothing lists MIG devices, compute instances are counted instead.
void add_compute_instances(PartialLists& lists) {
  if (!lists.mig_devices.empty()) return;
  std::uint32_t next = 0;
  for (const auto& compute : lists.compute_instances) {
    auto& device = lists.mig_devices[next++];
    device.origin = compute.origin;
    device.members = {{"gpu_instance", compute.gpu_instance}, {"compute_instance", compute.id}, {"name", compute.name}};
  }
}

// Chips with four slices have instances of four that are the whole.
bool has_four_slices(const Subject& gpu) {
  const auto& profiles = gpu.lists.mig_profiles;
  if (!profiles.empty()) {
    return std::ranges::none_of(profiles, [](const auto& each) { return each.second.name.starts_with("MIG 7g."); });
  }
  const FieldValue* name = gpu.value("identity.name");
  return name != nullptr &&
         (name->text().find("A30") != std::string_view::npos || name->text().find("RTX PRO") != std::string_view::npos);
}

std::map<std::uint32_t, Piece> pieces_of(const Subject& gpu, bool four) {
  std::map<std::uint32_t, Piece> pieces;
  for (const auto& [id, instance] : gpu.lists.gpu_instances) {
    Piece& piece = pieces[id];
    piece = {.id = id,
             .slices = instance.slices,
             .memory_slices = instance.size,
             .profile = instance.profile,
             .start = instance.start,
             .overhead_bytes = instance.slices == 0 ? 0 : mig_overhead_bytes(instance.slices)};
    if (const auto slices = slices_of(instance.name.substr(std::min<std::size_t>(4, instance.name.size()))))
      piece.slices = slices->gpu;
  }
  for (const auto& [index, device] : gpu.lists.mig_devices) {
    const auto id = number_in(device, "gpu_instance");
    if (!id || *id > 14) continue;
    Piece& piece = pieces[static_cast<std::uint32_t>(*id)];
    piece.id = static_cast<std::uint32_t>(*id);
    if (piece.device == nullptr) piece.device = &device;
    if (piece.start) continue;
    piece.memory_slices = four ? std::max(eighths_of(piece.id) / 2, 1u) : eighths_of(piece.id);
    const auto named = slices_of(text_in(device, "name"));
    piece.slices = named ? named->gpu : four ? piece.memory_slices : usual_slices(piece.id, device);
    piece.profile = usual_profile(piece.slices, piece.memory_slices, four).value_or(~0u);
  }
  return pieces;
}

void put_if_known(compiler::LiteralRecord& row, std::string_view member, const MigDevice* device) {
  if (device == nullptr) return;
  if (const auto value = number_in(*device, member)) row.emplace(member, *value);
}

compiler::LiteralRecord row_of(const Piece& piece, std::uint32_t serial, const PartialLists& lists) {
  compiler::LiteralRecord row{
      {"id", piece.id}, {"profile_id", piece.profile}, {"start", *piece.start}, {"serial", serial}};
  for (const auto* member : {"memory_total_bytes", "bar1_total_bytes", "bar1_used_bytes"})
    put_if_known(row, member, piece.device);
  const auto used = piece.device == nullptr ? std::nullopt : number_in(*piece.device, "memory_used_bytes");
  const auto held = lists.process_bytes.find(piece.id);
  const std::uint64_t by_processes = held == lists.process_bytes.end() ? 0 : held->second;
  if (used) {
    row.emplace("overhead_bytes", *used > by_processes ? *used - by_processes : 0);
  } else if (piece.overhead_bytes != 0) {
    row.emplace("overhead_bytes", piece.overhead_bytes);
  }
  return row;
}

// By slices; the number of the profile is by the order of NVML's names.
std::uint32_t compute_profile(std::uint32_t slices, std::uint32_t memory_slices) {
  switch (slices) {
    case 2:
      return 1;
    case 3:
      return 2;
    case 4:
      return 3;
    case 7:
      return 4;
    default:
      return memory_slices == 2 ? 7 : 0;  // one slice with the memory of two
  }
}

struct Fill {
  std::uint32_t next = 0;
};

const MigCompute* told_of(const PartialLists& lists, std::uint32_t gpu_instance, std::uint64_t id) {
  const auto found = std::ranges::find_if(lists.compute_instances, [&](const MigCompute& each) {
    return each.gpu_instance == gpu_instance && each.id == id && each.start;
  });
  return found == lists.compute_instances.end() ? nullptr : &*found;
}

// nvidia-smi does not print where compute instances lie; side by side, then, as they are made.
compiler::LiteralList compute_rows(const Subject& gpu, const std::map<std::uint32_t, Piece>& pieces,
                                   std::uint32_t serial) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, const MigDevice*> devices;
  for (const auto& [index, device] : gpu.lists.mig_devices) {
    const auto in = number_in(device, "gpu_instance");
    const auto id = number_in(device, "compute_instance");
    if (in && id && *id < 8 && pieces.contains(static_cast<std::uint32_t>(*in)))
      devices[{static_cast<std::uint32_t>(*in), static_cast<std::uint32_t>(*id)}] = &device;
  }
  std::map<std::uint32_t, Fill> fills;
  compiler::LiteralList rows;
  for (const auto& [ids, device] : devices) {
    const Piece& piece = pieces.at(ids.first);
    const auto named = slices_of(text_in(*device, "name"));
    const std::uint32_t slices = named ? named->compute : piece.slices;
    const bool twice_memory = piece.slices == 1 && piece.memory_slices == 2;
    compiler::LiteralRecord row{{"gpu_instance", ids.first},
                                {"id", ids.second},
                                {"profile_id", compute_profile(slices, twice_memory ? 2 : 1)},
                                {"start", fills[ids.first].next},
                                {"serial", ++serial}};
    fills[ids.first].next += slices;
    if (const MigCompute* told = told_of(gpu.lists, ids.first, ids.second)) {
      row["profile_id"] = *told->profile;
      row["start"] = *told->start;
    }
    if (const auto uuid = text_in(*device, "uuid"); !uuid.empty() && uuid.size() < 48) row.emplace("uuid", uuid);
    rows.emplace_back(std::move(row));
  }
  return rows;
}

// The family of a chip has the number; nvidia-smi looks for no MIG device without it.
void count_possible_devices(Evidence& evidence, Subject& gpu, std::uint32_t slices, const Origin& seen) {
  if (!shipped_board(evidence, gpu).empty() || families_of(gpu).front() != kAnyFamily) return;
  if (gpu.find("modes.mig_max_devices") != nullptr) return;
  const auto source = evidence.add_source(
      {.id = "slices", .kind = "derived", .why = "the chip has as many compute slices as its MIG devices show"});
  evidence.observe(gpu, "modes.mig_max_devices", slices, {source, seen.place});
}

}  // namespace

void infer_instances(Evidence& evidence, Subject& gpu) {
  add_compute_instances(gpu.lists);
  const bool four = has_four_slices(gpu);
  auto pieces = pieces_of(gpu, four);
  if (pieces.empty()) return;
  const auto& first = gpu.lists.mig_devices.empty() ? gpu.lists.gpu_instances.begin()->second.origin
                                                    : gpu.lists.mig_devices.begin()->second.origin;
  std::vector<Piece> all;
  for (const auto& [id, piece] : pieces)
    all.push_back(piece);
  const auto missing = four ? std::optional<std::uint32_t>(kMissingSlice) : missing_slice(all);
  constexpr std::size_t kRoom = MigLayout::kCapacity;
  const bool known = std::ranges::all_of(all, [](const Piece& piece) { return piece.profile != ~0u; });
  if (!missing || !known || all.size() > kRoom || gpu.lists.mig_devices.size() > kRoom) {
    evidence.notes.push_back(fmt::format("{}:{}: GPU instances with these ids fit no chip; they are left out",
                                         *first.place.file, first.place.line));
    return;
  }
  compiler::LiteralList rows;
  std::uint32_t serial = 0;
  for (auto& [id, piece] : pieces) {
    if (!piece.start) piece.start = start_of(chip(four, *missing), piece);
    if (!piece.start) return;
    rows.emplace_back(row_of(piece, ++serial, gpu.lists));
  }
  const auto compute = compute_rows(gpu, pieces, serial);
  for (const auto* mode : {"modes.mig", "modes.mig_pending"}) {
    if (gpu.find(mode) == nullptr) evidence.observe(gpu, mode, 1, first);
  }
  evidence.observe(gpu, "instances.gpu_instances", rows, first);
  evidence.observe(gpu, "instances.compute_instances", compute, first);
  evidence.observe(gpu, "instances.last_serial", serial + compute.size(), first);
  count_possible_devices(evidence, gpu, chip(four, *missing).compute_slices, first);
  if (!four && *missing != kMissingSlice) evidence.observe(gpu, "mig.missing_slice", *missing, first);
}

}  // namespace nvmlab::importer
