// SPDX-License-Identifier: Apache-2.0
#include "recorder/objects.hpp"

#include "nvmlab/abi/generated/constants.hpp"
#include "nvmlab/abi/generated/types.hpp"

namespace nvmlab::recorder {
namespace {

namespace abi = nvml::abi;

constexpr unsigned kMostInstances = 64;  // of one profile
constexpr unsigned kProfiles = 32;       // more than any header has

class Finder {
 public:
  explicit Finder(const Library& library) : library_(library) {}

  Objects find() {
    if (ask("nvmlDeviceGetCount_v2", &objects_.gpu_count) != kSuccess) ask("nvmlDeviceGetCount", &objects_.gpu_count);
    for (unsigned i = 0; i < objects_.gpu_count; ++i) {
      Word gpu = 0;
      if (ask("nvmlDeviceGetHandleByIndex_v2", i, &gpu) != kSuccess &&
          ask("nvmlDeviceGetHandleByIndex", i, &gpu) != kSuccess)
        continue;
      ObjectPlace subject;
      subject.gpu = static_cast<int>(i);
      objects_.gpus.push_back({gpu, subject});
      find_migs(gpu, subject);
      find_gpu_instances(gpu, subject);
    }
    unsigned units = 0;
    if (ask("nvmlUnitGetCount", &units) != kSuccess) units = 0;
    for (unsigned i = 0; i < units; ++i) {
      ObjectPlace subject;
      subject.unit = static_cast<int>(i);
      Word unit = 0;
      if (ask("nvmlUnitGetHandleByIndex", i, &unit) == kSuccess) objects_.units.push_back({unit, subject});
    }
    return objects_;
  }

 private:
  template <class... Arguments>
  int ask(const char* function, Arguments... arguments) {
    return library_.call(function, arguments...);
  }

  void find_migs(Word gpu, ObjectPlace subject) {
    unsigned most = 0;
    if (ask("nvmlDeviceGetMaxMigDeviceCount", gpu, &most) != kSuccess) return;
    for (unsigned i = 0; i < most && i < kMostInstances; ++i) {
      Word mig = 0;
      subject.mig = static_cast<int>(i);
      if (ask("nvmlDeviceGetMigDeviceHandleByIndex", gpu, i, &mig) == kSuccess) objects_.migs.push_back({mig, subject});
    }
  }

  void find_gpu_instances(Word gpu, ObjectPlace subject) {
    for (unsigned profile = 0; profile < kProfiles; ++profile) {
      abi::nvmlGpuInstanceProfileInfo_t info{};
      if (ask("nvmlDeviceGetGpuInstanceProfileInfo", gpu, profile, &info) != kSuccess) continue;
      Word instances[kMostInstances] = {};
      unsigned count = kMostInstances;
      if (ask("nvmlDeviceGetGpuInstances", gpu, info.id, instances, &count) != kSuccess) continue;
      for (unsigned i = 0; i < count && i < kMostInstances; ++i) {
        abi::nvmlGpuInstanceInfo_t told{};
        if (ask("nvmlGpuInstanceGetInfo", instances[i], &told) != kSuccess) continue;
        subject.gpu_instance = static_cast<int>(told.id);
        objects_.gpu_instances.push_back({instances[i], subject});
        find_compute_instances(instances[i], subject);
      }
    }
  }

  void find_compute_instances(Word gpu_instance, ObjectPlace subject) {
    for (unsigned profile = 0; profile < kProfiles; ++profile) {
      abi::nvmlComputeInstanceProfileInfo_t info{};
      if (ask("nvmlGpuInstanceGetComputeInstanceProfileInfo", gpu_instance, profile, 0u, &info) != kSuccess) continue;
      Word instances[kMostInstances] = {};
      unsigned count = kMostInstances;
      if (ask("nvmlGpuInstanceGetComputeInstances", gpu_instance, info.id, instances, &count) != kSuccess) continue;
      for (unsigned i = 0; i < count && i < kMostInstances; ++i) {
        abi::nvmlComputeInstanceInfo_t told{};
        if (ask("nvmlComputeInstanceGetInfo_v2", instances[i], &told) != kSuccess) continue;
        subject.compute_instance = static_cast<int>(told.id);
        objects_.compute_instances.push_back({instances[i], subject});
      }
    }
  }

  const Library& library_;
  Objects objects_;
};

}  // namespace

void ObjectPlace::write(Json& json) const {
  const auto member = [&](const char* name, std::int64_t value) {
    if (value >= 0) json.key(name).integer(value);
  };
  member("gpu", gpu);
  member("mig", mig);
  member("gpu_instance", gpu_instance);
  member("compute_instance", compute_instance);
  member("peer", peer);
  member("unit", unit);
  member("vgpu_type", vgpu_type);
  member("vgpu", vgpu);
}

const Object* Objects::find(Word handle) const {
  for (const auto* list : {&gpus, &migs, &gpu_instances, &compute_instances, &units}) {
    for (const Object& each : *list) {
      if (each.handle == handle && handle != 0) return &each;
    }
  }
  return nullptr;
}

Objects find_objects(const Library& library) { return Finder(library).find(); }

}  // namespace nvmlab::recorder
