// SPDX-License-Identifier: Apache-2.0
// What PTX only bounds, within its bounds.
#include "tests/unit/kernels/forms/reals.hpp"

namespace nvmlab::kernels_test {
namespace {

// Within a part of it, or of what is lost near zero.
bool near(double found, double expected, double part, double floor) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected || std::fabs(found) > 3.4e38;
  if (std::isinf(found)) return std::fabs(expected) > 3.4e38;
  return std::fabs(found - expected) <= std::max(std::fabs(expected) * part, floor);
}

std::string approximate(const Named& form, const std::string& operands, double (*body)(double x, double y), double part,
                        double floor) {
  const bool wide = form.type() == "f64";
  const bool ftz = form.has("ftz");
  const unsigned bytes = wide ? 8 : 4;
  constexpr double kTiny = 1.2e-38;  // where numbers may have become zero
  return run_form({form.text + operands, bytes, bytes,
                   [=](Bits x, Bits y, Bits) {
                     if (wide) return bits_of(body(as<double>(x), as<double>(y)));
                     const float a = ftz ? flush(as<float>(x)) : as<float>(x);
                     const float b = ftz ? flush(as<float>(y)) : as<float>(y);
                     return bits_of(static_cast<float>(body(static_cast<double>(a), static_cast<double>(b))));
                   },
                   [=](Bits found, Bits expected) {
                     const auto number = [wide](Bits bits) {
                       return wide ? as<double>(bits) : static_cast<double>(as<float>(bits));
                     };
                     return near(number(found), number(expected), part, std::max(floor, wide ? 0.0 : kTiny));
                   }});
}

constexpr const char* kOne = " %w, %x;";
// sin and cos are good between -pi and pi, and tests keep to it.

std::string angle(const Named& form, double (*body)(double, double)) {
  Named inner = form;
  inner.text = "and.b32 %t1, %x, 0x80FFFFFF; or.b32 %t1, %t1, 0x3E000000;\n" + form.text;
  const auto number = [](Bits x) { return as<float>((x & 0x80FFFFFF) | 0x3E000000); };
  return run_form(
      {inner.text + " %w, %t1;", 4, 4,
       [=](Bits x, Bits, Bits) { return bits_of(static_cast<float>(body(static_cast<double>(number(x)), 0))); },
       [](Bits found, Bits expected) {
         return near(static_cast<double>(as<float>(found)), static_cast<double>(as<float>(expected)), 0,
                     std::exp2(-20.5));
       }});
}

double reciprocal(double x, double) { return 1 / x; }
double inverse_root(double x, double) { return 1 / std::sqrt(x); }

}  // namespace

void add_approximations(Kernels& all) {
  all["div_approx"] = [](const Named& f) {
    return approximate(
        f, " %w, %x, %y;", [](double x, double y) { return x / y; }, std::exp2(-21), 0);
  };
  all["rcp_approx"] = [](const Named& f) { return approximate(f, kOne, reciprocal, std::exp2(-22), 0); };
  all["rcp_approx_f64"] = [](const Named& f) { return approximate(f, kOne, reciprocal, std::exp2(-20), 1e-300); };
  all["sqrt_approx"] = [](const Named& f) {
    return approximate(
        f, kOne, [](double x, double) { return std::sqrt(x); }, std::exp2(-22), 0);
  };
  all["rsqrt_approx"] = [](const Named& f) { return approximate(f, kOne, inverse_root, std::exp2(-22), 0); };
  all["rsqrt_approx_f64"] = [](const Named& f) { return approximate(f, kOne, inverse_root, std::exp2(-20), 0); };
  all["sin_approx"] = [](const Named& f) { return angle(f, [](double x, double) { return std::sin(x); }); };
  all["cos_approx"] = [](const Named& f) { return angle(f, [](double x, double) { return std::cos(x); }); };
  all["ex2_approx"] = [](const Named& f) {
    return approximate(
        f, kOne, [](double x, double) { return std::exp2(x); }, std::exp2(-22), 0);
  };
  all["lg2_approx"] = [](const Named& f) {
    return approximate(
        f, kOne, [](double x, double) { return std::log2(x); }, std::exp2(-22), std::exp2(-22));
  };
  all["tanh_approx"] = [](const Named& f) {
    return approximate(
        f, kOne, [](double x, double) { return std::tanh(x); }, std::exp2(-11), 0);
  };
}

}  // namespace nvmlab::kernels_test
