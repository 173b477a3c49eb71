// SPDX-License-Identifier: Apache-2.0
// One instruction for many lanes, and the same in C++: operands are bits, as they lie in registers.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {

using Bits = std::uint64_t;

struct Form {
  std::string text;  // of %w, %x, %y, %z, the predicates %p and %q, and %h, %t, %a with a digit to work with
  unsigned in;       // bytes of the operands
  unsigned out;      // of the result
  std::function<Bits(Bits x, Bits y, Bits z)> expected;
  std::function<bool(Bits found, Bits expected)> same = {};  // where results are not told bit for bit
};

inline std::string type_of_bytes(unsigned bytes) { return ".b" + std::to_string(bytes * 8); }

inline std::string kernel_of(const Form& form) {
  const std::string in = type_of_bytes(form.in);
  const std::string out = type_of_bytes(form.out);
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry form(.param .u64 x, .param .u64 y, .param .u64 "
      "z, .param .u64 w)\n{\n";
  text += ".reg " + in + " %x, %y, %z;\n.reg " + out + " %w;\n.reg .pred %p, %q;\n.reg .b32 %t;\n.reg .b64 %a;\n";
  text += ".reg .b16 %h<4>;\n.reg .b32 %t<8>;\n.reg .b64 %a<4>;\n";
  // ptxas takes special registers only as operands of mov.
  text += "mov.u32 %t0, %ctaid.x;\nmov.u32 %t1, %ntid.x;\nmov.u32 %t2, %tid.x;\nmad.lo.u32 %t, %t0, %t1, %t2;\n";
  for (const char* name : {"x", "y", "z"}) {
    text += std::string("ld.param.u64 %a, [") + name + "];\nmad.wide.u32 %a, %t, " + std::to_string(form.in) +
            ", %a;\nld.global" + in + " %" + name + ", [%a];\n";
  }
  text += form.text + "\n";
  text += "ld.param.u64 %a, [w];\nmad.wide.u32 %a, %t, " + std::to_string(form.out) + ", %a;\nst.global" + out +
          " [%a], %w;\nret;\n}\n";
  return text;
}

// Numbers at the edges of what their types hold, and any.
inline std::vector<Bits> operands_of(std::uint64_t seed, std::size_t count) {
  static constexpr Bits kEdges[] = {0,
                                    1,
                                    2,
                                    31,
                                    32,
                                    33,
                                    0x7F,
                                    0x80,
                                    0xFF,
                                    0x7FFF,
                                    0x8000,
                                    0xFFFF,
                                    0x7FFFFFFF,
                                    0x80000000,
                                    0xFFFFFFFF,
                                    0x3F800000,
                                    0xBF800000,
                                    0x7F800000,
                                    0xFF800000,
                                    0x7FC00000,
                                    0x00000001,
                                    0x80000001,
                                    0x00800000,
                                    0x7F7FFFFF,
                                    0x3C00,
                                    0x7C00,
                                    0x7BFF,
                                    ~Bits{0},
                                    Bits{1} << 63,
                                    0x3FF0000000000000,
                                    0x7FF0000000000000,
                                    0x7FF8000000000000,
                                    0x4B800000,
                                    0x3F000000};
  std::mt19937_64 random(seed);
  std::vector<Bits> all;
  while (all.size() < count) {
    const Bits word = random();
    switch (word % 4) {
      case 0:
        all.push_back(kEdges[random() % std::size(kEdges)]);
        break;
      case 1:
        all.push_back(random() % 100);
        break;
      case 2:  // floats of ordinary size
        all.push_back((random() & 0x807FFFFF807FFFFF) | (Bits{0x3C800000} + (random() % 8 << 24)) << 32 |
                      (0x3C800000 + (random() % 8 << 23)));
        break;
      default:
        all.push_back(random());
    }
  }
  return all;
}

template <class T>
T as(Bits bits) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(bits);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  } else {
    return static_cast<T>(bits);
  }
}
template <class T>
Bits bits_of(T value) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<Bits>(value);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<std::uint32_t>(value);
  } else {
    return static_cast<Bits>(static_cast<std::make_unsigned_t<T>>(value));
  }
}

// Where each lane's result differs from what is expected: the first one, in words; empty: nowhere.
inline std::string run_form(const Form& form) {
  constexpr std::uint32_t kCount = 512;
  constexpr std::uint32_t kUsed = 500;  // the last warp is not full
  const Module module(kernel_of(form));
  if (module.code() != 0 || !module.message().empty()) return module.message();
  const auto spread = [&](std::uint64_t seed) {
    std::vector<std::uint8_t> bytes(kCount * form.in);
    const std::vector<Bits> words = operands_of(seed, kCount);
    for (std::uint32_t i = 0; i < kCount; ++i)
      __builtin_memcpy(&bytes[i * form.in], &words[i], form.in);
    return bytes;
  };
  Buffer<std::uint8_t> x(spread(11));
  Buffer<std::uint8_t> y(spread(12));
  Buffer<std::uint8_t> z(spread(13));
  Buffer<std::uint8_t> w(kCount * form.out);
  const nvmlab_fault fault = module.launch("form", 2, kUsed / 2, {x.address(), y.address(), z.address(), w.address()});
  if (fault.code != 0) return fault.message;
  for (std::uint32_t i = 0; i < kUsed; ++i) {
    Bits operands[3] = {};
    Bits found = 0;
    __builtin_memcpy(&operands[0], &x[i * form.in], form.in);
    __builtin_memcpy(&operands[1], &y[i * form.in], form.in);
    __builtin_memcpy(&operands[2], &z[i * form.in], form.in);
    __builtin_memcpy(&found, &w[i * form.out], form.out);
    const Bits mask = form.out == 8 ? ~Bits{0} : (Bits{1} << (8 * form.out)) - 1;
    const Bits expected = form.expected(operands[0], operands[1], operands[2]) & mask;
    if (form.same ? form.same(found, expected) : found == expected) continue;
    char text[256];
    std::snprintf(text, sizeof text, "%s of %llx %llx %llx is %llx, expected %llx", form.text.c_str(),
                  static_cast<unsigned long long>(operands[0]), static_cast<unsigned long long>(operands[1]),
                  static_cast<unsigned long long>(operands[2]), static_cast<unsigned long long>(found),
                  static_cast<unsigned long long>(expected));
    return text;
  }
  return "";
}

}  // namespace nvmlab::kernels_test
