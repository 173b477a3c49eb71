// SPDX-License-Identifier: Apache-2.0
// cvt between integers, real numbers and their pairs.
#include "tests/unit/kernels/forms/reals.hpp"

namespace nvmlab::kernels_test {
namespace {

std::string converted(const Named& form, const std::function<Bits(Bits)>& body,
                      const std::function<bool(Bits, Bits)>& same = nullptr) {
  return run_form({form.text + " %w, %x;", Named::register_bytes(form.types[1]), Named::register_bytes(form.types[0]),
                   [body](Bits x, Bits, Bits) { return body(x); }, same});
}

std::string integers(const Named& form) {
  const Integer to(form.types[0]);
  const Integer from(form.types[1]);
  const bool sat = form.has("sat");
  return converted(form, [=](Bits x) {
    const s128 value = from.value(x);
    return static_cast<Bits>(sat ? std::clamp(value, to.least(), to.most()) : to.value(static_cast<Bits>(value)));
  });
}

bool is_small(const std::string& type) { return type == "f16" || type == "bf16"; }

// As a double, which holds every number of the narrower types.
double real(const std::string& type, Bits x, bool ftz = false) {
  if (type == "f64") return as<double>(x);
  if (type == "f32") return static_cast<double>(ftz ? flush(as<float>(x)) : as<float>(x));
  return small_value(x & 0xFFFF, small_of(type));
}

template <class T>
Bits rounded_integer(const Integer& from, Bits x, int mode) {
  return in_mode(mode, [&] {
    if (from.is_signed) {
      volatile std::int64_t value = static_cast<std::int64_t>(from.value(x));
      volatile T result = static_cast<T>(value);
      return bits_of(T{result});
    }
    volatile std::uint64_t value = static_cast<std::uint64_t>(from.value(x));
    volatile T result = static_cast<T>(value);
    return bits_of(T{result});
  });
}

std::string to_float(const Named& form) {
  const std::string to = form.types[0];
  const Integer from(form.types[1]);
  const int mode = mode_of(form);
  return converted(form, [=](Bits x) {
    if (to == "f32") return rounded_integer<float>(from, x, mode);
    if (to == "f64") return rounded_integer<double>(from, x, mode);
    s128 value = from.value(x);
    // Far beyond f16's range all numbers are alike; what is left is exact in a double.
    value = std::clamp<s128>(value, -(s128{1} << 40), s128{1} << 40);
    return small_bits(static_cast<double>(value), kF16, mode);
  });
}

std::string to_integer(const Named& form) {
  const Integer to(form.types[0]);
  const std::string from = form.types[1];
  const int mode = mode_of(form);
  const bool ftz = form.has("ftz");
  return converted(form, [=](Bits x) {
    const double value = real(from, x, ftz);
    // No number: 0, but the highest bit alone where either has 64 bits.
    if (std::isnan(value))
      return from == "f64" || to.bits == 64 ? static_cast<Bits>(to.value(Bits{1} << (to.bits - 1))) : Bits{0};
    const double whole = in_mode(mode, [&] {
      volatile double kept = value;
      return std::nearbyint(kept);
    });
    const double bounded = std::clamp(whole, -std::exp2(80), std::exp2(80));
    return static_cast<Bits>(std::clamp(static_cast<s128>(bounded), to.least(), to.most()));
  });
}

Bits bits_of_type(const std::string& type, double value) {
  return type == "f64" ? bits_of(value) : bits_of_real(static_cast<float>(value));
}

std::string integral(const Named& form) {
  const std::string type = form.types[0];
  const int mode = mode_of(form);
  const bool ftz = form.has("ftz");
  const bool sat = form.has("sat");
  return converted(
      form,
      [=](Bits x) {
        double value = in_mode(mode, [&] {
          volatile double kept = real(type, x, ftz);
          return std::nearbyint(kept);
        });
        if (sat) value = value > 0 ? std::min(value, 1.0) : 0.0;
        return bits_of_type(type, value);
      },
      type == "f64" ? same_double : static_cast<bool (*)(Bits, Bits)>(nullptr));
}

std::string wider(const Named& form) {
  const std::string to = form.types[0];
  const bool sat = form.has("sat");
  const bool ftz = form.has("ftz");
  return converted(
      form,
      [=](Bits x) {
        double value = real(form.types[1], x, ftz);
        if (sat) value = value > 0 ? std::min(value, 1.0) : 0.0;
        return bits_of_type(to, value);
      },
      to == "f64" ? same_double : static_cast<bool (*)(Bits, Bits)>(nullptr));
}

std::string narrower(const Named& form) {
  const std::string to = form.types[0];
  const int mode = mode_of(form);
  const bool sat = form.has("sat");
  const bool relu = form.has("relu");
  const bool ftz = form.has("ftz");
  return converted(form, [=](Bits x) {
    double value = real(form.types[1], x);
    if (sat) value = value > 0 ? std::min(value, 1.0) : 0.0;
    if (relu && value <= 0) value = 0;
    if (is_small(to)) return small_bits(value, small_of(to), mode);
    const float narrow = in_mode(mode, [&] {
      volatile double kept = value;
      volatile float result = static_cast<float>(kept);
      return float{result};
    });
    return bits_of_real(ftz ? flush(narrow) : narrow);
  });
}

Bits kept_finite(Bits bits, Small of, bool finite) {
  const Bits infinity = small_bits(INFINITY, of);
  return finite && (bits & (infinity | ((Bits{1} << of.mantissa) - 1))) == infinity ? bits - 1 : bits;
}

std::string pair(const Named& form) {
  const Small of = small_of(form.types[0]);
  const int mode = mode_of(form);
  const bool relu = form.has("relu");
  const bool finite = form.has("satfinite");
  const auto half = [=](Bits x) {
    const double value = real("f32", x);
    return kept_finite(small_bits(relu && value <= 0 ? 0 : value, of, mode), of, finite);
  };
  return run_form({form.text + " %w, %x, %y;", 4, 4, [=](Bits x, Bits y, Bits) { return half(x) << 16 | half(y); }});
}

std::string tensor(const Named& form) {
  const int mode = mode_of(form);
  const bool away = form.has("rna");
  const bool relu = form.has("relu");
  const bool finite = form.has("satfinite");
  return run_form({form.text + " %w, %x;", 4, 4, [=](Bits x, Bits, Bits) {
                     const double value = real("f32", x);
                     const Bits bits = small_bits(relu && value <= 0 ? 0 : value, kTf32, mode, away);
                     return kept_finite(bits, kTf32, finite) << 13;
                   }});
}

// e4m3 has no infinity, and of what would be one all numbers but one.
double byte_value(const std::string& type, Bits bits) {
  const bool e5 = type == "e5m2x2";
  const int mantissa = e5 ? 2 : 3;
  const int power = static_cast<int>((bits & 0x7F) >> mantissa);
  const double fraction = static_cast<double>(bits & ((1U << mantissa) - 1)) / (1 << mantissa);
  const int bias = e5 ? 15 : 7;
  double size = power == 0 ? fraction * std::exp2(1 - bias) : (1 + fraction) * std::exp2(power - bias);
  if (e5 && power == 31) size = fraction == 0 ? INFINITY : NAN;
  if (!e5 && (bits & 0x7F) == 0x7F) size = NAN;
  return (bits & 0x80) != 0 ? -size : size;
}

Bits byte_of(const std::string& type, double value) {
  if (std::isnan(value)) return 0x7F;
  const Bits largest = type == "e5m2x2" ? 0x7B : 0x7E;
  const Bits sign = std::signbit(value) ? 0x80 : 0;
  const double size = std::fabs(value);
  for (Bits low = 0; low < largest; ++low) {
    const double below = byte_value(type, low);
    const double above = byte_value(type, low + 1);
    if (size > above) continue;
    const bool up = size - below > above - size || (size - below == above - size && (low & 1) != 0);
    return sign | (up ? low + 1 : low);
  }
  return sign | largest;
}

std::string to_bytes(const Named& form) {
  const std::string to = form.types[0];
  const bool relu = form.has("relu");
  const auto byte = [=](double value) { return byte_of(to, relu && value <= 0 ? 0 : value); };
  if (form.types[1] == "f32") {
    return run_form({form.text + " %h1, %x, %y; cvt.u32.u16 %w, %h1;", 4, 4,
                     [=](Bits x, Bits y, Bits) { return byte(real("f32", x)) << 8 | byte(real("f32", y)); }});
  }
  return run_form({form.text + " %h1, %x; cvt.u32.u16 %w, %h1;", 4, 4,
                   [=](Bits x, Bits, Bits) { return byte(real("f16", x >> 16)) << 8 | byte(real("f16", x)); }});
}

std::string from_bytes(const Named& form) {
  const std::string from = form.types[1];
  const bool relu = form.has("relu");
  const auto half = [=](Bits x) {
    const double value = byte_value(from, x & 0xFF);
    return small_bits(relu && value <= 0 ? 0 : value, kF16);
  };
  return run_form({form.text + " %w, %x;", 2, 4, [=](Bits x, Bits, Bits) { return half(x >> 8) << 16 | half(x); }});
}

}  // namespace

void add_conversion_kernels(Kernels& all) {
  all["cvt_integers"] = integers;
  all["cvt_sat"] = integers;
  all["cvt_to_float"] = to_float;
  all["cvt_to_integer"] = to_integer;
  all["cvt_integral"] = integral;
  all["cvt_wider"] = wider;
  all["cvt_narrower"] = narrower;
  all["cvt_pair"] = pair;
  all["cvt_tf32"] = tensor;
  all["cvt_to_bytes"] = to_bytes;
  all["cvt_from_bytes"] = from_bytes;
}

}  // namespace nvmlab::kernels_test
