// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/graph_footprints.hpp"

namespace nvmlab::cuda {
namespace {

struct Footprint {
  std::uint32_t device;
  std::uint32_t holders;  // executable graphs
  std::uint64_t bytes;
  WorkMark until;  // the end of the last launch that uses it
  std::uint64_t handle;
};

// That an executable graph has a footprint; one of each device.
struct Use {
  std::uint32_t executable;  // its id
  std::uint64_t footprint;
  std::uint64_t handle;
};

constinit Pool<Footprint, ObjectKind::graph_footprint> footprints;
constinit Pool<Use, ObjectKind::graph_footprint_use> uses;
CUmemoryPool pools[kMaxVisibleDevices];

bool is_same(const WorkMark& a, const WorkMark& b) {
  return a.queue == b.queue && a.number == b.number && a.generation == b.generation;
}

// Whether a launch of the executable graph in the queue comes behind all that uses it. Launches of one executable graph
// wait for each other.
bool is_free_for(const Footprint& of, const FootprintUser& user, const WorkQueue& queue) {
  const bool in_queue = of.until.queue == &queue && of.until.generation == queue.generation;
  return in_queue || reached(of.until) || is_same(of.until, user.launched);
}

void resize(Footprint& of, std::uint64_t bytes) {
  give_to_pool(graph_pool(of.device), of.bytes - bytes);
  of.bytes = bytes;
}

Use* use_of(std::uint32_t executable, std::uint32_t device) {
  return uses.find_where([&](const Use& each) {
    return each.executable == executable && footprints.find(each.footprint)->device == device;
  });
}

// Its own; else one that is large enough; else any.
Footprint* choose(const FootprintUser& user, const WorkQueue& queue, std::uint32_t device, std::uint64_t bytes) {
  if (const Use* const own = use_of(user.executable, device)) {
    Footprint* const found = footprints.find(own->footprint);
    if (is_free_for(*found, user, queue)) return found;
  }
  const auto fits = [&](const Footprint& each, std::uint64_t least) {
    return each.device == device && each.bytes >= least && is_free_for(each, user, queue);
  };
  Footprint* const large = footprints.find_where([&](const Footprint& each) { return fits(each, bytes); });
  return large != nullptr ? large : footprints.find_where([&](const Footprint& each) { return fits(each, 0); });
}

Footprint* create(std::uint32_t device) {
  std::uint64_t handle = 0;
  Footprint* const made = footprints.create(&handle);
  if (made == nullptr) return nullptr;
  made->device = device;
  made->handle = handle;
  return made;
}

CUresult give_use(std::uint32_t executable, Footprint& of) {
  Use* use = use_of(executable, of.device);
  if (use == nullptr) {
    std::uint64_t handle = 0;
    use = uses.create(&handle);
    if (use == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    use->executable = executable;
    use->handle = handle;
  } else {
    --footprints.find(use->footprint)->holders;
  }
  use->footprint = of.handle;
  ++of.holders;
  return CUDA_SUCCESS;
}

}  // namespace

CUmemoryPool graph_pool(std::uint32_t device) {
  CUmemoryPool& pool = pools[device];
  if (pool == nullptr && create_pool(device, 0, 0, &pool) == CUDA_SUCCESS) {
    PoolState& state = *find_pool(pool);
    state.is_default = true;  // no program destroys it
    state.threshold = ~std::uint64_t{0};
  }
  return pool;
}

CUresult take_footprint(const FootprintUser& user, const WorkQueue& queue, std::uint32_t device, std::uint64_t bytes,
                        std::uint64_t* footprint) {
  drop_unused_footprints();
  Footprint* chosen = choose(user, queue, device, bytes);
  if (chosen == nullptr) chosen = create(device);
  if (chosen == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  if (const CUresult code = give_use(user.executable, *chosen); code != CUDA_SUCCESS) return code;
  *footprint = chosen->handle;
  if (chosen->bytes >= bytes) return CUDA_SUCCESS;
  const CUresult code = take_from_pool(graph_pool(device), bytes - chosen->bytes);
  if (code == CUDA_SUCCESS) chosen->bytes = bytes;
  return code;
}

void keep_from_footprint(std::uint64_t footprint, std::uint64_t bytes) { footprints.find(footprint)->bytes -= bytes; }

void return_to_footprint(std::uint64_t footprint, std::uint32_t device, std::uint64_t bytes) {
  Footprint* const found = footprints.find(footprint);
  if (found == nullptr || found->holders == 0) {
    give_to_pool(graph_pool(device), bytes);
  } else {
    found->bytes += bytes;
  }
}

void hold_footprints(const FootprintUser& user) {
  uses.for_each([&](const Use& each) {
    if (each.executable == user.executable) footprints.find(each.footprint)->until = user.launched;
  });
}

void let_go_of_footprints(std::uint32_t executable) {
  uses.for_each([&](const Use& each) {
    if (each.executable != executable) return;
    --footprints.find(each.footprint)->holders;
    uses.remove(each.handle);
  });
}

void drop_unused_footprints() {
  footprints.for_each([](Footprint& each) {
    if (each.holders != 0 || !reached(each.until)) return;
    resize(each, 0);
    footprints.remove(each.handle);
  });
}

void trim_footprints(std::uint32_t device) {
  drop_unused_footprints();
  footprints.for_each([device](Footprint& each) {
    if (each.device == device && reached(each.until)) resize(each, 0);
  });
}

void forget_footprints(std::uint32_t device) {
  footprints.for_each([device](Footprint& each) {
    if (each.device == device) resize(each, 0);
  });
}

}  // namespace nvmlab::cuda
