// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a text of PTX: refused with a place, or a module whose kernels run and leave nothing but what they were
// given. The first line of an input may be missing: a text without .version gets a beginning that is right.
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/kernels_api.h"
#include "tests/fuzz/fuzzer.hpp"

namespace nvmlab::fuzz {
namespace {

constexpr std::size_t kMemory = 1 << 16;
constexpr std::size_t kMostParameters = 4096;

struct Ground {
  alignas(64) std::array<char, kMemory> before{};
  alignas(64) std::array<char, kMemory> variables{};
  alignas(64) std::array<char, kMemory> data{};
  alignas(64) std::array<char, kMemory> behind{};
};

Ground& ground() {
  static Ground made;
  return made;
}

std::uint64_t allocate(void*, std::uint64_t bytes) {
  return bytes > kMemory ? 0 : reinterpret_cast<std::uint64_t>(ground().variables.data());
}

int find(void*, std::uint64_t address, std::uint64_t* begin, std::uint64_t* end) {
  for (auto* part : {&ground().variables, &ground().data}) {
    const auto first = reinterpret_cast<std::uint64_t>(part->data());
    if (address < first || address - first >= kMemory) continue;
    *begin = first;
    *end = first + kMemory;
    return 1;
  }
  return 0;
}

void run(const nvmlab_kernels& table, const nvmlab_kernel* kernel) {
  nvmlab_kernel_facts facts{};
  table.describe(kernel, &facts);
  if (facts.parameter_bytes > kMostParameters) return;
  // Whatever a parameter is, it may be a pointer.
  alignas(8) std::array<std::uint64_t, kMostParameters / 8> parameters;
  parameters.fill(reinterpret_cast<std::uint64_t>(ground().data.data()));
  nvmlab_launch request{};
  request.size = sizeof request;
  request.kernel = kernel;
  request.grid[0] = 2;
  request.block[0] = 40;
  request.grid[1] = request.grid[2] = request.block[1] = request.block[2] = 1;
  request.dynamic_shared_bytes = 256;
  request.parameters = parameters.data();
  request.stack_bytes = 1024;
  request.multiprocessors = 4;
  request.find = find;
  nvmlab_fault fault{};
  table.launch(&request, &fault);
  if (fault.code != 0 && fault.message[0] == '\0') wrong("a kernel failed without a word");
}

void load(const std::string& text) {
  const nvmlab_kernels* const table = nvmlab_kernels_table();
  nvmlab_load request{};
  request.size = sizeof request;
  request.image = text.c_str();
  request.target = 90;
  request.allocate = allocate;
  if (table->load(&request) != 0) {
    if (request.message[0] == '\0') wrong("refused without a word");
    return;
  }
  for (std::uint32_t i = 0; i < table->kernel_count(request.module) && i < 8; ++i)
    run(*table, table->nth_kernel(request.module, i));
  table->unload(request.module);
  for (const char each : ground().before) {
    if (each != 0) wrong("wrote in front of its memory");
  }
  for (const char each : ground().behind) {
    if (each != 0) wrong("wrote behind its memory");
  }
}

}  // namespace
}  // namespace nvmlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ::setenv("NVMLAB_KERNEL_TIMEOUT", "50ms", 1);
  const std::string text(reinterpret_cast<const char*>(data), size);
  nvmlab::fuzz::load(
      text.find(".version") == std::string::npos ? ".version 8.0\n.target sm_80\n.address_size 64\n" + text : text);
  return 0;
}
