// SPDX-License-Identifier: Apache-2.0
#include "control/machine.hpp"

#include <fmt/format.h>

#include "compiler/canonical.hpp"
#include "control/machines.hpp"
#include "control/refusals.hpp"
#include "control/restore.hpp"
#include "engine/change/ended_processes.hpp"
#include "engine/store/system.hpp"

namespace nvmlab {
namespace {

std::expected<void, std::string> first_of(const Complaints& complaints) {
  if (complaints.empty()) return {};
  return std::unexpected(complaints.front());
}

// As NVML tells it.
template <class State>
std::expected<std::string, std::string> read_told(const compiler::FieldRef& ref, const State& told) {
  return compiler::format_field(ref, reinterpret_cast<const std::byte*>(&told), compiler::Style::people);
}

}  // namespace

std::expected<Machine, Complaints> Machine::create(const std::string& name, const MachineOptions& options) {
  const auto compiled = compiler::compile(options.profile, options.compile);
  if (!compiled) {
    Complaints complaints;
    for (const compiler::Problem& problem : compiled.error())
      complaints.push_back(problem.text());
    return std::unexpected(std::move(complaints));
  }
  auto machine = create(name, *compiled, options);
  if (!machine) return std::unexpected(Complaints{machine.error()});
  return std::move(*machine);
}

std::expected<Machine, std::string> Machine::create(const std::string& name, const compiler::Machine& compiled,
                                                    const MachineOptions& options) {
  const auto path = control::machine_path(name);
  if (!path) return std::unexpected(path.error());
  Image image;
  const ImageError wrong = open_image(compiled.image.data(), compiled.image.size(), &image);
  if (wrong != ImageError::none) return std::unexpected(fmt::format("{}: {}", compiled.name, describe(wrong)));
  const FileProblem problem =
      create_store(path->c_str(), image, image.header->gpu_count, name.c_str(), options.sharing, options.clock);
  if (problem.error == FileError::not_found)
    return std::unexpected(fmt::format("{}: its folder does not exist; create it first", *path));
  if (problem) return std::unexpected(control::explain(problem, name, *path));
  return open(name);
}

std::expected<Machine, std::string> Machine::open(const std::string& name) {
  const auto path = control::machine_path(name);
  if (!path) return std::unexpected(path.error());
  AttachedStore attached;
  const FileProblem problem = attach_store(path->c_str(), &attached, control::owner_of(name));
  if (problem) return std::unexpected(control::explain(problem, name, *path));
  Machine opened(name, attached);
  MachineAccess access{opened.store(), opened.file(), true};
  settle_processes(access);
  return opened;
}

Machine::Machine(Machine&& other) noexcept : name_(std::move(other.name_)), attached_(other.attached_) {
  other.attached_ = {};
}

std::expected<void, std::string> Machine::take_down() {
  if (!is_up()) return std::unexpected(fmt::format("machine '{}' was taken down before", name_));
  const char* const path = attached_.file.path;
  if (const FileProblem problem = remove_store(path, control::owner_of(name_)))
    return std::unexpected(control::explain(problem, name_, path));
  return {};
}

std::expected<void, Refusal> Machine::apply(std::span<const Change> changes) {
  if (changes.empty()) return {};
  MachineAccess access{store(), file(), true};
  const Applied applied = nvmlab::apply(access, changes.data(), static_cast<std::uint32_t>(changes.size()));
  if (applied.code == kSuccess) return {};
  const std::string text = control::refusal(applied.code, changes[applied.failed], "the change");
  return std::unexpected(Refusal{applied.code, applied.failed, text});
}

std::expected<std::string, std::string> Machine::get(const std::string& field, std::uint32_t gpu) const {
  const auto ref = compiler::find_field(field);
  if (!ref) return std::unexpected(ref.error());
  if (ref->topic->of_node)
    return read_told(*ref,
                     *std::make_unique<Node>(consistent(store().node, [](const Node& node) { return load(node); })));
  if (gpu >= gpu_count()) return std::unexpected(control::no_such_gpu(gpu, gpu_count()));
  const auto stored =
      std::make_unique<Gpu>(consistent(store().gpus()[gpu], [](const Gpu& state) { return load(state); }));
  return read_told(*ref, *control::told(*stored, clock().now_ns));
}

std::expected<void, std::string> Machine::set(const std::string& field, const std::string& value, std::uint32_t gpu,
                                              control::Force force) {
  auto ref = compiler::find_field(field);
  if (!ref) return std::unexpected(ref.error());
  if (!ref->topic->of_node && gpu >= gpu_count()) return std::unexpected(control::no_such_gpu(gpu, gpu_count()));
  return first_of(control::assign(store(), file(), {{.ref = std::move(*ref), .value = value}}, {gpu}, force));
}

std::expected<void, std::string> Machine::release(const std::string& field, std::uint32_t gpu) {
  const auto ref = compiler::find_field(field);
  if (!ref) return std::unexpected(ref.error());
  if (!ref->topic->of_node && gpu >= gpu_count()) return std::unexpected(control::no_such_gpu(gpu, gpu_count()));
  return first_of(
      control::release(store(), file(), {*ref}, ref->topic->of_node ? std::vector<std::uint32_t>{} : std::vector{gpu}));
}

Complaints Machine::set(const std::vector<control::Assignment>& assignments, const std::vector<std::uint32_t>& gpus,
                        control::Force force) {
  return control::assign(store(), file(), assignments, gpus, force);
}

Complaints Machine::release(const std::vector<compiler::FieldRef>& fields, const std::vector<std::uint32_t>& gpus) {
  return control::release(store(), file(), fields, gpus);
}

std::expected<void, Refusal> Machine::set_clock(ClockMode mode, std::uint64_t rate) {
  return apply(make_change(MachinePart::clock, SetMachineClock{mode, rate}));
}

std::expected<void, Refusal> Machine::resume_clock() {
  return apply(make_change(MachinePart::clock, ResumeMachineClock{}));
}

std::expected<void, Refusal> Machine::advance(std::chrono::nanoseconds span) {
  // A span below 0 becomes one that no clock has room for.
  return apply(make_change(MachinePart::clock, AdvanceMachineClock{static_cast<std::uint64_t>(span.count())}));
}

std::expected<void, Refusal> Machine::raise(std::uint32_t gpu, const RaiseEvent& event) {
  return apply(make_change(gpu, event));
}

std::expected<void, Refusal> Machine::start_process(std::uint32_t gpu, const StartProcess& process) {
  return apply(make_change(gpu, process));
}

std::expected<void, Refusal> Machine::end_process(std::uint32_t gpu, std::uint32_t pid) {
  return apply(make_change(gpu, EndProcess{pid}));
}

bool Machine::has_gpu(std::uint32_t gpu) const { return gpu < gpu_count() && present(store().gpus()[gpu]); }

std::uint64_t Machine::handle(std::uint32_t gpu) const {
  return gpu < gpu_count() ? handle_of(store().slots()[gpu]) : 0;
}

std::uint32_t Machine::changes() const { return __atomic_load_n(&store().header.changes, __ATOMIC_ACQUIRE); }

void Machine::wait_for_change(std::uint32_t seen, std::chrono::nanoseconds timeout) const {
  sys::wait_on(&store().header.changes, seen, static_cast<std::uint64_t>(timeout.count()), true);
}

bool Machine::wait_until(const std::function<bool()>& holds, std::chrono::nanoseconds timeout) const {
  const std::uint64_t deadline = control::deadline_of(timeout);
  for (;;) {
    const std::uint32_t seen = changes();
    if (holds()) return true;
    const std::uint64_t now = sys::monotonic_ns();
    if (!is_up() || now >= deadline) return false;
    wait_for_change(seen, std::chrono::nanoseconds(deadline - now));
  }
}

std::expected<control::Snapshot, std::string> Machine::snapshot() const {
  return control::take_snapshot(store(), attached_.file);
}

std::expected<void, std::string> Machine::restore(const control::Snapshot& snapshot) {
  const auto restored = control::restore(store(), file(), snapshot);
  if (!restored) return std::unexpected(restored.error());
  return {};
}

std::expected<std::vector<control::Difference>, std::string> Machine::diff(const control::Snapshot& before) const {
  if (std::string why = control::misfit(before, store()); !why.empty()) return std::unexpected(std::move(why));
  const auto now = snapshot();
  if (!now) return std::unexpected(now.error());
  return control::differences(before, *now);
}

}  // namespace nvmlab
