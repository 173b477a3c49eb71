// SPDX-License-Identifier: Apache-2.0
#include "control/temporary_machine.hpp"

#include <fmt/format.h>

#include <utility>

#include "control/leftovers.hpp"
#include "control/machines.hpp"
#include "engine/store/image.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::control {
namespace {

struct Creation {
  std::optional<std::string> name = {};
  std::optional<std::string> alias = {};
  ClockBeginning clock = {};
};

// Tries names until one is free: only one program can link a file to a name.
std::expected<std::string, std::string> create_named(const Creation& wanted, const compiler::Machine& compiled) {
  const std::optional<std::string>& name = wanted.name;
  Image image;
  const ImageError wrong = open_image(compiled.image.data(), compiled.image.size(), &image);
  if (wrong != ImageError::none) return std::unexpected(fmt::format("{}: {}", compiled.name, describe(wrong)));
  sweep_machines_folder();
  for (std::uint64_t attempt = 0;; ++attempt) {
    std::string tried = name ? *name : private_name(attempt);
    const auto path = machine_path(tried);
    if (!path) return std::unexpected(path.error());
    const std::string known_as = wanted.alias.value_or(tried);
    const FileProblem problem =
        create_store(path->c_str(), image, image.header->gpu_count, known_as.c_str(), {}, wanted.clock);
    if (!problem) return tried;
    if (name && problem.error == FileError::not_found)
      return std::unexpected(fmt::format("{}: its folder does not exist; create it first", *path));
    if (name || problem.error != FileError::exists) return std::unexpected(explain(problem, tried, *path));
  }
}

}  // namespace

std::expected<TemporaryMachine, Complaints> TemporaryMachine::bring_up(const std::optional<std::string>& name,
                                                                       const compiler::Machine& compiled,
                                                                       const ClockBeginning& clock) {
  // A name that was found by trying differs from run to run, and a seed promises equal runs.
  std::optional<std::string> alias;
  if (!name && clock.seeded) alias = "run";
  return open_created(create_named({.name = name, .alias = alias, .clock = clock}, compiled));
}

std::expected<TemporaryMachine, Complaints> TemporaryMachine::bring_up_as(const std::string& alias,
                                                                          const compiler::Machine& compiled,
                                                                          const ClockBeginning& clock) {
  return open_created(create_named({.alias = alias, .clock = clock}, compiled));
}

std::expected<TemporaryMachine, Complaints> TemporaryMachine::open_created(
    std::expected<std::string, std::string> created) {
  if (!created) return std::unexpected(Complaints{created.error()});
  auto machine = Machine::open(*created);
  if (!machine) {
    if (const auto path = machine_path(*created)) (void)remove_store(path->c_str(), owner_of(*created));
    return std::unexpected(Complaints{machine.error()});
  }
  const int lock = hold(machine->file());
  return TemporaryMachine(std::move(*machine), lock);
}

TemporaryMachine::TemporaryMachine(TemporaryMachine&& other) noexcept
    : machine_(std::move(other.machine_)), lock_(std::exchange(other.lock_, -1)) {}

TemporaryMachine::~TemporaryMachine() {
  if (lock_ >= 0) sys::close_file(lock_);
}

std::expected<void, std::string> TemporaryMachine::take_down() {
  if (!machine_.is_up()) return {};  // another machine may have the name by now
  const std::string path = machine_.path();
  const FileProblem problem = remove_store(path.c_str(), owner_of(name()));
  if (!problem || problem.error == FileError::not_found) return {};
  return std::unexpected(explain(problem, name(), path));
}

}  // namespace nvmlab::control
