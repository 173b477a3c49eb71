// SPDX-License-Identifier: Apache-2.0
//
// What every fuzzer here is: one function that takes bytes and aborts when something is wrong. `make check-fuzz` gives
// it to libFuzzer, which looks for bytes that reach new code; everywhere else replay_main.cpp runs it on the kept
// inputs in corpus/ (found once, tried for ever), so that the tests need no clang.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace nvmlab::fuzz {

[[noreturn]] inline void wrong(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace nvmlab::fuzz
