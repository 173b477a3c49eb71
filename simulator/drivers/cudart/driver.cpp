// SPDX-License-Identifier: Apache-2.0
#include "drivers/cudart/driver.hpp"

#include "drivers/common/dynamic_loader.hpp"
#include "drivers/common/engine_table.hpp"
#include "drivers/common/library_path.hpp"
#include "engine/store/lock.hpp"

namespace nvmlab::cudart {
namespace {

using driver::DynamicLoader;
using driver::look_up;
using ExportTable = int(const void** table, const void* id);

ThreadLock opening;
Driver functions;
const Driver* found = nullptr;
const driver::EngineTable* engine = nullptr;

// The log is the engine's, which libcuda has opened by then.
void find_log(const DynamicLoader& loader) {
  void* const library = loader.open("libnvidia-ml.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto* const ask = library == nullptr ? nullptr : look_up<ExportTable>(library, "nvmlInternalGetExportTable");
  const void* table = nullptr;
  if (ask == nullptr || ask(&table, driver::kEngineTableId) != 0 || table == nullptr) return;
  const auto* known = static_cast<const driver::EngineTable*>(table);
  if (known->size == sizeof *known && known->layout_hash == kLayoutHash) engine = known;
}

void* open_library(const DynamicLoader& loader) {
  if (void* library = loader.open("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) return library;
  driver::LibraryPath path;  // .../cudart/12/libcudart.so.12
  return driver::beside_library("../../libcuda.so.1", &path) ? loader.open(path.text, RTLD_NOW | RTLD_LOCAL) : nullptr;
}

void fill(void* library) {
#define NVMLAB_FIND(name) functions.name = look_up<decltype(cuda::hooks::name)>(library, #name);
  NVMLAB_DRIVER_FUNCTIONS(NVMLAB_FIND)
#undef NVMLAB_FIND
  std::size_t at = 0;
#define NVMLAB_FIND(name) functions.forwards[at++] = reinterpret_cast<void*>(look_up<void()>(library, #name));
  NVMLAB_FORWARDS(NVMLAB_FIND)
#undef NVMLAB_FIND
}

const Driver* open() {
  const DynamicLoader loader;
  void* const library = loader.there() ? open_library(loader) : nullptr;
  if (library == nullptr) return nullptr;
  fill(library);
  if (functions.cuInit == nullptr || functions.cuDriverGetVersion == nullptr) return nullptr;
  int version = 0;
  functions.cuDriverGetVersion(&version);
  find_log(loader);
  return &functions;
}

}  // namespace

const Driver* driver() {
  const Driver* known = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
  if (known != nullptr) return known;
  opening.lock();
  if (found == nullptr) __atomic_store_n(&found, open(), __ATOMIC_RELEASE);
  known = found;
  opening.unlock();
  return known;
}

std::uint32_t log_level() {
  return __atomic_load_n(&found, __ATOMIC_ACQUIRE) == nullptr || engine == nullptr ? 0 : engine->log_level();
}

void log(std::uint32_t level, const driver::Line& line) {
  if (log_level() >= level) engine->log(level, line.text());
}

}  // namespace nvmlab::cudart
