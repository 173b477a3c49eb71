// SPDX-License-Identifier: Apache-2.0
// sampler [ROUNDS [MILLISECONDS]]: fields of every GPU, those of one GPU in one call of the driver, each with its unit;
// "-" where a GPU or its driver has none. A round allocates nothing.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <nvmlab/nvml.hpp>
#include <thread>

namespace {

template <nvml::FieldId... ids>
void sample(unsigned index, const nvml::Device& device) {
  const auto fields = device.fields<ids...>();
  const auto print = [&]<nvml::FieldId id>() {
    std::cout << ' ' << name_of(id) << '=';
    if (const auto now = fields.template get<id>()) {
      std::cout << now->value;
    } else {
      std::cout << '-';
    }
  };
  std::cout << index << ':';
  (print.template operator()<ids>(), ...);
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  using enum nvml::FieldId;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  const int pause = argc > 2 ? std::atoi(argv[2]) : 1000;
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  const auto devices = library->devices();
  for (int round = 0; round < rounds; ++round) {
    if (round > 0) std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    for (unsigned index = 0; const auto& device : devices)
      sample<power_instant, total_energy_consumption, memory_temp, pcie_replay_counter, ecc_dbe_vol_total>(index++,
                                                                                                           device);
  }
}
