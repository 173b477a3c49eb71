// SPDX-License-Identifier: Apache-2.0
#include "command/machine/temporary_machine.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/store/system.hpp"
#include "command/machine/leftovers.hpp"

namespace nvmlab::tool {
namespace {

struct Creation {
  std::optional<std::string> name;
  std::optional<std::string> alias;
  ClockBeginning beginning = {};
};

// A name that no other machine has is found by trying: only one program gets to link a file to it.
std::expected<std::string, Complaints> create_named(const Creation& asked, const Image& image) {
  const std::optional<std::string>& name = asked.name;
  sweep_machines_folder();
  for (std::uint64_t attempt = 0;; ++attempt) {
    std::string tried = name ? *name : private_name(attempt);
    const auto path = machine_path(tried);
    if (!path) return refuse(path.error());
    const std::string known_as = asked.alias.value_or(tried);
    const FileProblem problem =
        create_store(path->c_str(), image, image.header->gpu_count, known_as.c_str(), {}, asked.beginning);
    if (!problem) return tried;
    if (name && problem.error == FileError::not_found)
      return refuse(fmt::format("{}: its folder does not exist; create it first", *path));
    if (name || problem.error != FileError::exists) return refuse(explain(problem, tried, *path));
  }
}

}  // namespace

std::expected<TemporaryMachine, Complaints> TemporaryMachine::bring_up(const std::optional<std::string>& name,
                                                                       const Image& image,
                                                                       const ClockBeginning& beginning) {
  // What follows from a name and a seed must not follow from a name that was found by trying.
  std::optional<std::string> alias;
  if (!name && beginning.seeded) alias = "run";
  return open_created(create_named({.name = name, .alias = alias, .beginning = beginning}, image));
}

std::expected<TemporaryMachine, Complaints> TemporaryMachine::bring_up_as(const std::string& alias, const Image& image,
                                                                          const ClockBeginning& beginning) {
  return open_created(create_named({.name = {}, .alias = alias, .beginning = beginning}, image));
}

std::expected<TemporaryMachine, Complaints> TemporaryMachine::open_created(
    std::expected<std::string, Complaints> created) {
  if (!created) return std::unexpected(created.error());
  auto machine = Machine::open(*created);
  if (!machine) {
    if (const auto path = machine_path(*created)) (void)remove_store(path->c_str(), owner_of(*created));
    return refuse(machine.error());
  }
  const int lock = hold(machine->file());
  return TemporaryMachine(std::move(*created), std::move(*machine), lock);
}

TemporaryMachine::TemporaryMachine(TemporaryMachine&& other) noexcept
    : name_(std::move(other.name_)), machine_(std::move(other.machine_)), lock_(std::exchange(other.lock_, -1)) {}

TemporaryMachine::~TemporaryMachine() {
  if (lock_ >= 0) sys::close_file(lock_);
}

void TemporaryMachine::take_down() {
  if (taken_down(machine_.store())) return;  // another one of this name may be up by now
  const char* const path = machine_.file().path;
  if (const FileProblem problem = remove_store(path, owner_of(name_)); problem && problem.error != FileError::not_found)
    complain(explain(problem, name_, path));
}

}  // namespace nvmlab::tool
