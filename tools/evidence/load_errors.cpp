// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "engine/change/change.hpp"
#include "engine/topics/derived.hpp"
#include "engine/topics/load/board_physics.hpp"
#include "engine/topics/load/motion.hpp"
#include "evidence/load_captures.hpp"

namespace nvmlab::evidence {
namespace {

// A machine in memory whose clock is virtual.
class SimulatedBoard {
 public:
  static std::expected<SimulatedBoard, std::string> bring_up(const std::string& profile) {
    const auto compiled = compiler::compile(profile);
    if (!compiled) return std::unexpected(compiler::describe(compiled.error()));
    Image image;
    if (open_image(compiled->image.data(), compiled->image.size(), &image) != ImageError::none)
      return std::unexpected(profile + ": its image cannot be read");
    SimulatedBoard board;
    board.memory_.resize(store_size(1) / sizeof(Block) + 1);
    build_store(board.memory_.data(), image, 1, "evidence", 8,
                {.mode = ClockMode::virtual_time, .seeded = true, .seed = 7});
    return board;
  }

  Code make(const Change& change) {
    MachineAccess machine{store(), file_, true};
    return apply(machine, change).code;
  }

  std::unique_ptr<Gpu> told() {
    const GpuSlot& slot = store().gpus()[0];
    auto gpu = std::make_unique<Gpu>(slot.copies[slot.sequence & 1]);
    resolve(*gpu, machine_time_ns(store().clock));
    derived::compute(*gpu);
    return gpu;
  }

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };
  Store& store() { return *reinterpret_cast<Store*>(memory_.data()); }

  std::vector<Block> memory_;
  StoreFile file_;
};

// Of the whole board, or of a process in an instance of it.
Code begin_work(SimulatedBoard& board, const LoadCapture& capture) {
  if (capture.gpu_instance == kNoInstance) return board.make(make_change(0, capture.load));
  StartProcess process{};
  process.pid = 1;
  process.kinds = 1;
  process.gpu_instance = capture.gpu_instance;
  process.compute_instance = 0;
  SetLoad load = capture.load;
  load.pid = process.pid;
  const Code code = board.make(make_change(0, process));
  return code == kSuccess ? board.make(make_change(0, load)) : code;
}

std::string_view title_of(Use use) { return use == Use::fitted ? "fitted" : "judged"; }

std::string cell(const Seen& seen, std::optional<double> error, const char* unit, double most) {
  if (!error) return " | ";
  const bool missed = std::fabs(*error) > most;
  return fmt::format("{:.1f} | {:+.1f} {} {}{}", seen.value, *error, unit, title_of(seen.use),
                     missed ? fmt::format(", MISSED (at most {:.0f})", most) : "");
}

std::string row_of(const LoadCapture& capture, const LoadErrors& errors) {
  return fmt::format("| `{}` | {} | {:.0f} s | {} | {} | {} |\n", capture.profile, capture.what, capture.seconds,
                     cell(capture.watts, errors.watts_percent, "%", most_percent(capture.watts.use)),
                     cell(capture.rise_c, errors.rise_c, "C", most_celsius(capture.rise_c.use)),
                     cell(capture.memory_rise_c, errors.memory_rise_c, "C", most_celsius(capture.memory_rise_c.use)));
}

}  // namespace

double most_percent(Use use) { return use == Use::fitted ? 3 : 6; }
double most_celsius(Use use) { return use == Use::fitted ? 2 : 4; }

std::expected<LoadErrors, std::string> load_errors(const LoadCapture& capture) {
  auto board = SimulatedBoard::bring_up(capture.profile);
  if (!board) return std::unexpected(board.error());
  constexpr double kSecond = 1e9;
  // As it is at rest; a capture may show it otherwise.
  if (board->make(make_change(0, SetLoad{LoadKind::idle, kOfKind, kOfKind, kSameAir, 0})) != kSuccess ||
      board->make(make_change(MachinePart::clock, AdvanceMachineClock{3'600'000'000'000})) != kSuccess)
    return std::unexpected(fmt::format("{}: cannot be idle", capture.profile));
  const auto idle = board->told();
  if (begin_work(*board, capture) != kSuccess ||
      board->make(make_change(MachinePart::clock,
                              AdvanceMachineClock{static_cast<std::uint64_t>(capture.seconds * kSecond)})) != kSuccess)
    return std::unexpected(fmt::format("{}: cannot be loaded", capture.profile));
  const auto busy = board->told();
  const auto rise = [](const Seen& seen, const Fact<std::uint32_t>& from, const Fact<std::uint32_t>& to) {
    std::optional<double> error;
    if (seen.use != Use::none) error = static_cast<double>(to.value) - static_cast<double>(from.value) - seen.value;
    return error;
  };
  LoadErrors errors;
  if (capture.watts.use != Use::none)
    errors.watts_percent = (busy->power.draw_mw.value / (capture.watts.value * 1000) - 1) * 100;
  errors.rise_c = rise(capture.rise_c, idle->thermal.gpu_c, busy->thermal.gpu_c);
  errors.memory_rise_c = rise(capture.memory_rise_c, idle->thermal.memory_c, busy->thermal.memory_c);
  return errors;
}

std::string physics_source(const std::string& profile) {
  auto board = SimulatedBoard::bring_up(profile);
  if (!board) return board.error();
  const auto gpu = board->told();
  const BoardPhysics& physics =
      physics_of(gpu->pci.device_id.value_or(0), gpu->thermal.fans.size() > 0, gpu->thermal.memory_c.has_value());
  if (physics.device != 0) return "its own captures";
  return &physics == &kWithHbm   ? "no capture under load: its family's, boards with HBM, from the H100"
         : &physics == &kPassive ? "no capture under load: its family's, boards without fans, from the L40S"
                                 : "no capture under load: its family's, boards with fans, from the RTX 2080 SUPER";
}

std::expected<std::string, std::string> load_page(const std::vector<std::string>& boards) {
  std::string out =
      "\n## Boards under load\n\n"
      "How far [loads](../guide/load.md) are from captures of real boards under load: what the capture shows, and how "
      "much more or less the\nsimulated board tells so long after the load began. *Fitted*: parameters of "
      "`model/board_physics.yaml` follow from it, by `scripts/fit-load`, and\nit may be off by 3 % of power and 2 C. "
      "*Judged*: "
      "none does, and it may be off by 6 % and 4 C.\n\n"
      "| machine | load | after | W | error | chip above idle, C | error | memory above idle, C | error |\n"
      "|---|---|---:|---:|---|---:|---|---:|---|\n";
  for (const LoadCapture& capture : load_captures()) {
    const auto errors = load_errors(capture);
    if (!errors) return std::unexpected(errors.error());
    out += row_of(capture, *errors);
  }
  out +=
      "\nThe temperature of memory was fitted on both `dmon` of the H100, as near to the one as to the other: with MIG "
      "it is warmer than fewer SMs explain.\n\nNobody has held against a capture: a board that "
      "takes its family's row (below), clocks under a power limit, "
      "heat after more than\n13 s, fans, and how power is shared between what a first SM wakes and what each further "
      "one adds, which follows from the H100\nwith MIG alone.\n\n| board | physics of |\n|---|---|\n";
  for (const std::string& board : boards)
    out += fmt::format("| `{}` | {} |\n", board, physics_source(board));
  return out;
}

}  // namespace nvmlab::evidence
