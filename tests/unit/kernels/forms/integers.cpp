// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers, in C++'s of 128 bits.
#include "tests/unit/kernels/forms/kernels.hpp"

namespace nvmlab::kernels_test {
namespace {

using Two = s128 (*)(s128 a, s128 b, const Integer& of);

std::string two(const Named& form, Two body) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Integer of(form.type());
  return run_form({form.text + " %w, %x, %y;", bytes, bytes,
                   [of, body](Bits x, Bits y, Bits) { return static_cast<Bits>(body(of.value(x), of.value(y), of)); }});
}

std::string one(const Named& form, s128 (*body)(s128)) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Integer of(form.type());
  return run_form({form.text + " %w, %x;", bytes, bytes,
                   [of, body](Bits x, Bits, Bits) { return static_cast<Bits>(body(of.value(x))); }});
}

std::string three(const Named& form, s128 (*body)(s128 a, s128 b, s128 c, const Integer& of)) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Integer of(form.type());
  return run_form({form.text + " %w, %x, %y, %z;", bytes, bytes, [of, body](Bits x, Bits y, Bits z) {
                     return static_cast<Bits>(body(of.value(x), of.value(y), of.value(z), of));
                   }});
}

std::string wide(const Named& form, bool adds) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Integer of(form.type());
  const std::string up = std::string(bytes == 2 ? "%t1" : "%a1");
  const std::string make = "cvt." + std::string(bytes == 2 ? "u32.u16 " : "u64.u32 ") + up + ", %z;\n";
  return run_form({adds ? make + form.text + " %w, %x, %y, " + up + ";" : form.text + " %w, %x, %y;", bytes, bytes * 2,
                   [of, adds, bytes](Bits x, Bits y, Bits z) {
                     const Bits sum = adds ? z & ((Bits{1} << bytes * 8) - 1) : 0;
                     return static_cast<Bits>(of.value(x) * of.value(y)) + sum;
                   }});
}

s128 low24(s128 a, const Integer& of) { return of.is_signed ? (a & 0xFFFFFF) - ((a & 0x800000) << 1) : a & 0xFFFFFF; }

// The carry is seen in a sum of zeros behind it; the one that comes in is made by one in front.
std::string carry(const Named& form, bool in) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Integer of("u" + std::to_string(bytes * 8));
  const std::string type = "." + form.type();
  const bool minus = form.opcode()[0] == 's';
  const bool out = form.has("cc");
  const std::string before = in ? (minus ? "sub.cc" : "add.cc") + type + " %w, %z, %y;\n" : "";
  const std::string behind = out ? "\n" + std::string(minus ? "subc" : "addc") + type + " %w, 0, 0;" : "";
  return run_form({before + form.text + " %w, %x, %y;" + behind, bytes, bytes, [=](Bits x, Bits y, Bits z) {
                     const s128 a = of.value(x);
                     const s128 b = of.value(y);
                     const s128 c = of.value(z);
                     const s128 first = minus ? c - b : c + b;
                     const s128 carried = in && (first < 0 || first > of.most()) ? 1 : 0;
                     const s128 whole = minus ? a - b - carried : a + b + carried;
                     const bool over = whole < 0 || whole > of.most();
                     if (!out) return static_cast<Bits>(whole);
                     return over ? (minus ? ~Bits{0} : Bits{1}) : Bits{0};
                   }});
}

std::string mad_carry(const Named& form, bool in) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Integer of(form.type());
  const Integer sums("u" + std::to_string(bytes * 8));
  const std::string type = "." + form.type();
  const bool out = form.has("cc");
  const bool high = form.has("hi");
  const std::string before = in ? "add.cc" + type + " %w, %z, %y;\n" : "";
  const std::string behind = out ? "\naddc" + type + " %w, 0, 0;" : "";
  return run_form({before + form.text + " %w, %x, %y, %z;" + behind, bytes, bytes, [=](Bits x, Bits y, Bits z) {
                     const s128 product = high ? of.upper(of.value(x), of.value(y)) : of.value(x) * of.value(y);
                     const s128 part = sums.value(static_cast<Bits>(product));
                     const s128 carried = in && sums.value(z) + sums.value(y) > sums.most() ? 1 : 0;
                     const s128 whole = part + sums.value(z) + carried;
                     return out ? Bits{whole > sums.most()} : static_cast<Bits>(whole);
                   }});
}

std::string dot(const Named& form, unsigned parts) {
  const Integer a(std::string(form.types[0].substr(0, 1)) + (parts == 4 ? "8" : "16"));
  const Integer b(std::string(form.types[1].substr(0, 1)) + "8");
  const unsigned skip = form.has("hi") ? 16 : 0;
  return run_form({form.text + " %w, %x, %y, %z;", 4, 4, [=](Bits x, Bits y, Bits z) {
                     s128 sum = static_cast<s128>(z);
                     for (unsigned i = 0; i < parts; ++i)
                       sum += a.value(x >> (a.bits * i)) * b.value(y >> (8 * i + skip));
                     return static_cast<Bits>(sum);
                   }});
}

std::string video(const Named& form) {
  const std::string how = form.opcode().substr(1, form.opcode().size() - 2);
  const unsigned parts = form.opcode().back() == '4' ? 4 : 2;
  const unsigned bits = 32 / parts;
  const auto small = [bits](const std::string& type) { return Integer(type.substr(0, 1) + std::to_string(bits)); };
  const Integer d = small(form.types[0]);
  const Integer a = small(form.types[1]);
  const Integer b = small(form.types[2]);
  const bool adds = form.has("add");
  const bool saturates = form.has("sat");
  return run_form({form.text + " %w, %x, %y, %z;", 4, 4, [=](Bits x, Bits y, Bits z) {
                     Bits packed = 0;
                     s128 sum = static_cast<s128>(z);
                     for (unsigned i = 0; i < parts; ++i) {
                       const s128 p = a.value(x >> (bits * i));
                       const s128 q = b.value(y >> (bits * i));
                       s128 r = how == "add"   ? p + q
                                : how == "sub" ? p - q
                                : how == "min" ? std::min(p, q)
                                : how == "max" ? std::max(p, q)
                                               : (p < q ? q - p : p - q);
                       if (saturates) r = std::clamp(r, d.least(), d.most());
                       sum += r;
                       packed |= (static_cast<Bits>(r) & ((Bits{1} << bits) - 1)) << (bits * i);
                     }
                     return adds ? static_cast<Bits>(sum) : packed;
                   }});
}

}  // namespace

void add_integer_kernels(Kernels& all) {
  all["add_integer"] = [](const Named& f) { return two(f, [](s128 a, s128 b, const Integer&) { return a + b; }); };
  all["sub_integer"] = [](const Named& f) { return two(f, [](s128 a, s128 b, const Integer&) { return a - b; }); };
  all["add_sat"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer& of) { return static_cast<s128>(of.clamped(a + b)); });
  };
  all["sub_sat"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer& of) { return static_cast<s128>(of.clamped(a - b)); });
  };
  all["mul_lo"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer&) {
      return static_cast<s128>(static_cast<u128>(a) * static_cast<u128>(b));
    });
  };
  all["mul_hi"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer& of) { return of.upper(a, b); });
  };
  all["mul_wide"] = [](const Named& f) { return wide(f, false); };
  all["mad_wide"] = [](const Named& f) { return wide(f, true); };
  all["mad_lo"] = [](const Named& f) {
    return three(f, [](s128 a, s128 b, s128 c, const Integer&) {
      return static_cast<s128>(static_cast<u128>(a) * static_cast<u128>(b) + static_cast<u128>(c));
    });
  };
  all["mad_hi"] = [](const Named& f) {
    return three(f, [](s128 a, s128 b, s128 c, const Integer& of) { return of.upper(a, b) + c; });
  };
  all["mad_hi_sat"] = [](const Named& f) {
    return three(
        f, [](s128 a, s128 b, s128 c, const Integer& of) { return static_cast<s128>(of.clamped(of.upper(a, b) + c)); });
  };
  all["mul24_lo"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer& of) { return low24(a, of) * low24(b, of); });
  };
  all["mul24_hi"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer& of) { return low24(a, of) * low24(b, of) >> 16; });
  };
  all["mad24_lo"] = [](const Named& f) {
    return three(f, [](s128 a, s128 b, s128 c, const Integer& of) { return low24(a, of) * low24(b, of) + c; });
  };
  all["mad24_hi"] = [](const Named& f) {
    return three(f, [](s128 a, s128 b, s128 c, const Integer& of) { return (low24(a, of) * low24(b, of) >> 16) + c; });
  };
  all["div_integer"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer&) { return b == 0 ? s128{-1} : a / b; });
  };
  all["rem_integer"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer&) { return b == 0 ? a : a % b; });
  };
  all["min_integer"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer&) { return std::min(a, b); });
  };
  all["max_integer"] = [](const Named& f) {
    return two(f, [](s128 a, s128 b, const Integer&) { return std::max(a, b); });
  };
  all["abs_integer"] = [](const Named& f) { return one(f, [](s128 a) { return a < 0 ? -a : a; }); };
  all["neg_integer"] = [](const Named& f) { return one(f, [](s128 a) { return -a; }); };
  all["sad"] = [](const Named& f) {
    return three(f, [](s128 a, s128 b, s128 c, const Integer&) { return (a < b ? b - a : a - b) + c; });
  };
  all["carry_out"] = [](const Named& f) { return carry(f, false); };
  all["carry_in"] = [](const Named& f) { return carry(f, true); };
  all["mad_carry_out"] = [](const Named& f) { return mad_carry(f, false); };
  all["mad_carry_in"] = [](const Named& f) { return mad_carry(f, true); };
  all["dp4a"] = [](const Named& f) { return dot(f, 4); };
  all["dp2a"] = [](const Named& f) { return dot(f, 2); };
  all["video"] = video;
}

}  // namespace nvmlab::kernels_test
