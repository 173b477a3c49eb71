// SPDX-License-Identifier: Apache-2.0
//
// The simulated driver as a client sees it: opened by its path, functions by name. Benchmarks call through the
// pointers, as bindings do.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "nvmlab/abi/abi.hpp"

namespace nvmlab::bench {

// Of this build, or what BENCH_LIBRARIES names: the lib folder of another one, to compare with.
inline const std::string kLibraries = [] {
  const char* other = std::getenv("BENCH_LIBRARIES");
  return std::string(other == nullptr ? NVMLAB_BENCH_LIBRARIES : other);
}();
inline const std::string kPrograms = NVMLAB_BENCH_PROGRAMS;
inline const std::string kSource = NVMLAB_BENCH_SOURCE;

inline std::string driver_library() { return kLibraries + "/libnvidia-ml.so.1"; }
inline std::string empty_library() { return std::string(NVMLAB_BENCH_LIBRARIES) + "/libnvmlab-empty.so"; }
// A machine of eight GPUs, compiled.
inline std::string machine_file() { return kLibraries + "/nvmlab/machines/dgx-h100.machine"; }

using Variables = std::map<std::string, std::string>;

// Removes whatever steers nvmlab from the environment, so that a shell's settings do not change what is measured.
void forget_settings();

void* symbol(const std::string& library, const char* name);

template <class Signature>
Signature* driver_function(const char* name) {
  return reinterpret_cast<Signature*>(symbol(driver_library(), name));
}

// Initialises the driver for a node of that many GPUs, unless it is already. Throws where that fails.
void use_node(unsigned gpus);
// The same of one GPU on which kListedProcesses run.
inline constexpr unsigned kListedProcesses = 32;
void use_busy_node();
// The same of a machine that is up, whose GPU trains.
void use_loaded_node();
nvml::abi::nvmlDevice_t device(unsigned index);

// Runs a program and waits; standard output goes to `output`, or nowhere. The exit code, -1 where it did not start.
int run_program(const std::string& program, const std::string& argument, const Variables& variables,
                std::string* output);

}  // namespace nvmlab::bench
