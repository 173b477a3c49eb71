// SPDX-License-Identifier: Apache-2.0
// What generated exports are made of: every call leaves its error with the thread, and stands in the log.
#pragma once

#include "drivers/cudart/generated/functions.hpp"
#include "drivers/cudart/generated/hooks.hpp"
#include "drivers/cudart/runtime.hpp"

#define NVMLAB_EXPORT __attribute__((visibility("default")))

namespace nvmlab::cudart {

// Keeps an error for cudaGetLastError, writes the line of the call, and gives the code back.
cudaError_t finish(Function function, cudaError_t code);

template <class Body>
cudaError_t answer(Function function, const Body& body) {
  return finish(function, body());
}

// Of a function that is not simulated: says why in the log.
cudaError_t refuse(Function function);

// The null stream of a form for the stream of the thread.
template <class Stream>
Stream per_thread(Stream stream) {
  return stream == nullptr ? reinterpret_cast<Stream>(std::uintptr_t{2}) : stream;
}

// Hands arguments on as they came.
template <class... Arguments>
cudaError_t forward(Forward function, Arguments... arguments) {
  return with_context([&](const Driver& below) {
    auto* const address =
        reinterpret_cast<CUresult (*)(Arguments...)>(below.forwards[static_cast<std::size_t>(function)]);
    return ask(address, arguments...);
  });
}

}  // namespace nvmlab::cudart
