// SPDX-License-Identifier: Apache-2.0
// atom and red: each thread on a place of its own; that none is lost between threads, Kernels and `contended` show.
#include "tests/unit/kernels/forms/reals.hpp"
#include "tests/unit/kernels/forms/texts.hpp"

namespace nvmlab::kernels_test {
namespace {

constexpr unsigned kThreads = 40;

Bits real_sum(const std::string& type, Bits a, Bits b) {
  if (type == "f64") return bits_of(as<double>(a) + as<double>(b));
  if (type == "f32") return bits_of_real(as<float>(a) + as<float>(b));
  const Small of = small_of(type);
  return small_bits(traced(small_value(a, of), 1, small_value(b, of)), of);
}

Bits small_extreme(const std::string& type, Bits a, Bits b, bool less) {
  const Small of = small_of(type);
  const double x = small_value(a, of);
  const double y = small_value(b, of);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? small_bits(NAN, of) : std::isnan(x) ? b : a;
  if (x == y) return std::signbit(x) == less ? a : b;
  return (x < y) == less ? a : b;
}

Bits changed(const Named& form, const std::string& type, Bits old, Bits a, Bits b) {
  if (type.ends_with("x2")) {
    const std::string half = type.substr(0, type.size() - 2);
    return changed(form, half, old & 0xFFFF, a & 0xFFFF, b) | changed(form, half, old >> 16, a >> 16, b) << 16;
  }
  if (form.has("exch")) return a;
  if (form.has("cas")) return old == a ? b : old;
  if (form.has("and")) return old & a;
  if (form.has("or")) return old | a;
  if (form.has("xor")) return old ^ a;
  if (form.has("inc")) return old >= a ? 0 : old + 1;
  if (form.has("dec")) return old == 0 || old > a ? a : old - 1;
  const bool less = form.has("min");
  if (type.starts_with("f") || type.starts_with("bf"))
    return form.has("add") ? real_sum(type, old, a) : small_extreme(type, old, a, less);
  if (form.has("add")) return old + a;
  const Integer of(type);
  return (of.value(a) < of.value(old)) == less ? a : old;
}

bool same_real(const std::string& type, Bits found, Bits expected) {
  return type == "f64" ? same_double(found, expected) : found == expected;
}

// Old value, operand and the number to write of each thread, the old one often the operand.
std::string atomic(const Named& form) {
  const bool reduces = form.opcode() == "red";
  const bool shared = form.has("shared");
  const std::string& type = form.type();
  const unsigned bytes = Named::type_bytes(type);
  unsigned count = 1;
  for (const unsigned each : {2U, 4U, 8U}) {
    if (form.has(("v" + std::to_string(each)).c_str())) count = each;
  }
  const std::string size = std::to_string(bytes * 8);
  const unsigned room = std::max(bytes * count, 8U);
  const std::string stride = std::to_string(room);
  const auto list = [count](const char* name) {
    std::string text = count == 1 ? "" : "{";
    for (unsigned i = 0; i < count; ++i)
      text += (i == 0 ? "" : ", ") + std::string(name) + std::to_string(i);
    return text + (count == 1 ? "" : "}");
  };
  std::string body = ".reg .b64 %m, %in, %out, %o, %s;\n.reg .b32 %t;\n.reg .b" + size +
                     " %a<8>, %b<8>, %w<8>;\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, " + stride +
                     ";\nld.param.u64 %m, [m];\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nadd.s64 %m, %m, "
                     "%o;\nadd.s64 %in, %in, %o;\nadd.s64 %out, %out, %o;\n";
  for (unsigned i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    const std::string at = "+" + std::to_string(i * bytes);
    body += "ld.global.b" + size + " %a" + n + ", [%in" + at + "];\n";
    body += "ld.global.b" + size + " %b" + n + ", [%out" + at + "];\n";
  }
  if (shared)
    body += ".shared .align 8 .b8 there[1024];\nmov.u64 %s, there;\nadd.s64 %s, %s, %o;\nld.global.b" + size +
            " %w0, [%m];\nst.shared.b" + size + " [%s], %w0;\n";
  body += form.text + (reduces ? " " : " " + list("%w") + ", ") + (shared ? "[%s], " : "[%m], ") + list("%a") +
          (form.has("cas") ? ", %b0" : "") + ";\n";
  if (shared) body += "ld.shared.b" + size + " %b0, [%s];\nst.global.b" + size + " [%m], %b0;\n";
  for (unsigned i = 0; !reduces && i < count; ++i)
    body += "st.global.b" + size + " [%out+" + std::to_string(i * bytes) + "], %w" + std::to_string(i) + ";\n";
  const auto numbers = [&](std::uint64_t seed) {
    const std::vector<Bits> words = operands_of(seed, kThreads * 8);
    std::vector<std::uint8_t> all(kThreads * room);
    for (unsigned i = 0; i < kThreads * room / bytes; ++i)
      std::memcpy(&all[i * bytes], &words[i], bytes);
    return all;
  };
  std::vector<std::uint8_t> before = numbers(1);
  const std::vector<std::uint8_t> a = numbers(2);
  const std::vector<std::uint8_t> b = numbers(3);
  for (unsigned i = 0; i < kThreads; i += 2)
    std::memcpy(&before[i * room], &a[i * room], bytes);
  Buffer<std::uint8_t> memory(before);
  Buffer<std::uint8_t> in(a);
  Buffer<std::uint8_t> out(b);
  const std::string told = run_text(kernel_text(".param .u64 m, .param .u64 in, .param .u64 out", body), 1, kThreads,
                                    {memory.address(), in.address(), out.address()});
  if (!told.empty()) return told;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned at = thread * room + i * bytes;
      const Bits old = read_bits(&before[at], bytes);
      const Bits expected = changed(form, type, old, read_bits(&a[at], bytes), read_bits(&b[at], bytes));
      const Bits found = read_bits(&memory[at], bytes);
      const Bits kept = bytes == 8 ? expected : expected & ((Bits{1} << bytes * 8) - 1);
      if (!same_real(type, found, kept)) return different("memory", at, found, kept);
      if (!reduces && read_bits(&out[at], bytes) != old)
        return different("result", at, read_bits(&out[at], bytes), old);
    }
  }
  return "";
}

}  // namespace

void add_atomic_kernels(Kernels& all) {
  for (const char* name : {"atom_add", "atom_extreme", "atom_counter", "atom_exch", "atom_cas", "atom_logic",
                           "atom_vector", "red_add", "red_extreme", "red_counter", "red_logic", "red_vector"})
    all[name] = atomic;
}

}  // namespace nvmlab::kernels_test
