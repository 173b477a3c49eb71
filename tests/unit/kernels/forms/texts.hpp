// SPDX-License-Identifier: Apache-2.0
// Kernels of the tests that are more than one instruction on registers: text around a form, memory in and out.
#pragma once

#include "tests/unit/kernels/forms/kernels.hpp"

namespace nvmlab::kernels_test {

inline std::string kernel_text(const std::string& parameters, const std::string& body, const std::string& before = "") {
  return ".version 8.6\n.target sm_90\n.address_size 64\n" + before + "\n.visible .entry k(" + parameters + ")\n{\n" +
         body + "\nret;\n}\n";
}

inline std::vector<std::uint8_t> random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> all(count);
  for (std::uint8_t& each : all)
    each = static_cast<std::uint8_t>(random());
  return all;
}

// Empty: it ran. Else why it did not.
inline std::string run_text(const std::string& text, std::uint32_t blocks, std::uint32_t threads,
                            const std::vector<std::uint64_t>& parameters) {
  const Module module(text);
  if (module.code() != 0 || !module.message().empty()) return module.message();
  const nvmlab_fault fault = module.launch("k", blocks, threads, parameters);
  return fault.code == 0 ? "" : fault.message;
}

inline std::string different(const char* what, std::size_t at, Bits found, Bits expected) {
  char text[160];
  std::snprintf(text, sizeof text, "%s %zu is %llx, expected %llx", what, at, static_cast<unsigned long long>(found),
                static_cast<unsigned long long>(expected));
  return text;
}

inline Bits read_bits(const std::uint8_t* from, unsigned bytes) {
  Bits value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

}  // namespace nvmlab::kernels_test
