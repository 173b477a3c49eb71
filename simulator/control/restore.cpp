// SPDX-License-Identifier: Apache-2.0
#include "control/restore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "control/refusals.hpp"
#include "control/snapshot_file.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::control {
namespace {

constexpr std::uint32_t kWord = 8;

// The words of a topic that differ, in runs that a change has room for.
void add_runs(const std::byte* now, const std::byte* wanted, std::uint32_t begin, std::uint32_t end,
              std::vector<RestoreBytes>& runs) {
  const auto differs = [&](std::uint32_t at) { return std::memcmp(now + at, wanted + at, kWord) != 0; };
  for (std::uint32_t at = begin; at < end; at += kWord) {
    if (!differs(at)) continue;
    RestoreBytes run{at, 0, {}};
    for (; at < end && run.size < sizeof run.bytes && differs(at); at += kWord, run.size += kWord)
      std::memcpy(run.bytes + run.size, wanted + at, kWord);
    runs.push_back(run);
    at -= kWord;
  }
}

template <class State>
std::vector<RestoreBytes> runs_of(bool of_node, const State& now, const State& wanted) {
  std::vector<RestoreBytes> runs;
  for (const Topic& topic : topics()) {
    if (topic.of_node != of_node) continue;
    add_runs(reinterpret_cast<const std::byte*>(&now), reinterpret_cast<const std::byte*>(&wanted), topic.offset,
             topic.offset + topic.table.size, runs);
  }
  return runs;
}

bool same_pins(const std::vector<Pin>& some, const std::vector<Pin>& others) {
  return std::ranges::equal(
      some, others, [](const Pin& one, const Pin& other) { return std::memcmp(&one, &other, sizeof one) == 0; });
}

template <class State>
void add_changes(ChangeTarget target, std::uint64_t checksum, const State& now, const Beside& beside_now,
                 const State& wanted, const Beside& beside_wanted, std::vector<Change>& changes) {
  const auto runs = runs_of(target == MachinePart::node, now, wanted);
  const bool pins_differ = !same_pins(beside_now.pins, beside_wanted.pins);
  if (runs.empty() && !pins_differ && !beside_now.faulty && beside_now.present == beside_wanted.present) return;
  changes.push_back(make_change(target, RestoreSnapshot{checksum, beside_wanted.present ? 1u : 0u,
                                                        static_cast<std::uint32_t>(beside_wanted.pins.size()),
                                                        static_cast<std::uint32_t>(runs.size())}));
  for (const Pin& pin : beside_wanted.pins)
    changes.push_back(make_change(target, RestorePin{pin}));
  for (const RestoreBytes& run : runs)
    changes.push_back(make_change(target, run));
}

}  // namespace

std::vector<Change> changes_back(const Snapshot& now, const Snapshot& wanted) {
  std::vector<Change> changes;
  const std::uint64_t checksum = checksum_of(wanted);
  add_changes(MachinePart::node, checksum, *now.node, now.beside_node, *wanted.node, wanted.beside_node, changes);
  for (std::uint32_t i = 0; i < wanted.gpu_count(); ++i)
    add_changes(i, checksum, now.gpus[i], now.beside_gpus[i], wanted.gpus[i], wanted.beside_gpus[i], changes);
  return changes;
}

std::string misfit(const Snapshot& snapshot, const Store& store) {
  const std::uint32_t count = snapshot.gpu_count();
  if (count == store.header.gpu_count) return "";
  return fmt::format(
      "the snapshot is of a machine with {} GPU{}, and this one has {}; `nvmlab up --profile {} --gpus {}` brings up "
      "one like it",
      count, count == 1 ? "" : "s", store.header.gpu_count, snapshot.profile, count);
}

std::expected<std::uint32_t, std::string> restore(Store& store, StoreFile& file, const Snapshot& wanted) {
  if (std::string why = misfit(wanted, store); !why.empty()) return std::unexpected(std::move(why));
  const WriteLock lock(&file);  // nothing changes between comparing and publishing
  if (lock.code() != kSuccess) return std::unexpected(not_locked(lock.code()));
  const auto now = take_snapshot(store, file, lock);
  if (!now) return std::unexpected(now.error());
  if (now->profile != wanted.profile)
    return std::unexpected(fmt::format(
        "the snapshot is of a machine of profile '{0}', and this one is of '{1}'; `nvmlab up --profile {0}` brings up "
        "one like it",
        wanted.profile, now->profile));
  std::vector<Change> changes = changes_back(*now, wanted);
  if (functions_have_faults(store))
    changes.push_back(make_change(MachinePart::functions, HealFunctions{kAnyGpu, 0, {}}));
  MachineAccess machine{store, file, true};
  const Applied applied = apply(machine, lock, changes.data(), static_cast<std::uint32_t>(changes.size()));
  if (applied.code != kSuccess) return std::unexpected(refusal(applied.code, changes[applied.failed], "the snapshot"));
  return static_cast<std::uint32_t>(std::ranges::count_if(
      changes, [](const Change& change) { return change.target.is_gpu() && holds<RestoreSnapshot>(change); }));
}

}  // namespace nvmlab::control
