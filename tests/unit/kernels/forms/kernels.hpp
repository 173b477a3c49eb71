// SPDX-License-Identifier: Apache-2.0
// The test kernels that model/ptx/*.tsv name: each runs a form of an instruction on random operands and compares what
// it gives with C++ that knows nothing of the interpreter.
#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "codegen/ptx/forms.hpp"
#include "tests/unit/kernels/forms.hpp"

namespace nvmlab::kernels_test {

__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;

// A form by its words.
struct Named {
  explicit Named(const std::string& form) : text(form), words(ptx_forms::words_of(form)) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (type_bytes(words[i]) != 0) types.push_back(words[i]);
    }
  }
  bool has(const char* word) const { return std::ranges::find(words, word) != words.end(); }
  bool has_one(std::initializer_list<const char*> any) const {
    return std::ranges::any_of(any, [this](const char* each) { return has(each); });
  }
  const std::string& opcode() const { return words[0]; }
  const std::string& type() const { return types.back(); }

  static unsigned type_bytes(const std::string& word) {
    static const std::map<std::string, unsigned> kBytes = {
        {"b8", 1},   {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2},    {"f16", 2},
        {"bf16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4}, {"f16x2", 4},  {"bf16x2", 4},
        {"tf32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"e4m3x2", 2}, {"e5m2x2", 2}};
    const auto found = kBytes.find(word);
    return found == kBytes.end() ? 0 : found->second;
  }
  // Of the register that holds it.
  static unsigned register_bytes(const std::string& word) { return std::max(type_bytes(word), 2U); }

  std::string text;
  std::vector<std::string> words;
  std::vector<std::string> types;
};

// An integer type: numbers of it as those of 128 bits, and back.
struct Integer {
  explicit Integer(const std::string& type) : bits(Named::type_bytes(type) * 8), is_signed(type[0] == 's') {}
  s128 value(Bits word) const {
    const Bits kept = bits == 64 ? word : word & ((Bits{1} << bits) - 1);
    return is_signed && (kept >> (bits - 1) & 1) != 0 ? s128{kept} - (s128{1} << bits) : s128{kept};
  }
  s128 least() const { return is_signed ? -(s128{1} << (bits - 1)) : 0; }
  s128 most() const { return (s128{1} << (is_signed ? bits - 1 : bits)) - 1; }
  Bits clamped(s128 number) const { return static_cast<Bits>(std::clamp(number, least(), most())); }
  s128 upper(s128 a, s128 b) const {  // of a product
    return is_signed ? a * b >> bits : static_cast<s128>(static_cast<u128>(a) * static_cast<u128>(b) >> bits);
  }
  unsigned bits;
  bool is_signed;
};

// Empty: the form gives what it should; else what is wrong.
using Kernel = std::function<std::string(const Named&)>;
using Kernels = std::map<std::string, Kernel>;

void add_integer_kernels(Kernels& all);
void add_bit_kernels(Kernels& all);
void add_float_kernels(Kernels& all);
void add_approximations(Kernels& all);
void add_half_kernels(Kernels& all);
void add_comparison_kernels(Kernels& all);
void add_conversion_kernels(Kernels& all);
void add_move_kernels(Kernels& all);
void add_memory_kernels(Kernels& all);
void add_atomic_kernels(Kernels& all);
void add_warp_kernels(Kernels& all);
void add_control_kernels(Kernels& all);
void add_async_kernels(Kernels& all);
void add_matrix_kernels(Kernels& all);
void add_warp_matrix_kernels(Kernels& all);
void add_texture_kernels(Kernels& all);
void add_tensor_map_kernels(Kernels& all);

const Kernels& all_kernels();

}  // namespace nvmlab::kernels_test
