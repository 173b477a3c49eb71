// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/kernel_library.hpp"

#include "drivers/common/dynamic_loader.hpp"
#include "drivers/common/library_path.hpp"
#include "drivers/cuda/process/process.hpp"

namespace nvmlab::cuda {
namespace {

const nvmlab_kernels* table = nullptr;

void complain_of_library(const char* path) {
  driver::Line line;
  line << "cannot load " << driver::Quoted{path} << ", which runs kernels; it belongs beside libcuda.so.1";
  log(kLogErrors, line);
}

}  // namespace

const nvmlab_kernels* kernels() { return table; }

const nvmlab_kernels* open_kernels() {
  if (table != nullptr) return table;
  driver::LibraryPath path;
  const driver::DynamicLoader loader;
  const bool found = loader.there() && driver::beside_library("libnvmlab-kernels.so", &path);
  void* const library = found ? loader.open(path.text, RTLD_NOW | RTLD_LOCAL) : nullptr;
  auto* const ask =
      library == nullptr ? nullptr : driver::look_up<decltype(nvmlab_kernels_table)>(library, "nvmlab_kernels_table");
  const nvmlab_kernels* const made = ask == nullptr ? nullptr : ask();
  if (made == nullptr || made->size != sizeof *made) {
    complain_of_library(path.text);
    return nullptr;
  }
  table = made;
  return table;
}

}  // namespace nvmlab::cuda
