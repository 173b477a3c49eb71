// SPDX-License-Identifier: Apache-2.0
// f16 and bf16, alone and in pairs.
#include "tests/unit/kernels/forms/reals.hpp"

namespace nvmlab::kernels_test {
namespace {

using Number = std::function<Bits(Bits a, Bits b, Bits c)>;  // of 16 bits each

std::string halves(const Named& form, const std::string& operands, const Number& number,
                   const std::function<bool(Bits, Bits)>& same = nullptr) {
  const bool pair = form.type().ends_with("x2");
  const unsigned bytes = pair ? 4 : 2;
  const auto parts = [same](Bits found, Bits expected) {
    return same(found & 0xFFFF, expected & 0xFFFF) && same(found >> 16, expected >> 16);
  };
  return run_form({form.text + operands, bytes, bytes,
                   [=](Bits x, Bits y, Bits z) {
                     const Bits low = number(x & 0xFFFF, y & 0xFFFF, z & 0xFFFF);
                     return pair ? low | number(x >> 16 & 0xFFFF, y >> 16 & 0xFFFF, z >> 16 & 0xFFFF) << 16 : low;
                   },
                   same ? std::function<bool(Bits, Bits)>(parts) : nullptr});
}

Bits flushed(Bits bits, Small of, bool ftz) {
  return ftz && (bits & (of.mantissa == 10 ? 0x7C00 : 0x7F80)) == 0 ? bits & 0x8000 : bits;
}

std::string sums(const Named& form, const std::string& operands, double (*body)(double a, double b, double c)) {
  const Small of = small_of(form.type());
  const bool ftz = form.has("ftz");
  const bool sat = form.has("sat");
  const bool relu = form.has("relu");
  return halves(form, operands, [=](Bits a, Bits b, Bits c) {
    double value = body(small_value(flushed(a, of, ftz), of), small_value(flushed(b, of, ftz), of),
                        small_value(flushed(c, of, ftz), of));
    if (sat) value = value > 0 ? std::min(value, 1.0) : 0;
    if (relu && value <= 0) value = 0;
    return flushed(small_bits(value, of), of, ftz);
  });
}

std::string extreme(const Named& form, bool less) {
  const Small of = small_of(form.type());
  const bool ftz = form.has("ftz");
  const bool nan = form.has("NaN");
  const bool joined = form.has("xorsign");
  return halves(form, " %w, %x, %y;", [=](Bits a, Bits b, Bits) {
    const Bits minus = joined ? (a ^ b) & 0x8000 : 0;
    double p = small_value(flushed(a, of, ftz), of);
    double q = small_value(flushed(b, of, ftz), of);
    if (joined) p = std::fabs(p), q = std::fabs(q);
    if (std::isnan(p) && std::isnan(q)) return small_bits(NAN, of);
    if (std::isnan(p) || std::isnan(q))
      return nan ? small_bits(NAN, of) : small_bits(std::isnan(p) ? q : p, of) ^ minus;
    const bool first = p == q ? std::signbit(p) == less : (p < q) == less;
    return small_bits(first ? p : q, of) ^ minus;
  });
}

std::string sign(const Named& form) {
  const bool negates = form.opcode() == "neg";
  return halves(form, " %w, %x;", [negates](Bits a, Bits, Bits) { return negates ? a ^ 0x8000 : a & 0x7FFF; });
}

std::string near(const Named& form, double (*body)(double), double part) {
  const Small of = small_of(form.type());
  const bool ftz = form.has("ftz");
  return halves(
      form, " %w, %x;", [=](Bits a, Bits, Bits) { return small_bits(body(small_value(flushed(a, of, ftz), of)), of); },
      [=](Bits found, Bits expected) {
        const double p = small_value(found, of);
        const double q = small_value(expected, of);
        if (std::isnan(q)) return std::isnan(p);
        return p == q || std::fabs(p - q) <= std::max(std::fabs(q) * part, std::exp2(of.least));
      });
}

}  // namespace

void add_half_kernels(Kernels& all) {
  all["add_half"] = [](const Named& f) {
    return sums(f, " %w, %x, %y;", [](double a, double b, double) { return traced(a, 1, b); });
  };
  all["sub_half"] = [](const Named& f) {
    return sums(f, " %w, %x, %y;", [](double a, double b, double) { return traced(a, 1, -b); });
  };
  all["mul_half"] = [](const Named& f) {
    return sums(f, " %w, %x, %y;", [](double a, double b, double) { return a * b; });
  };
  all["fma_half"] = [](const Named& f) { return sums(f, " %w, %x, %y, %z;", traced); };
  all["min_half"] = [](const Named& f) { return extreme(f, true); };
  all["max_half"] = [](const Named& f) { return extreme(f, false); };
  all["sign_half"] = sign;
  all["ex2_half"] = [](const Named& f) {
    return near(
        f, [](double x) { return std::exp2(x); }, f.type().starts_with("b") ? std::exp2(-7) : std::exp2(-9.9));
  };
  all["tanh_half"] = [](const Named& f) {
    return near(
        f, [](double x) { return std::tanh(x); }, f.type().starts_with("b") ? std::exp2(-8) : std::exp2(-10.9));
  };
}

}  // namespace nvmlab::kernels_test
