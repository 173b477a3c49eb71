// SPDX-License-Identifier: Apache-2.0
// setp, set, selp and slct.
#include "tests/unit/kernels/forms/reals.hpp"

namespace nvmlab::kernels_test {
namespace {

template <class T>
bool holds(const std::string& how, T a, T b, bool unordered) {
  const bool open = how.size() == 3 && how != "num" && how != "nan";  // true where one is no number
  if (how == "num") return !unordered;
  if (how == "nan") return unordered;
  if (unordered) return open;
  const std::string plain = how.substr(0, 2);
  if (plain == "eq") return a == b;
  if (plain == "ne") return a != b;
  if (plain == "lt" || plain == "lo") return a < b;
  if (plain == "le" || plain == "ls") return a <= b;
  if (plain == "gt" || plain == "hi") return a > b;
  return a >= b;
}

// By type, of bits as they lie in registers.
bool compared(const Named& form, const std::string& type, Bits x, Bits y) {
  const std::string& how = form.words[1];
  if (type == "f64") {
    const double a = as<double>(x);
    const double b = as<double>(y);
    return holds(how, a, b, std::isnan(a) || std::isnan(b));
  }
  if (type == "f32") {
    const float a = form.has("ftz") ? flush(as<float>(x)) : as<float>(x);
    const float b = form.has("ftz") ? flush(as<float>(y)) : as<float>(y);
    return holds(how, a, b, std::isnan(a) || std::isnan(b));
  }
  if (type.starts_with("f16") || type.starts_with("bf16")) {
    const Small of = small_of(type);
    const auto number = [&](Bits bits) {
      const double value = small_value(bits & 0xFFFF, of);
      return form.has("ftz") && std::fabs(value) < std::exp2(of.least) ? 0.0 : value;
    };
    return holds(how, number(x), number(y), std::isnan(number(x)) || std::isnan(number(y)));
  }
  const Integer of(type);
  return holds(how, of.value(x), of.value(y), false);
}

std::string selected(unsigned bytes, const char* predicate) {
  return "selp.b" + std::to_string(bytes * 8) + " %w, 1, 0, " + predicate + ";";
}

// p | q << 1: the result and its opposite.
std::string setp(const Named& form) {
  const unsigned bytes = Named::type_bytes(form.type());
  const std::string type = "b" + std::to_string(bytes * 8);
  return run_form(
      {form.text + " %p|%q, %x, %y;\n@%p bra yes;\n" + selected(bytes, "!%q") + "\nadd.u" + std::to_string(bytes * 8) +
           " %w, %w, 4;\nbra done;\nyes:\n" + selected(bytes, "!%q") + "\ndone:",
       bytes, bytes, [=](Bits x, Bits y, Bits) { return compared(form, form.type(), x, y) ? Bits{1} : Bits{4}; }});
}

// Joined with the lowest bit of z.
std::string joined(const Named& form) {
  const unsigned bytes = Named::type_bytes(form.type());
  const std::string bits = std::to_string(bytes * 8);
  const std::string how = form.words[2];
  const std::string get = bytes == 2   ? "and.b16 %h1, %z, 1; setp.ne.u16 %q, %h1, 0;\n"
                          : bytes == 4 ? "and.b32 %t1, %z, 1; setp.ne.u32 %q, %t1, 0;\n"
                                       : "and.b64 %a1, %z, 1; setp.ne.u64 %q, %a1, 0;\n";
  return run_form(
      {get + form.text + " %p, %x, %y, %q;\n" + selected(bytes, "%p"), bytes, bytes, [=](Bits x, Bits y, Bits z) {
         const bool a = compared(form, form.type(), x, y);
         const bool b = (z & 1) != 0;
         return Bits{how == "and" ? a && b : how == "or" ? a || b : a != b};
       }});
}

std::string setp_pair(const Named& form) {
  return run_form({form.text + " %p|%q, %x, %y; selp.b32 %w, 1, 0, %p; selp.b32 %t1, 2, 0, %q; or.b32 %w, %w, %t1;", 4,
                   4, [=](Bits x, Bits y, Bits) {
                     return Bits{compared(form, form.type(), x, y)} |
                            Bits{compared(form, form.type(), x >> 16, y >> 16)} << 1;
                   }});
}

Bits truth_of(const std::string& type) {
  if (type == "f32") return 0x3F800000;
  if (type.starts_with("f16")) return 0x3C00;
  if (type.starts_with("bf16")) return 0x3F80;
  return Named::type_bytes(type) == 2 ? 0xFFFF : 0xFFFFFFFF;
}

std::string set(const Named& form) {
  const std::string to = form.types[0];
  const std::string from = form.types[1];
  return run_form({form.text + " %w, %x, %y;", Named::type_bytes(from), Named::type_bytes(to),
                   [=](Bits x, Bits y, Bits) { return compared(form, from, x, y) ? truth_of(to) : Bits{0}; }});
}

std::string set_pair(const Named& form) {
  const std::string from = form.types[1];
  const Bits one = form.types[0].ends_with("x2") ? truth_of(form.types[0]) : 0xFFFF;
  return run_form({form.text + " %w, %x, %y;", 4, 4, [=](Bits x, Bits y, Bits) {
                     return (compared(form, from, x, y) ? one : 0) |
                            (compared(form, from, x >> 16, y >> 16) ? one << 16 : 0);
                   }});
}

std::string selp(const Named& form) {
  const unsigned bytes = Named::type_bytes(form.type());
  const std::string bits = std::to_string(bytes * 8);
  return run_form({"setp.lt.s" + bits + " %p, %z, 0;\n" + form.text + " %w, %x, %y, %p;", bytes, bytes,
                   [bytes](Bits x, Bits y, Bits z) { return (z >> (bytes * 8 - 1) & 1) != 0 ? x : y; }});
}

std::string slct(const Named& form, bool real) {
  const unsigned bytes = Named::type_bytes(form.types[0]);
  const std::string get = bytes == 2   ? "cvt.s32.s16 %t1, %z;"
                          : bytes == 8 ? "cvt.u32.u64 %t1, %z;"
                                       : "mov.b32 %t1, %z;";
  const bool ftz = form.has("ftz");
  return run_form({get + "\n" + form.text + " %w, %x, %y, %t1;", bytes, bytes, [=](Bits x, Bits y, Bits z) {
                     const auto word = static_cast<std::int32_t>(bytes == 2 ? static_cast<std::int16_t>(z) : z);
                     const float number = as<float>(static_cast<std::uint32_t>(word));
                     return (real ? (ftz ? flush(number) : number) >= 0 : word >= 0) ? x : y;
                   }});
}

}  // namespace

void add_comparison_kernels(Kernels& all) {
  for (const char* name : {"setp_bits", "setp_integer", "setp_unsigned", "setp_f32", "setp_f64", "setp_half"})
    all[name] = setp;
  all["setp_joined"] = joined;
  all["setp_pair"] = setp_pair;
  for (const char* name : {"set_integer", "set_float", "set_half"})
    all[name] = set;
  all["set_pair"] = set_pair;
  all["selp"] = selp;
  all["slct_integer"] = [](const Named& f) { return slct(f, false); };
  all["slct_float"] = [](const Named& f) { return slct(f, true); };
}

}  // namespace nvmlab::kernels_test
