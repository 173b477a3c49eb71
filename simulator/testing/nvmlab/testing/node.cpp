// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/testing/node.hpp"

#include <cstring>
#include <filesystem>
#include <utility>

#include "base/temp_folder.hpp"
#include "nvmlab/nvml/generated/return.hpp"
#include "nvmlab/testing/driver_copy.hpp"

namespace nvml::testing {
namespace {

namespace fs = std::filesystem;

template <class Value>
Value or_throw(std::expected<Value, std::string> made) {
  if (!made) throw Refused(made.error());
  if constexpr (!std::is_void_v<Value>) return std::move(*made);
}

void or_throw(const std::expected<void, nvmlab::Refusal>& made) {
  if (!made) throw Refused(made.error().text, static_cast<Return>(made.error().code));
}

nvmlab::Machine make_machine(const std::string& path, const std::string& profile, const NodeOptions& options) {
  nvmlab::MachineOptions asked{.profile = profile, .clock = options.clock};
  asked.compile.gpus = options.gpus;
  if (!options.driver.empty()) asked.compile.driver = options.driver;
  auto made = nvmlab::Machine::create(path, asked);
  if (made) return std::move(*made);
  std::string all;
  for (const std::string& complaint : made.error())
    all += (all.empty() ? "" : "\n") + complaint;
  throw Refused(all);
}

// Of a driver that was asked for, the library that has its exports and no others.
std::string library_of(const NodeOptions& options) {
  if (options.driver.empty()) return options.library;
  const fs::path drivers = fs::path(options.library).parent_path() / "drivers";
  const std::string branch = options.driver.substr(0, options.driver.find('.'));
  std::error_code failed;
  for (const std::string& name : {options.driver, branch}) {
    if (const fs::path own = drivers / name / "libnvidia-ml.so.1"; fs::exists(own, failed)) return own.string();
  }
  return options.library;
}

std::string role_of(Role role) {
  switch (role) {
    case Role::administrator:
      return "root";
    case Role::user:
      return "user";
    case Role::mig_config:
      return "mig-config";
    case Role::mig_monitor:
      return "mig-monitor";
    case Role::mig_config_and_monitor:
      return "mig-config,mig-monitor";
    case Role::of_process:
      break;
  }
  return "";
}

template <std::size_t Size>
void copy_text(char (&to)[Size], const std::string& text, const char* what) {
  if (text.size() >= Size)
    throw Refused(std::string(what) + " has at most " + std::to_string(Size - 1) + " characters: " + text);
  std::memcpy(to, text.data(), text.size());
}

nvmlab::FailFunction failing(const std::string& function, Return code, std::uint32_t times, std::uint32_t gpu) {
  nvmlab::FailFunction fail{};
  copy_text(fail.fault.function, function, "the name of a function");
  fail.fault.gpu = gpu;
  fail.fault.code = static_cast<std::uint32_t>(code);
  fail.fault.every = 1;
  fail.fault.times = times;
  fail.fault.chance = nvmlab::kCertain;
  return fail;
}

}  // namespace

struct Node::Parts {
  Parts(const std::string& profile, const NodeOptions& options)
      : machine(make_machine((folder.path() / "machine").string(), profile, options)),
        driver(or_throw(DriverCopy::make(library_of(options),
                                         {.machine = machine.path(),
                                          .record = options.record_calls ? record().string() : std::string(),
                                          .role = role_of(options.role)},
                                         folder.path()))) {}
  ~Parts() { (void)machine.take_down(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  fs::path record() const { return folder.path() / "calls"; }

  nvmlab::TempFolder folder{"nvmlab-node"};
  nvmlab::Machine machine;
  DriverCopy driver;
};

Node::Node(const std::string& profile, NodeOptions options) : parts_(std::make_unique<Parts>(profile, options)) {}
Node::~Node() = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(Node&&) noexcept = default;

Result<Library> Node::open() const { return Library::open({.path = library_path()}); }

const std::string& Node::library_path() const noexcept { return parts_->driver.path(); }

unsigned Node::gpu_count() const { return parts_->machine.gpu_count(); }

NodeGpu Node::gpu(unsigned index) {
  if (index >= gpu_count())
    throw Refused("there is no GPU " + std::to_string(index) + ": this node has " + std::to_string(gpu_count()),
                  Return::invalid_argument);
  return {parts_->machine, index};
}

void Node::advance(std::chrono::nanoseconds span) { or_throw(machine().advance(span)); }

void Node::fail_init(Return code) {
  detail::apply(machine(),
                nvmlab::make_change(nvmlab::MachinePart::driver, nvmlab::FailInit{static_cast<std::uint32_t>(code)}));
}

void Node::heal_driver() {
  detail::apply(machine(), nvmlab::make_change(nvmlab::MachinePart::driver, nvmlab::FailInit{0}));
}

void Node::fail_calls(const std::string& function, Return code, std::uint32_t times) {
  detail::apply(machine(),
                nvmlab::make_change(nvmlab::MachinePart::functions, failing(function, code, times, nvmlab::kAnyGpu)));
}

void Node::heal_calls() {
  detail::apply(machine(),
                nvmlab::make_change(nvmlab::MachinePart::functions, nvmlab::HealFunctions{nvmlab::kAnyGpu, 0, {}}));
}

std::vector<nvmlab::control::Call> Node::calls() const { return or_throw(nvmlab::control::read_calls(recorded())); }

std::uint64_t Node::called(const std::string& call) const {
  const auto expected = or_throw(nvmlab::control::read_expectation(call));
  return expected.count(calls());
}

void Node::forget_calls() { fs::resize_file(recorded(), 0); }

std::string Node::recorded() const {
  const fs::path record = parts_->record();
  if (!fs::exists(record)) throw Refused("no calls are recorded: make the node with NodeOptions::record_calls");
  return record.string();
}

nvmlab::Machine& Node::machine() { return parts_->machine; }

std::string NodeGpu::get(const std::string& field) const { return or_throw(machine_->get(field, index_)); }

const NodeGpu& NodeGpu::set(const std::string& field, const std::string& value) const {
  or_throw(machine_->set(field, value, index_));
  return *this;
}

const NodeGpu& NodeGpu::pin(const std::string& field, const std::string& value) const {
  or_throw(machine_->set(field, value, index_, nvmlab::control::Force::yes));
  return *this;
}

const NodeGpu& NodeGpu::release(const std::string& field) const {
  or_throw(machine_->release(field, index_));
  return *this;
}

const NodeGpu& NodeGpu::fault(nvmlab::FaultKind kind, std::uint32_t number, std::uint32_t times) const {
  return apply(nvmlab::InjectFault{kind, number, nvmlab::kNoInstance, nvmlab::kNoInstance, times});
}

const NodeGpu& NodeGpu::heal() const { return apply(nvmlab::HealFault{true, {}, nvmlab::HealFault::kAnyNumber}); }

const NodeGpu& NodeGpu::heal(nvmlab::FaultKind kind, std::uint32_t number) const {
  return apply(nvmlab::HealFault{false, kind, number});
}

const NodeGpu& NodeGpu::fail_calls(const std::string& function, Return code, std::uint32_t times) const {
  detail::apply(*machine_, nvmlab::make_change(nvmlab::MachinePart::functions, failing(function, code, times, index_)));
  return *this;
}

const NodeGpu& NodeGpu::load(nvmlab::LoadKind kind) const {
  return load({.kind = kind,
               .sm_percent = nvmlab::kOfKind,
               .memory_percent = nvmlab::kOfKind,
               .air_c = nvmlab::kSameAir,
               .for_ns = 0});
}

const NodeGpu& NodeGpu::load(const nvmlab::SetLoad& load) const { return apply(load); }

const NodeGpu& NodeGpu::start_process(std::uint32_t pid, std::uint64_t used_bytes, const std::string& name) const {
  nvmlab::StartProcess process{};
  process.pid = pid;
  process.kinds = nvmlab::kComputeProcess;
  process.used_bytes = used_bytes;
  process.gpu_instance = process.compute_instance = nvmlab::kNoInstance;
  copy_text(process.name, name, "the name of a process");
  return apply(process);
}

const NodeGpu& NodeGpu::end_process(std::uint32_t pid) const { return apply(nvmlab::EndProcess{pid}); }

const NodeGpu& NodeGpu::remove() const {
  // As an administrator does it: the persistence daemon lets go, the GPU drains, and then it may go.
  if (const auto held = machine_->get("modes.persistence", index_); held && *held != "disabled")
    set("modes.persistence", "disabled");
  apply(nvmlab::SetDrain{1});
  return apply(nvmlab::RemoveGpu{});
}

void detail::apply(nvmlab::Machine& machine, const nvmlab::Change& change) { or_throw(machine.apply(change)); }

}  // namespace nvml::testing
