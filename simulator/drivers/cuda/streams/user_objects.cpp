// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/streams/user_objects.hpp"

#include "drivers/cuda/process/process.hpp"

namespace nvmlab::cuda {
namespace {

struct UserObject {
  void* data;
  CUhostFn destroy;
  std::uint64_t references;  // 0: it waits for its destructor
};

struct Reference {
  std::uint64_t holder;
  std::uint64_t object;
  std::uint64_t count;
};

constinit Pool<UserObject, ObjectKind::user_object> objects;
constinit Pool<Reference, ObjectKind::user_reference> references_held;
std::uint32_t dead = 0;

std::uint64_t number(CUuserObject object) { return reinterpret_cast<std::uint64_t>(object); }

UserObject* find(std::uint64_t handle) {
  UserObject* const found = objects.find(handle);
  return found != nullptr && found->references != 0 ? found : nullptr;
}

Reference* reference_of(std::uint64_t holder, std::uint64_t object) {
  return references_held.find_where(
      [=](const Reference& each) { return each.holder == holder && each.object == object; });
}

void drop(UserObject& object, std::uint64_t references) {
  object.references -= references;
  if (object.references == 0) ++dead;
}

CUresult hold(std::uint64_t holder, std::uint64_t object, std::uint64_t count) {
  Reference* known = reference_of(holder, object);
  if (known == nullptr) {
    std::uint64_t handle = 0;
    known = references_held.create(&handle);
    if (known == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *known = {holder, object, 0};
  }
  known->count += count;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult create_user_object(void* data, CUhostFn destroy, std::uint32_t references, CUuserObject* out) {
  std::uint64_t handle = 0;
  UserObject* const made = objects.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *made = {data, destroy, references};
  *out = reinterpret_cast<CUuserObject>(handle);
  return CUDA_SUCCESS;
}

CUresult retain_user_object(CUuserObject object, std::uint32_t references) {
  UserObject* const found = find(number(object));
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  found->references += references;
  return CUDA_SUCCESS;
}

CUresult release_user_object(CUuserObject object, std::uint32_t references) {
  UserObject* const found = find(number(object));
  if (found == nullptr || found->references < references) return CUDA_ERROR_INVALID_VALUE;
  drop(*found, references);
  return CUDA_SUCCESS;
}

CUresult hold_user_object(std::uint64_t holder, CUuserObject object, std::uint32_t references, bool moved) {
  UserObject* const found = find(number(object));
  if (found == nullptr || (moved && found->references < references)) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = hold(holder, number(object), references);
  if (code == CUDA_SUCCESS && !moved) found->references += references;
  return code;
}

CUresult let_go_of_user_object(std::uint64_t holder, CUuserObject object, std::uint32_t references) {
  Reference* const held = reference_of(holder, number(object));
  UserObject* const found = find(number(object));
  if (held == nullptr || found == nullptr || held->count < references || found->references < references)
    return CUDA_ERROR_INVALID_VALUE;
  held->count -= references;
  if (held->count == 0) references_held.remove_where([held](const Reference& each) { return &each == held; });
  drop(*found, references);
  return CUDA_SUCCESS;
}

CUresult share_user_objects(std::uint64_t from, std::uint64_t to) {
  CUresult code = CUDA_SUCCESS;
  references_held.for_each([&](const Reference& each) {
    if (each.holder != from || code != CUDA_SUCCESS) return;
    code = hold_user_object(to, reinterpret_cast<CUuserObject>(each.object), 1, false);
  });
  return code;
}

void release_user_objects_of(std::uint64_t holder) {
  references_held.remove_where([holder](const Reference& each) {
    if (each.holder != holder) return false;
    UserObject* const object = find(each.object);
    // A program may have released more than was its own.
    if (object != nullptr) drop(*object, each.count < object->references ? each.count : object->references);
    return true;
  });
}

void destroy_user_objects() {
  for (;;) {
    UserObject gone{};
    {
      const Locked lock;
      if (dead == 0) return;
      UserObject* const found = objects.find_where([](const UserObject& each) { return each.references == 0; });
      if (found == nullptr) return;
      gone = *found;
      objects.remove_where([found](const UserObject& each) { return &each == found; });
      --dead;
    }
    gone.destroy(gone.data);
  }
}

}  // namespace nvmlab::cuda
