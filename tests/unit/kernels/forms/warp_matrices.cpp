// SPDX-License-Identifier: Apache-2.0
// wmma: matrices in memory, in each order and with a stride that leaves room between rows. Where elements lie in
// registers is nobody's business, so what is loaded is looked at by what is stored or multiplied.
#include "tests/unit/kernels/forms/matrices.hpp"

namespace nvmlab::kernels_test {
namespace {

struct Part {
  std::string type;
  bool by_column = false;
  int rows = 0;
  int columns = 0;
  int stride() const { return (by_column ? rows : columns) + (element_bits(type) < 8 ? 0 : 16); }
  std::size_t bytes() const {
    return static_cast<std::size_t>(stride() * (by_column ? columns : rows)) * element_bits(type) / 8;
  }
  std::size_t bit(int row, int column) const {
    return static_cast<std::size_t>(by_column ? column * stride() + row : row * stride() + column) * element_bits(type);
  }
};

std::vector<std::uint8_t> in_memory(const Part& of, const std::vector<std::int64_t>& numbers) {
  std::vector<std::uint8_t> all(of.bytes());
  for (int i = 0; i < of.rows * of.columns; ++i) {
    const std::size_t bit = of.bit(i / of.columns, i % of.columns);
    const Bits value = element_of(of.type, static_cast<int>(numbers[static_cast<std::size_t>(i)]));
    const unsigned bits = element_bits(of.type);
    if (bits < 8) {
      all[bit / 8] = static_cast<std::uint8_t>(all[bit / 8] | value << bit % 8);
    } else {
      std::memcpy(&all[bit / 8], &value, bits / 8);
    }
  }
  return all;
}

int registers_of(const Part& of, bool sum) {
  if (of.type == "f16" && !sum) return 8;
  const int elements = of.rows * of.columns / 32;
  return of.type == "f64" ? elements : elements * static_cast<int>(element_bits(of.type)) / 32;
}

std::string list(const char* name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::string(name) + std::to_string(i);
  return text + "}";
}

// A product by the forms given; what is not given is one that is known to exist.
struct Product {
  Part a, b, c, d;
  std::string load_a, load_b, load_c, multiply, store;
  std::string space;  // of what is loaded and stored
};

std::string shape_word(const Named& form) {
  for (const std::string& word : form.words) {
    if (word[0] == 'm' && word.size() > 4 && word[1] >= '0' && word[1] <= '9') return word;
  }
  return "";
}

std::string order(const Part& of) { return of.by_column ? ".col" : ".row"; }

std::string reg(const Part& of) { return of.type == "f64" ? "f64" : of.type == "f32" ? "f32" : "b32"; }

std::string run(const Product& all, const Extent& of, const Named& form) {
  const std::vector<int> x = numbers_for(all.a.type, of.m * of.k, 1);
  const std::vector<int> y = numbers_for(all.b.type, of.k * of.n, 2);
  const std::vector<int> z = numbers_for(all.c.type[0] == 's' ? "s8" : all.c.type, of.m * of.n, 3);
  const auto wide = [](const std::vector<int>& numbers) {
    return std::vector<std::int64_t>(numbers.begin(), numbers.end());
  };
  const std::vector<std::vector<std::uint8_t>> memory{in_memory(all.a, wide(x)), in_memory(all.b, wide(y)),
                                                      in_memory(all.c, wide(z))};
  Buffer<std::uint8_t> a(memory[0]);
  Buffer<std::uint8_t> b(memory[1]);
  Buffer<std::uint8_t> c(memory[2]);
  const std::vector<std::uint8_t> expected = in_memory(all.d, product(of, x, y, z, form));
  Buffer<std::uint8_t> d(expected.size());
  const bool shared = all.space == "shared";
  std::string body =
      ".reg .b64 %p, %s, %g;\n.reg .b32 %i, %t;\n.reg .pred %q;\n.shared .align 32 .b8 there[16384];\nmov.u32 %i, "
      "%tid.x;\nmov.u64 %s, there;\n";
  const auto registers = [&](const char* name, const Part& part) {
    body += ".reg ." + reg(part) + " " + name + "<8>;\n";
  };
  registers("%a", all.a), registers("%b", all.b), registers("%c", all.c), registers("%d", all.d);
  // In shared memory by a copy that the first lane makes, or back.
  int loops = 0;
  const auto copy = [&](const char* name, std::size_t bytes, bool back) {
    const std::string label = "L" + std::to_string(loops++);
    body += "ld.param.u64 %p, [" + std::string(name) + "];\n";
    if (!shared) return;
    body += "mov.u32 %t, " + std::to_string(bytes / 4) + ";\nsetp.ne.u32 %q, %i, 0;\nmov.u64 %g, %s;\n@%q bra " +
            label + "_;\n" + label + ":\n" +
            (back ? "ld.shared.u32 %i, [%g];\nst.global.u32 [%p], %i;\n"
                  : "ld.global.u32 %i, [%p];\nst.shared.u32 [%g], %i;\n") +
            "add.s64 %p, %p, 4;\nadd.s64 %g, %g, 4;\nsub.u32 %t, %t, 1;\nsetp.ne.u32 %q, %t, 0;\n@%q bra " + label +
            ";\nmov.u32 %i, 0;\n" + label + "_:\nbar.warp.sync -1;\n";
  };
  const std::string at = shared ? "[%s]" : "[%p]";
  const auto load = [&](const char* name, const Part& part, const std::string& by, bool sum, std::size_t bytes) {
    copy(name, bytes, false);
    body += by + " " + list((std::string("%") + name).c_str(), registers_of(part, sum)) + ", " + at + ", " +
            std::to_string(part.stride()) + ";\nbar.warp.sync -1;\n";
  };
  load("a", all.a, all.load_a, false, memory[0].size());
  load("b", all.b, all.load_b, false, memory[1].size());
  load("c", all.c, all.load_c, true, memory[2].size());
  body += all.multiply + " " + list("%d", registers_of(all.d, true)) + ", " + list("%a", registers_of(all.a, false)) +
          ", " + list("%b", registers_of(all.b, false)) + ", " + list("%c", registers_of(all.c, true)) +
          ";\nld.param.u64 %p, [d];\n";
  if (shared) body += "setp.eq.u32 %q, %i, 0;\n";
  if (shared) {  // room between rows is zero, as what is expected
    copy("d", expected.size(), false);
  }
  body += all.store + " " + at + ", " + list("%d", registers_of(all.d, true)) + ", " + std::to_string(all.d.stride()) +
          ";\nbar.warp.sync -1;\n";
  if (shared) copy("d", expected.size(), true);
  const std::string told = run_text(kernel_text(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d", body), 1,
                                    32, {a.address(), b.address(), c.address(), d.address()});
  if (!told.empty()) return told;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t word = i / 8 * 8;  // of numbers that cancel out, .rm makes -0
    if (all.d.type == "f64" && as<double>(read_bits(&d[word], 8)) == as<double>(read_bits(&expected[word], 8)))
      continue;
    if (d[i] != expected[i]) return different("byte", i, d[i], expected[i]);
  }
  return "";
}

std::string wmma(const Named& form) {
  const Extent of = extent_of(form);
  const std::string shape = shape_word(form);
  const std::string which = form.words[1];  // load, store or mma
  std::vector<std::string> types;
  std::vector<std::string> orders;
  for (std::size_t i = 2; i < form.words.size(); ++i) {
    const std::string& word = form.words[i];
    if (word == "row" || word == "col") orders.push_back(word);
    if (word == "f16" || word == "bf16" || word == "tf32" || word == "f32" || word == "f64" || word == "s8" ||
        word == "u8" || word == "s4" || word == "u4" || word == "b1" || word == "s32")
      types.push_back(word);
  }
  const std::string last = types.back();
  std::string input;  // the type of a and b
  if (which == "mma") input = types.size() == 2 ? "f16" : types[1];
  if (which == "load" && (form.has("a") || form.has("b"))) input = last;
  if (input.empty())
    input = shape == "m16n16k8"   ? "tf32"
            : shape == "m8n8k4"   ? "f64"
            : shape == "m8n8k32"  ? "s4"
            : shape == "m8n8k128" ? "b1"
            : last == "s32"       ? "s8"
                                  : "f16";
  const bool integers = input[0] == 's' || input[0] == 'u' || input[0] == 'b' ? input != "bf16" : false;
  const std::string normal = integers ? "s32" : input == "f64" ? "f64" : "f32";
  Product all;
  all.a = {input, false, of.m, of.k};
  all.b = {input, true, of.k, of.n};
  all.c = {normal, false, of.m, of.n};
  all.d = {normal, false, of.m, of.n};
  for (const char* each : {"global", "shared"}) {
    if (form.has(each)) all.space = each;
  }
  const bool by_column = orders[0] == "col";
  std::string space = all.space.empty() ? "" : "." + all.space;
  if (which == "mma") {
    all.a.by_column = orders[0] == "col";
    all.b.by_column = orders[1] == "col";
    all.d.type = types[0];
    all.c.type = types.back();
  } else if (form.has("a")) {
    all.a.by_column = by_column;
  } else if (form.has("b")) {
    all.b.by_column = by_column;
  } else if (form.has("c")) {
    all.c.by_column = by_column;
    all.c.type = last;
  } else {
    all.d.by_column = by_column;
    all.d.type = last;
  }
  const std::string head = ".sync.aligned";
  all.load_a = "wmma.load.a" + head + order(all.a) + "." + shape + space + "." + input;
  all.load_b = "wmma.load.b" + head + order(all.b) + "." + shape + space + "." + input;
  all.load_c = "wmma.load.c" + head + order(all.c) + "." + shape + space + "." + all.c.type;
  all.store = "wmma.store.d" + head + order(all.d) + "." + shape + space + "." + all.d.type;
  const std::string between = input == "f16" ? "" : "." + input + "." + input;
  all.multiply = std::string("wmma.mma") + (input == "b1" ? ".xor.popc" : "") + head + order(all.a) + order(all.b) +
                 "." + shape + "." + all.d.type + between + "." + all.c.type + (input == "f64" ? ".rn" : "");
  if (which == "mma") all.multiply = form.text;
  return run(all, of, input == "b1" && which != "mma" ? Named("wmma.xor") : form);
}

}  // namespace

void add_warp_matrix_kernels(Kernels& all) {
  for (const char* name : {"wmma_load", "wmma_store", "wmma_half", "wmma_reals", "wmma_integers"})
    all[name] = wmma;
}

}  // namespace nvmlab::kernels_test
