// SPDX-License-Identifier: Apache-2.0
#include "recorder/walk.hpp"

#include <algorithm>
#include <vector>

#include "nvmlab/loader/function_names.hpp"
#include "nvmlab/nvml/field_numbers.hpp"
#include "recorder/by_hand.hpp"

namespace nvmlab::recorder {
namespace {

class Walk {
 public:
  Walk(const Library& library, const Objects& objects, Masker& masker, Lines& lines, const WalkOptions& options)
      : objects_(objects), options_(options), walking_{library, lines, masker, seen_, objects} {
    char version[96] = {};
    library.call("nvmlSystemGetDriverVersion", version, sizeof version);
    driver_ = nvml::detail::driver_release(version);
    wide_ = library.has(kCameWithWideProcesses) && !library.has(kCameAfterWideProcesses);
  }

  unsigned run() {
    write_lacking();
    const Object machine{};
    each_function(About::machine, machine, false);
    for (const Object& unit : objects_.units)
      all(About::unit, unit);
    unsigned done = 0;
    for (const Object& gpu : objects_.gpus) {
      walking_.lines.progress(done++, static_cast<unsigned>(objects_.gpus.size()));
      of_gpu(gpu);
    }
    for (const Seen::Value& type : seen_.of(slot_of_vgpu_type, -1)) {
      Object about{static_cast<Word>(type.number), {}};
      about.subject.vgpu_type = static_cast<std::int64_t>(type.number);
      all(About::vgpu_type, about);
    }
    for (const Seen::Value& vgpu : seen_.of(slot_of_vgpu, -1)) {
      Object about{static_cast<Word>(vgpu.number), {}};
      about.subject.vgpu = static_cast<std::int64_t>(vgpu.number);
      all(About::vgpu, about);
    }
    pairs();
    each_function(About::machine, machine, true);
    return walking_.calls;
  }

 private:
  bool skipped(std::string_view name) const {
    for (const std::string& each : options_.skip) {
      if (each == name) return true;
    }
    return false;
  }

  bool is_called(const Function& function) const {
    return !walking_.lines.stopped() && walking_.library.has(function.name) && !skipped(function.name);
  }

  static bool is_of_pairs(const Function& function) {
    for (const Parameter& each : function.parameters) {
      if (each.role == Role::peer) return true;
    }
    return false;
  }

  void write_lacking() {
    for (const char* name : nvml::detail::function_names) {
      if (walking_.library.has(name)) continue;
      std::string line;
      Json json(line);
      begin_line(json, name, {});
      code(json.key("code"), kFunctionNotFound);
      json.end_object();
      ++walking_.calls;
      walking_.lines.line(line);
    }
  }

  void each_function(About about, const Object& object, bool late) {
    for (const Function& function : functions) {
      if (function.about == about && function.late == late && !is_of_pairs(function) && is_called(function))
        ask_of_its_time(function, object);
    }
  }

  // With the layouts that this library has.
  void ask_of_its_time(const Function& function, const Object& object) {
    const bool other =
        wide_ && std::ranges::any_of(function.parameters, [](const Parameter& each) { return each.wide != nullptr; });
    if (!other) return ask(walking_, function, object);
    std::vector<Parameter> parameters(function.parameters.begin(), function.parameters.end());
    for (Parameter& each : parameters) {
      if (each.wide == nullptr) continue;
      each.what.record = each.wide;
      each.what.size = each.wide->size;
    }
    Function then = function;
    then.parameters = parameters;
    ask(walking_, then, object);
  }

  void all(About about, const Object& object) {
    each_function(about, object, false);
    each_function(about, object, true);
  }

  void of_device(const Object& device) {
    all(About::device, device);
    if (!skipped("nvmlDeviceGetFieldValues")) ask_fields(walking_, device, driver_);
    if (!skipped("nvmlDeviceReadPRMCounters_v1")) ask_prm_counters(walking_, device);
  }

  void of_gpu(const Object& gpu) {
    MetricSamples metrics(walking_);
    if (!skipped("nvmlGpmMetricsGet") && !walking_.lines.stopped()) metrics.take(gpu);
    of_device(gpu);
    for (const Object& instance : objects_.gpu_instances) {
      if (instance.subject.gpu == gpu.subject.gpu) all(About::gpu_instance, instance);
    }
    for (const Object& instance : objects_.compute_instances) {
      if (instance.subject.gpu == gpu.subject.gpu) all(About::compute_instance, instance);
    }
    for (const Object& mig : objects_.migs) {
      if (mig.subject.gpu == gpu.subject.gpu) of_device(mig);
    }
    if (!walking_.lines.stopped()) metrics.compare();
  }

  void pairs() {
    for (const Object& gpu : objects_.gpus) {
      for (const Object& peer : objects_.gpus) {
        if (gpu.handle == peer.handle) continue;
        for (const Function& function : functions) {
          if (is_of_pairs(function) && is_called(function)) ask(walking_, function, gpu, peer.handle);
        }
      }
    }
  }

  const Objects& objects_;
  const WalkOptions& options_;
  Seen seen_;
  Walking walking_;
  std::uint32_t driver_ = 0;
  bool wide_ = false;
};

}  // namespace

unsigned walk(const Library& library, const Objects& objects, Masker& masker, Lines& lines,
              const WalkOptions& options) {
  return Walk(library, objects, masker, lines, options).run();
}

}  // namespace nvmlab::recorder
