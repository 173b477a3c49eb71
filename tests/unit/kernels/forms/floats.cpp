// SPDX-License-Identifier: Apache-2.0
// f32 and f64, bit for bit: by the processor, in the mode of the form.
#include "tests/unit/kernels/forms/reals.hpp"

namespace nvmlab::kernels_test {
namespace {

template <class T>
using Operation = T (*)(T, T, T);

template <class T>
std::string exact(const Named& form, const std::string& operands, Operation<T> body) {
  const int mode = mode_of(form);
  const bool ftz = form.has("ftz");
  const bool sat = form.has("sat");
  return run_form({form.text + operands, sizeof(T), sizeof(T),
                   [=](Bits x, Bits y, Bits z) {
                     T p = as<T>(x);
                     T q = as<T>(y);
                     T r = as<T>(z);
                     if constexpr (sizeof(T) == 4) {
                       if (ftz) p = flush(p), q = flush(q), r = flush(r);
                     }
                     T result = in_mode(mode, [&] {
                       volatile T a = p;
                       volatile T b = q;
                       volatile T c = r;
                       volatile T kept = body(a, b, c);
                       return T{kept};
                     });
                     if constexpr (sizeof(T) == 4) {
                       if (ftz) result = flush(result);
                     }
                     if (sat) result = result > 0 ? std::min<T>(result, 1) : T{0};
                     return bits_of_real(result);
                   },
                   sizeof(T) == 8 ? std::function<bool(Bits, Bits)>(same_double) : nullptr});
}

template <class T>
std::string two(const Named& form, Operation<T> body) {
  return exact<T>(form, " %w, %x, %y;", body);
}
template <class T>
std::string one(const Named& form, Operation<T> body) {
  return exact<T>(form, " %w, %x;", body);
}
template <class T>
std::string three(const Named& form) {
  return exact<T>(form, " %w, %x, %y, %z;", [](T a, T b, T c) { return std::fma(a, b, c); });
}

template <class T>
T chosen(T a, T b, bool less) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  if (a == b) return std::signbit(a) == less ? a : b;
  return (a < b) == less ? a : b;
}

template <class T>
std::string extreme(const Named& form, bool less) {
  const bool ftz = form.has("ftz");
  const bool nan = form.has("NaN");
  const bool joined = form.has("xorsign");
  return run_form({form.text + " %w, %x, %y;", sizeof(T), sizeof(T),
                   [=](Bits x, Bits y, Bits) {
                     T a = as<T>(x);
                     T b = as<T>(y);
                     if constexpr (sizeof(T) == 4) {
                       if (ftz) a = flush(a), b = flush(b);
                     }
                     const bool minus = std::signbit(a) != std::signbit(b);
                     if (joined) a = std::fabs(a), b = std::fabs(b);
                     T result = nan && (std::isnan(a) || std::isnan(b)) ? static_cast<T>(NAN) : chosen(a, b, less);
                     if (joined && minus) result = -result;
                     return bits_of_real(result);
                   },
                   sizeof(T) == 8 ? std::function<bool(Bits, Bits)>(same_double) : nullptr});
}

// Signs alone; .ftz makes zeros of subnormal numbers.
std::string sign(const Named& form) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Bits top = Bits{1} << (bytes * 8 - 1);
  const bool negates = form.opcode() == "neg";
  const bool ftz = form.has("ftz");
  return run_form({form.text + " %w, %x;", bytes, bytes, [=](Bits x, Bits, Bits) {
                     if (ftz && (x & 0x7F800000) == 0) x &= top;
                     return negates ? x ^ top : x & ~top;
                   }});
}

std::string copysign(const Named& form) {
  const unsigned bytes = Named::type_bytes(form.type());
  const Bits top = Bits{1} << (bytes * 8 - 1);
  return run_form(
      {form.text + " %w, %x, %y;", bytes, bytes, [top](Bits x, Bits y, Bits) { return (y & ~top) | (x & top); }});
}

std::string testp(const Named& form) {
  const bool wide = form.type() == "f64";
  const std::string what = form.words[1];
  const auto is = [what](auto value) {
    const int kind = std::fpclassify(value);
    if (what == "finite") return kind != FP_NAN && kind != FP_INFINITE;
    if (what == "infinite") return kind == FP_INFINITE;
    if (what == "number") return kind != FP_NAN;
    if (what == "notanumber") return kind == FP_NAN;
    if (what == "normal") return kind == FP_NORMAL || kind == FP_ZERO;
    return kind == FP_SUBNORMAL;
  };
  const unsigned bytes = wide ? 8 : 4;
  return run_form({form.text + " %p, %x; selp.b" + std::to_string(bytes * 8) + " %w, 1, 0, %p;", bytes, bytes,
                   [=](Bits x, Bits, Bits) { return Bits{wide ? is(as<double>(x)) : is(as<float>(x))}; }});
}

template <class T>
T sum(T a, T b, T) {
  return a + b;
}
template <class T>
T difference(T a, T b, T) {
  return a - b;
}
template <class T>
T product(T a, T b, T) {
  return a * b;
}
template <class T>
T quotient(T a, T b, T) {
  return a / b;
}
template <class T>
T root(T a, T, T) {
  return std::sqrt(a);
}
template <class T>
T reciprocal(T a, T, T) {
  return T{1} / a;
}

}  // namespace

void add_float_kernels(Kernels& all) {
  all["add_f32"] = [](const Named& f) { return two<float>(f, sum); };
  all["sub_f32"] = [](const Named& f) { return two<float>(f, difference); };
  all["mul_f32"] = [](const Named& f) { return two<float>(f, product); };
  all["fma_f32"] = three<float>;
  all["mad_f32"] = three<float>;
  all["arithmetic_f64"] = [](const Named& f) {
    return two<double>(f, f.opcode() == "add"   ? sum<double>
                          : f.opcode() == "sub" ? difference<double>
                                                : product<double>);
  };
  all["fma_f64"] = three<double>;
  all["div_f32"] = [](const Named& f) { return two<float>(f, quotient); };
  all["div_f64"] = [](const Named& f) { return two<double>(f, quotient); };
  all["rcp_f32"] = [](const Named& f) { return one<float>(f, reciprocal); };
  all["rcp_f64"] = [](const Named& f) { return one<double>(f, reciprocal); };
  all["sqrt_f32"] = [](const Named& f) { return one<float>(f, root); };
  all["sqrt_f64"] = [](const Named& f) { return one<double>(f, root); };
  all["min_f32"] = [](const Named& f) { return extreme<float>(f, true); };
  all["max_f32"] = [](const Named& f) { return extreme<float>(f, false); };
  all["extremes_f64"] = [](const Named& f) { return extreme<double>(f, f.opcode() == "min"); };
  all["sign_f32"] = sign;
  all["sign_f64"] = sign;
  all["copysign"] = copysign;
  all["testp"] = testp;
}

}  // namespace nvmlab::kernels_test
