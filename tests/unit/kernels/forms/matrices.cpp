// SPDX-License-Identifier: Apache-2.0
// mma, ldmatrix, stmatrix and movmatrix. Where elements lie is written here as PTX's tables have it, shape by shape.
#include "tests/unit/kernels/forms/matrices.hpp"

namespace nvmlab::kernels_test {
namespace {

struct Where {
  int row;
  int column;
};

// Element i of a lane, of matrix a: lower and upper half of 16 rows, then the next columns.
Where of_a(const Extent& of, unsigned bits, int lane, int i) {
  const int group = lane >> 2;
  const int within = lane % 4;
  const int each = bits >= 32 ? 1 : static_cast<int>(32 / bits);  // in a register
  if (of.m == 8) return {group, within * each + i};
  const int quarter = i / each;
  const int row = quarter == 0 || quarter == 2 || quarter == 4 || quarter == 6 ? group : group + 8;
  const int base = quarter / 2 * each * 4;
  return {row, base + within * each + i % each};
}
Where of_b(unsigned bits, int lane, int i) {
  const int each = bits >= 32 ? 1 : static_cast<int>(32 / bits);
  return {i / each * each * 4 + lane % 4 * each + i % each, lane >> 2};
}
Where of_c(int lane, int i) { return {(lane >> 2) + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}; }

// The registers of all lanes: 32 times `count` words.
std::vector<Bits> packed(const std::string& type, int count, int per_lane,
                         const std::function<int(int lane, int i)>& number) {
  const unsigned bits = element_bits(type);
  const int each = bits >= 32 ? 1 : static_cast<int>(32 / bits);
  std::vector<Bits> all(static_cast<std::size_t>(32 * count));
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < per_lane; ++i)
      all[static_cast<std::size_t>(lane * count + i / each)] |= element_of(type, number(lane, i))
                                                                << (static_cast<unsigned>(i % each) * bits);
  }
  return all;
}

std::string list(const char* name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::string(name) + std::to_string(i);
  return text + "}";
}

// Registers of a lane from a buffer of words of 64 bits, and to it.
std::string moves(const char* name, const std::string& bits, int count, bool store) {
  std::string text = "mul.wide.u32 %o, %i, " + std::to_string(8 * count) + ";\nld.param.u64 %p, [" + (name + 1) +
                     "];\nadd.s64 %p, %p, %o;\n";
  for (int i = 0; i < count; ++i) {
    const std::string at = "[%p+" + std::to_string(8 * i) + "]";
    const std::string reg = name + std::to_string(i);
    text += store ? "st.global." + bits + " " + at + ", " + reg + ";\n"
                  : "ld.global." + bits + " " + reg + ", " + at + ";\n";
  }
  return text;
}

std::string register_type(const std::string& type) { return type == "f64" ? "f64" : type == "f32" ? "f32" : "b32"; }

std::string mma(const Named& form) {
  const Extent of = extent_of(form);
  std::vector<std::string> types;
  for (const std::string& word : form.words) {
    if (word == "f16" || word == "bf16" || word == "tf32" || word == "f32" || word == "f64" || word == "e4m3" ||
        word == "e5m2" || word == "s8" || word == "u8" || word == "s4" || word == "u4" || word == "b1" || word == "s32")
      types.push_back(word);
  }
  const std::string& d = types[0];
  const std::string& a = types[1];
  const std::string& b = types[2];
  const std::string& c = types[3];
  const std::vector<int> x = numbers_for(a, of.m * of.k, 1);
  const std::vector<int> y = numbers_for(b, of.k * of.n, 2);
  const std::vector<int> z = numbers_for(c[0] == 's' ? "s8" : c, of.m * of.n, 3);
  const auto registers = [](const std::string& type, int elements) {
    const int bits = static_cast<int>(element_bits(type));
    return elements / 32 * std::min(bits, 32) / 32;
  };
  const int na = registers(a, of.m * of.k);
  const int nb = registers(b, of.k * of.n);
  const int nc = registers(c, of.m * of.n);
  const int nd = registers(d, of.m * of.n);
  const auto at = [](const std::vector<int>& numbers, Where where, int columns) {
    return numbers[static_cast<std::size_t>(where.row * columns + where.column)];
  };
  Buffer<Bits> in_a(packed(a, na, of.m * of.k / 32,
                           [&](int lane, int i) { return at(x, of_a(of, element_bits(a), lane, i), of.k); }));
  Buffer<Bits> in_b(
      packed(b, nb, of.k * of.n / 32, [&](int lane, int i) { return at(y, of_b(element_bits(b), lane, i), of.n); }));
  Buffer<Bits> in_c(packed(c, nc, of.m * of.n / 32, [&](int lane, int i) { return at(z, of_c(lane, i), of.n); }));
  Buffer<Bits> out(static_cast<std::size_t>(32 * nd));
  std::string body = ".reg .b64 %p, %o;\n.reg .b32 %i;\nmov.u32 %i, %tid.x;\n";
  const auto declare = [&](const char* name, const std::string& type) {
    body += ".reg ." + register_type(type) + " " + name + "<16>;\n";
  };
  declare("%a", a), declare("%b", b), declare("%c", c), declare("%d", d);
  body += moves("%a", register_type(a), na, false) + moves("%b", register_type(b), nb, false) +
          moves("%c", register_type(c), nc, false);
  body +=
      form.text + " " + list("%d", nd) + ", " + list("%a", na) + ", " + list("%b", nb) + ", " + list("%c", nc) + ";\n";
  body += moves("%d", register_type(d), nd, true);
  const std::string told = run_text(kernel_text(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d", body), 1,
                                    32, {in_a.address(), in_b.address(), in_c.address(), out.address()});
  if (!told.empty()) return told;
  const std::vector<std::int64_t> sums = product(of, x, y, z, form);
  const std::vector<Bits> expected = packed(d, nd, of.m * of.n / 32, [&](int lane, int i) {
    const Where where = of_c(lane, i);
    return static_cast<int>(sums[static_cast<std::size_t>(where.row * of.n + where.column)]);
  });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // Of numbers that cancel out, .rm makes -0.
    if (d == "f64" && as<double>(out[i]) == as<double>(expected[i])) continue;
    if (out[i] != expected[i]) return different("register", i, out[i], expected[i]);
  }
  return "";
}

// Rows of 8 numbers of 16 bits, at addresses that lanes give in no order.
std::string rows(const Named& form) {
  const bool store = form.opcode() == "stmatrix";
  const bool turned = form.has("trans");
  const int count = form.has("x4") ? 4 : form.has("x2") ? 2 : 1;
  const bool generic = !form.has_one({"shared", "shared::cta"});
  std::string body =
      ".reg .b64 %p, %o, %g;\n.reg .b32 %i, %s, %r<4>, %t<6>;\n.shared .align 16 .b8 there[512];\nmov.u32 %i, "
      "%tid.x;\nmul.wide.u32 %o, "
      "%i, 16;\nld.param.u64 %p, [in];\nadd.s64 %p, %p, %o;\nmov.u32 %s, there;\nmad.lo.u32 %t4, %i, 16, "
      "%s;\nld.global.v4.u32 {%t0, "
      "%t1, %t2, %t3}, [%p];\n";
  // Lane i names row i ^ 5.
  const std::string address = "xor.b32 %t5, %i, 5;\nmad.lo.u32 %t5, %t5, 16, %s;\ncvt.u64.u32 %g, %t5;\n" +
                              std::string(generic ? "cvta.shared.u64 %g, %g;\n" : "");
  const std::string where = generic ? "[%g]" : "[%t5]";
  const std::string regs = list("%r", count);
  if (store) {
    body +=
        "st.shared.v4.u32 [%t4], {0, 0, 0, 0};\nbar.sync 0;\nmov.b32 %r0, %t0;\nmov.b32 %r1, %t1;\nmov.b32 %r2, "
        "%t2;\nmov.b32 %r3, %t3;\n" +
        address + form.text + " " + where + ", " + regs +
        ";\nbar.sync 0;\nld.shared.v4.u32 {%t0, %t1, %t2, %t3}, [%t4];\n";
  } else {
    body +=
        "st.shared.v4.u32 [%t4], {%t0, %t1, %t2, %t3};\nbar.sync 0;\nmov.u32 %r0, 0;\nmov.u32 %r1, 0;\nmov.u32 %r2, "
        "0;\nmov.u32 %r3, 0;\n" +
        address + form.text + " " + regs + ", " + where +
        ";\nmov.b32 %t0, %r0;\nmov.b32 %t1, %r1;\nmov.b32 %t2, %r2;\nmov.b32 %t3, %r3;\n";
  }
  body += "ld.param.u64 %p, [out];\nadd.s64 %p, %p, %o;\nst.global.v4.u32 [%p], {%t0, %t1, %t2, %t3};";
  Buffer<std::uint8_t> in(random_bytes(512, 9));
  Buffer<std::uint8_t> out(512);
  const std::string told =
      run_text(kernel_text(".param .u64 in, .param .u64 out", body), 1, 32, {in.address(), out.address()});
  if (!told.empty()) return told;
  const auto half = [](Buffer<std::uint8_t>& of, int at) {
    return of[static_cast<std::size_t>(2 * at)] | of[static_cast<std::size_t>(2 * at + 1)] << 8;
  };
  for (int i = 0; i < count; ++i) {
    for (int row = 0; row < 8; ++row) {
      for (int column = 0; column < 8; ++column) {
        const int lane = turned ? column * 4 + row / 2 : row * 4 + column / 2;
        const int in_register = lane * 8 + i * 2 + (turned ? row : column) % 2;
        const int in_memory = ((i * 8 + row) ^ 5) * 8 + column;
        const int found = half(out, store ? in_memory : in_register);
        const int expected = half(in, store ? in_register : in_memory);
        if (found != expected)
          return different("number", static_cast<std::size_t>(in_register), static_cast<Bits>(found),
                           static_cast<Bits>(expected));
      }
    }
  }
  return "";
}

std::string movmatrix(const Named& form) {
  Buffer<std::uint32_t> in(32);
  Buffer<std::uint32_t> out(32);
  const std::vector<Bits> words = operands_of(4, 32);
  for (std::size_t i = 0; i < 32; ++i)
    in[i] = static_cast<std::uint32_t>(words[i]);
  const std::string told = run_text(
      kernel_text(".param .u64 in, .param .u64 out",
                  ".reg .b64 %p, %o;\n.reg .b32 %i, %x;\nmov.u32 %i, %tid.x;\nmul.wide.u32 %o, %i, 4;\nld.param.u64 "
                  "%p, [in];\nadd.s64 %p, %p, %o;\nld.global.u32 %x, [%p];\n" +
                      form.text +
                      " %x, %x;\nld.param.u64 %p, [out];\nadd.s64 %p, %p, "
                      "%o;\nst.global.u32 [%p], %x;"),
      1, 32, {in.address(), out.address()});
  if (!told.empty()) return told;
  const auto number = [](Buffer<std::uint32_t>& of, std::size_t row, std::size_t column) {
    return of[row * 4 + column / 2] >> (column % 2 * 16) & 0xFFFF;
  };
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      if (number(out, row, column) != number(in, column, row))
        return different("row", row, number(out, row, column), number(in, column, row));
    }
  }
  return "";
}

}  // namespace

void add_matrix_kernels(Kernels& all) {
  for (const char* name : {"mma_half", "mma_tf32", "mma_f64", "mma_bytes", "mma_integers", "mma_nibbles", "mma_bits"})
    all[name] = mma;
  all["ldmatrix"] = rows;
  all["stmatrix"] = rows;
  all["movmatrix"] = movmatrix;
}

}  // namespace nvmlab::kernels_test
