// SPDX-License-Identifier: Apache-2.0
// Says what came through the other file; with an argument it takes a value where there is none.
#include <cstdio>
#include <nvmlab/nvml/fake.hpp>

#include "one_abi.hpp"

namespace {

bool failed = false;

void expect(bool holds, const char* what) {
  if (!holds) std::printf("not so: %s\n", what);
  failed = failed || !holds;
}

}  // namespace

int main(int count, char** /*arguments*/) {
  namespace abi = nvml::abi;
  if (count > 1) {
    one_abi::nothing(false).value();
    std::puts("went on");
    return 0;
  }
  nvml::Fake fake;
  fake.set<&nvml::Functions::nvmlDeviceGetCount_v2>([](unsigned* gpus) {
    *gpus = 2;
    return abi::NVML_SUCCESS;
  });
  fake.set_answer<&nvml::Functions::nvmlDeviceGetHandleByIndex_v2>(nvml::Return::success);
  fake.set<&nvml::Functions::nvmlDeviceGetMemoryInfo_v2>([](abi::nvmlDevice_t, abi::nvmlMemory_v2_t* memory) {
    memory->total = 80;
    return abi::NVML_SUCCESS;
  });
  const auto devices = one_abi::devices(fake.library());
  expect(devices && devices->size() == 2, "two devices");
  const auto memory = one_abi::memory(devices->front());
  expect(memory && memory->total == nvml::Bytes{80}, "their memory");
  fake.remove<&nvml::Functions::nvmlDeviceGetMemoryInfo_v2>();
  expect(one_abi::memory(devices->back()).error().origin() == nvml::Origin::symbol,
         "the error of a function that is gone");
  expect(one_abi::nothing(true).has_value(), "nothing");
  expect(one_abi::nothing(false) == nvml::unexpected(one_abi::refused()), "a refusal");
  expect(one_abi::text(std::optional{7}) == std::string{"7"}, "a text");
  expect(one_abi::text(nvml::unexpected(3)).error() == 3, "an error that is no Error");
  expect(one_abi::size_of_results() == one_abi::sizes(), "the sizes of the types");
  return failed ? 1 : 0;
}
