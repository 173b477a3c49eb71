// SPDX-License-Identifier: Apache-2.0
// What a library can be asked about: the machine, GPUs, what they are divided into, units. Found once, before the walk,
// so that every handle that comes back later can be told by name.
#pragma once

#include <cstdint>
#include <vector>

#include "recorder/json.hpp"
#include "recorder/library.hpp"

namespace nvmlab::recorder {

struct ObjectPlace {
  int gpu = -1;
  int mig = -1;
  int gpu_instance = -1;
  int compute_instance = -1;
  int peer = -1;
  int unit = -1;
  std::int64_t vgpu_type = -1;
  std::int64_t vgpu = -1;

  void write(Json& json) const;  // its keys, of an object that is open
};

struct Object {
  Word handle = 0;  // of vGPUs and their types: the number
  ObjectPlace subject;
};

struct Objects {
  std::vector<Object> gpus;
  std::vector<Object> migs;
  std::vector<Object> gpu_instances;
  std::vector<Object> compute_instances;
  std::vector<Object> units;
  unsigned gpu_count = 0;  // as the library says; a handle may be refused

  const Object* find(Word handle) const;
};

Objects find_objects(const Library& library);

}  // namespace nvmlab::recorder
