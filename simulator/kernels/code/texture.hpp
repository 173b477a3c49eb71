// SPDX-License-Identifier: Apache-2.0
// What an instruction on a texture or a surface works on; it belongs to the function, as Matrix does. Tests:
// tests/unit/kernels/forms/textures.cpp.
#pragma once

#include "kernels/code/instruction.hpp"

namespace nvmlab::kernels {

enum class TextureStep : std::uint8_t { sample, gather, query, load, store };
enum class OutOfRange : std::uint8_t { trap, clamp, zero };

struct TextureAccess {
  TextureStep step = TextureStep::sample;
  std::uint8_t dimensions = 1;  // of a place within a layer or a face
  bool layered = false;
  bool cube = false;
  bool integers = false;       // places are whole numbers
  bool level = false;          // `detail` is a level
  std::uint8_t count = 4;      // of values
  std::uint8_t bytes = 4;      // of a value of a surface
  std::uint8_t component = 0;  // of a gather
  std::uint8_t what = 0;       // of a query
  OutOfRange beyond = OutOfRange::trap;
  Ref handle;
  Ref values[4];
  Ref place[4];  // with the layer first
  Ref detail;
  Ref slope[2][3];  // of tex.grad
  bool graded = false;
  bool named = false;  // `handle` is the address of a reference
};

}  // namespace nvmlab::kernels
