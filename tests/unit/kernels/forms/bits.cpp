// SPDX-License-Identifier: Apache-2.0
// Instructions on bits: one bit after another.
#include "tests/unit/kernels/forms/kernels.hpp"

namespace nvmlab::kernels_test {
namespace {

using Body = std::function<Bits(Bits x, Bits y, Bits z)>;

std::string of_type(const Named& form, const std::string& operands, Body body) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Bits mask = bytes == 8 ? ~Bits{0} : (Bits{1} << bytes * 8) - 1;
  return run_form(
      {form.text + operands, bytes, bytes, [=](Bits x, Bits y, Bits z) { return body(x & mask, y & mask, z & mask); }});
}

std::string logic(const Named& form) {
  const char how = form.opcode()[0];
  return of_type(form, " %w, %x, %y;", [how](Bits x, Bits y, Bits) {
    return how == 'a' ? x & y : how == 'o' ? x | y : x ^ y;
  });
}

// Predicates made of the lowest bits, and shown as 1 or 0.
std::string logic_of_predicates(const Named& form) {
  const std::string how = form.opcode();
  const std::string last = how == "not" ? " %p, %p;" : " %p, %p, %q;";
  return run_form({"and.b32 %t1, %x, 1; setp.ne.s32 %p, %t1, 0; and.b32 %t1, %y, 1; setp.ne.s32 %q, %t1, 0;\n" +
                       form.text + last + "\nselp.b32 %w, 1, 0, %p;",
                   4, 4, [how](Bits x, Bits y, Bits) {
                     const bool p = (x & 1) != 0;
                     const bool q = (y & 1) != 0;
                     return Bits{how == "and" ? p && q : how == "or" ? p || q : how == "xor" ? p != q : !p};
                   }});
}

// How far is a number of 32 bits; the one of a register of another size is taken from a part of it.
std::string shift(const Named& form, bool left) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Integer of(form.type());
  const std::string by = bytes == 4   ? "mov.b32 %t1, %y;\n"
                         : bytes == 2 ? "cvt.u32.u16 %t1, %y;\n"
                                      : "cvt.u32.u64 %t1, %y;\n";
  return run_form({by + form.text + " %w, %x, %t1;", bytes, bytes, [=](Bits x, Bits y, Bits) {
                     const Bits far = bytes == 2 ? y & 0xFFFF : y & 0xFFFFFFFF;
                     const unsigned n = static_cast<unsigned>(std::min<Bits>(far, of.bits));
                     const s128 a = of.value(x);
                     return static_cast<Bits>(left ? static_cast<s128>(static_cast<u128>(a) << n) : a >> n);
                   }});
}

std::string funnel(const Named& form) {
  const bool left = form.has("l");
  const bool clamp = form.has("clamp");
  return run_form({form.text + " %w, %x, %y, %z;", 4, 4, [=](Bits x, Bits y, Bits z) {
                     const u128 whole = u128{y} << 32 | x;
                     const unsigned n = clamp ? static_cast<unsigned>(std::min<Bits>(z, 32)) : z & 31;
                     return static_cast<Bits>(left ? (whole << n) >> 32 : whole >> n);
                   }});
}

// Counts go to 32 bits.
std::string counted(const Named& form, Bits (*body)(Bits x, unsigned bits, bool is_signed, bool option)) {
  const unsigned bytes = Named::type_bytes(form.type());
  const bool sign = form.type()[0] == 's';
  const bool option = form.has("shiftamt");
  return run_form(
      {form.text + " %w, %x;", bytes, 4, [=](Bits x, Bits, Bits) { return body(x, bytes * 8, sign, option); }});
}

Bits find(Bits x, unsigned bits, bool is_signed, bool from_top) {
  const Bits sign = is_signed ? x >> (bits - 1) & 1 : 0;
  for (unsigned i = bits; i-- > 0;) {
    if ((x >> i & 1) != sign) return from_top ? bits - 1 - i : i;
  }
  return 0xFFFFFFFF;
}

// Where fields begin and how long they are: of parts of y and z, in and beyond their range.
std::string field(const Named& form, bool inserts) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Integer of(form.type());
  const std::string narrow = bytes == 4 ? "mov.b32 %t1, %y; mov.b32 %t2, %z; shr.u32 %t2, %t2, 3;\n"
                                        : "cvt.u32.u64 %t1, %y; cvt.u32.u64 %t2, %z; shr.u32 %t2, %t2, 3;\n";
  const std::string operands = inserts ? " %w, %x, %z, %t1, %t2;" : " %w, %x, %t1, %t2;";
  return run_form({narrow + form.text + operands, bytes, bytes, [=](Bits x, Bits y, Bits z) {
                     const unsigned from = y & 0xFF;
                     const unsigned length = (z & 0xFFFFFFFF) >> 3 & 0xFF;
                     Bits result = inserts ? z : 0;
                     if (inserts) {
                       for (unsigned i = 0; i < length && from + i < of.bits; ++i)
                         result = (result & ~(Bits{1} << (from + i))) | (x >> i & 1) << (from + i);
                       return result;
                     }
                     const unsigned last = std::min(from + length - 1, of.bits - 1);
                     const Bits sign = of.is_signed && length != 0 ? x >> last & 1 : 0;
                     for (unsigned i = 0; i < of.bits; ++i)
                       result |= (i < length && from + i < of.bits ? x >> (from + i) & 1 : sign) << i;
                     return result;
                   }});
}

std::string bit_mask(const Named& form) {
  const bool clamp = form.has("clamp");
  return run_form({form.text + " %w, %x, %y;", 4, 4, [clamp](Bits x, Bits y, Bits) {
                     const Bits from = clamp ? x : x & 31;
                     const Bits length = clamp ? y : y & 31;
                     Bits result = 0;
                     for (Bits i = 0; i < 32; ++i)
                       result |= Bits{i >= from && i - from < length} << i;
                     return result;
                   }});
}

std::string extended(const Named& form) {
  const bool clamp = form.has("clamp");
  const bool sign = form.type() == "s32";
  return run_form({form.text + " %w, %x, %y;", 4, 4, [=](Bits x, Bits y, Bits) {
                     const Bits length = clamp ? std::min<Bits>(y, 32) : y & 31;
                     if (length == 0) return Bits{0};
                     const Bits top = sign ? x >> (length - 1) & 1 : 0;
                     for (Bits i = length; i < 32; ++i)
                       x = (x & ~(Bits{1} << i)) | top << i;
                     return x;
                   }});
}

std::string lop3(const Named& form) {
  std::string wrong;
  for (unsigned table = 0; table < 256 && wrong.empty(); table += 5) {
    wrong =
        run_form({form.text + " %w, %x, %y, %z, " + std::to_string(table) + ";", 4, 4, [table](Bits x, Bits y, Bits z) {
                    Bits result = 0;
                    for (unsigned i = 0; i < 32; ++i)
                      result |= Bits{table >> ((x >> i & 1) * 4 + (y >> i & 1) * 2 + (z >> i & 1)) & 1} << i;
                    return result;
                  }});
  }
  return wrong;
}

std::string permute(const Named& form) {
  const std::string mode = form.words.back() == "b32" ? "" : form.words.back();
  return run_form({form.text + " %w, %x, %y, %z;", 4, 4, [mode](Bits x, Bits y, Bits z) {
                     const Bits all = y << 32 | x;
                     const unsigned n = z & 3;
                     Bits result = 0;
                     for (unsigned i = 0; i < 4; ++i) {
                       unsigned chosen = z >> (4 * i) & 15;
                       if (mode == "f4e") chosen = n + i;
                       if (mode == "b4e") chosen = (n + 8 - i) % 8;
                       if (mode == "rc8") chosen = n;
                       if (mode == "ecl") chosen = std::max(i, n);
                       if (mode == "ecr") chosen = std::min(i, n);
                       if (mode == "rc16") chosen = (n & 1) * 2 + i % 2;
                       Bits byte = all >> (8 * (chosen & 7)) & 255;
                       if ((chosen & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
                       result |= byte << (8 * i);
                     }
                     return result;
                   }});
}

// The n-th bit from a base on: n of -7 to 8.
std::string nth_bit(const Named& form) {
  return run_form(
      {"and.b32 %t1, %y, 31; and.b32 %t2, %z, 15; sub.s32 %t2, %t2, 7;\n" + form.text + " %w, %x, %t1, %t2;", 4, 4,
       [](Bits x, Bits y, Bits z) {
         const int base = static_cast<int>(y & 31);
         const int n = static_cast<int>(z & 15) - 7;
         if (n == 0) return (x >> base & 1) != 0 ? static_cast<Bits>(base) : ~Bits{0};
         int left = n < 0 ? -n : n;
         for (int i = base; i >= 0 && i < 32; i += n < 0 ? -1 : 1) {
           if ((x >> i & 1) != 0 && --left == 0) return static_cast<Bits>(i);
         }
         return ~Bits{0};
       }});
}

}  // namespace

void add_bit_kernels(Kernels& all) {
  all["logic"] = logic;
  all["logic_of_predicates"] = logic_of_predicates;
  all["not_bits"] = [](const Named& f) { return of_type(f, " %w, %x;", [](Bits x, Bits, Bits) { return ~x; }); };
  all["cnot"] = [](const Named& f) { return of_type(f, " %w, %x;", [](Bits x, Bits, Bits) { return Bits{x == 0}; }); };
  all["shl"] = [](const Named& f) { return shift(f, true); };
  all["shr"] = [](const Named& f) { return shift(f, false); };
  all["shf"] = funnel;
  all["popc"] = [](const Named& f) {
    return counted(f, [](Bits x, unsigned bits, bool, bool) {
      Bits found = 0;
      for (unsigned i = 0; i < bits; ++i)
        found += x >> i & 1;
      return found;
    });
  };
  all["clz"] = [](const Named& f) {
    return counted(f, [](Bits x, unsigned bits, bool, bool) {
      Bits found = 0;
      while (found < bits && (x >> (bits - 1 - found) & 1) == 0)
        ++found;
      return found;
    });
  };
  all["bfind"] = [](const Named& f) { return counted(f, find); };
  all["brev"] = [](const Named& f) {
    const unsigned bits = Named::type_bytes(f.type()) * 8;
    return of_type(f, " %w, %x;", [bits](Bits x, Bits, Bits) {
      Bits result = 0;
      for (unsigned i = 0; i < bits; ++i)
        result |= (x >> i & 1) << (bits - 1 - i);
      return result;
    });
  };
  all["bfe"] = [](const Named& f) { return field(f, false); };
  all["bfi"] = [](const Named& f) { return field(f, true); };
  all["bmsk"] = bit_mask;
  all["szext"] = extended;
  all["lop3"] = lop3;
  all["prmt"] = permute;
  all["fns"] = nth_bit;
}

}  // namespace nvmlab::kernels_test
