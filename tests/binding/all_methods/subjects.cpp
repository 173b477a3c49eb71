// SPDX-License-Identifier: Apache-2.0
#include "tests/binding/all_methods/subjects.hpp"

namespace nvml::all_methods {
namespace {

std::string text_of(const Device& device, Round::Text text) {
  switch (text) {
    case Round::Text::uuid:
      return device.uuid().value_or("");
    case Round::Text::address: {
      const auto info = device.pci_info();
      return info ? info->bus_id : "";
    }
    case Round::Text::serial:
      return device.serial().value_or("");
    case Round::Text::any:
      break;
  }
  return "text";
}

}  // namespace

// Instances of the smallest profile.
void Subjects::take_instances(const Device& device) {
  const auto profile = device.gpu_instance_profile_info(GpuInstanceProfile::mig_1_slice);
  if (!profile) return;
  auto& instance = std::get<std::optional<GpuInstance>>(objects_);
  if (const auto there = device.gpu_instances(profile->id); there && !there->empty()) {
    instance = there->front();
  } else if (const auto made = device.create_gpu_instance(profile->id)) {
    instance = *made;
  }
  if (!instance) return;
  auto& part = std::get<std::optional<ComputeInstance>>(objects_);
  const auto inner = instance->compute_instance_profile_info(ComputeInstanceProfile{}, ComputeInstanceEngineProfile{});
  if (!inner) return;
  if (const auto there = instance->compute_instances(inner->id); there && !there->empty()) {
    part = there->front();
  } else if (const auto made = instance->create_compute_instance(inner->id)) {
    part = *made;
  }
}

Subjects Subjects::real(const Library& library, const Round& round) {
  Subjects made(library);
  made.number_ = round.number;
  const auto take = [&](auto result) {
    using T = typename decltype(result)::value_type;
    if (result) std::get<std::optional<T>>(made.objects_) = *result;
  };
  take(library.device(0));
  take(library.unit(0));
  take(library.create_event_set());
  take(library.create_system_event_set());
  take(library.create_gpm_sample());
  const unsigned count = library.device_count().value_or(0);
  auto& device = std::get<std::optional<Device>>(made.objects_);
  if (count > 1) {
    if (const auto second = library.device(1)) made.second_ = *second;
    const auto last = library.device(count - 1);
    if (last) made.take_instances(*last);
    if (last && round.device == Round::Of::last) device = *last;
    if (last && round.device == Round::Of::mig) {
      if (const auto part = last->mig_device(0)) device = *part;
    }
  }
  if (device) made.text_ = text_of(*device, round.text);
  return made;
}

}  // namespace nvml::all_methods
