// SPDX-License-Identifier: Apache-2.0
// Instructions one by one, on random operands and on those at the edges of their types, against C++: bit for bit, where
// PTX says what the bits are.
#include "tests/unit/kernels/forms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

namespace nvmlab::kernels_test {
namespace {

using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;

void expect_all(const std::vector<Form>& forms) {
  for (const Form& each : forms)
    EXPECT_EQ(run_form(each), "") << each.text;
}

template <class T>
T clamped(s128 value) {
  return static_cast<T>(std::clamp<s128>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

TEST(Forms, IntegerArithmetic) {
  expect_all({
      {"add.s32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return x + y; }},
      {"add.u64 %w, %x, %y;", 8, 8, [](Bits x, Bits y, Bits) { return x + y; }},
      {"add.s16 %w, %x, %y;", 2, 2, [](Bits x, Bits y, Bits) { return x + y; }},
      {"sub.u32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return x - y; }},
      {"sub.s64 %w, %x, -5;", 8, 8, [](Bits x, Bits, Bits) { return x + 5; }},
      {"add.sat.s32 %w, %x, %y;", 4, 4,
       [](Bits x, Bits y, Bits) { return bits_of(clamped<s32>(s128{as<s32>(x)} + as<s32>(y))); }},
      {"sub.sat.s32 %w, %x, %y;", 4, 4,
       [](Bits x, Bits y, Bits) { return bits_of(clamped<s32>(s128{as<s32>(x)} - as<s32>(y))); }},
      {"mul.lo.s32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return x * y; }},
      {"mul.lo.u64 %w, %x, %y;", 8, 8, [](Bits x, Bits y, Bits) { return x * y; }},
      {"mul.hi.u32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return x * y >> 32; }},
      {"mul.hi.s32 %w, %x, %y;", 4, 4,
       [](Bits x, Bits y, Bits) { return static_cast<Bits>(s64{as<s32>(x)} * as<s32>(y) >> 32); }},
      {"mul.hi.u64 %w, %x, %y;", 8, 8, [](Bits x, Bits y, Bits) { return static_cast<Bits>(u128{x} * y >> 64); }},
      {"mul.hi.s64 %w, %x, %y;", 8, 8,
       [](Bits x, Bits y, Bits) { return static_cast<Bits>(s128{as<s64>(x)} * as<s64>(y) >> 64); }},
      {"mul.hi.u16 %w, %x, %y;", 2, 2, [](Bits x, Bits y, Bits) { return x * y >> 16; }},
      {"mul.wide.u32 %w, %x, %y;", 4, 8, [](Bits x, Bits y, Bits) { return x * y; }},
      {"mul.wide.s32 %w, %x, %y;", 4, 8, [](Bits x, Bits y, Bits) { return bits_of(s64{as<s32>(x)} * as<s32>(y)); }},
      {"mul.wide.s16 %w, %x, %y;", 2, 4,
       [](Bits x, Bits y, Bits) { return static_cast<Bits>(as<s16>(x) * as<s16>(y)); }},
      {"mad.lo.u32 %w, %x, %y, %z;", 4, 4, [](Bits x, Bits y, Bits z) { return x * y + z; }},
      {"mad.hi.s32 %w, %x, %y, %z;", 4, 4,
       [](Bits x, Bits y, Bits z) { return static_cast<Bits>((s64{as<s32>(x)} * as<s32>(y) >> 32) + as<s32>(z)); }},
      {"mul24.lo.u32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return (x & 0xFFFFFF) * (y & 0xFFFFFF); }},
      {"div.s32 %w, %x, %y;", 4, 4,
       [](Bits x, Bits y, Bits) {
         return as<s32>(y) == 0 ? ~Bits{0} : static_cast<Bits>(s64{as<s32>(x)} / as<s32>(y));
       }},
      {"div.u64 %w, %x, %y;", 8, 8, [](Bits x, Bits y, Bits) { return y == 0 ? ~Bits{0} : x / y; }},
      {"rem.u32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return y == 0 ? x : x % y; }},
      {"rem.s32 %w, %x, %y;", 4, 4,
       [](Bits x, Bits y, Bits) { return as<s32>(y) == 0 ? x : static_cast<Bits>(s64{as<s32>(x)} % as<s32>(y)); }},
      {"min.s32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return bits_of(std::min(as<s32>(x), as<s32>(y))); }},
      {"max.u64 %w, %x, %y;", 8, 8, [](Bits x, Bits y, Bits) { return std::max(x, y); }},
      {"abs.s32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return as<s32>(x) < 0 ? 0 - x : x; }},
      {"neg.s64 %w, %x;", 8, 8, [](Bits x, Bits, Bits) { return 0 - x; }},
      {"sad.u32 %w, %x, %y, %z;", 4, 4, [](Bits x, Bits y, Bits z) { return (x < y ? y - x : x - y) + z; }},
      {"add.cc.u32 %w, %x, %y; addc.u32 %w, 0, 0;", 4, 4, [](Bits x, Bits y, Bits) { return (x + y) >> 32; }},
      {"sub.cc.u32 %w, %x, %y; subc.u32 %w, 0, 0;", 4, 4,
       [](Bits x, Bits y, Bits) { return x < y ? ~Bits{0} : Bits{0}; }},
      {"mad.lo.cc.u32 %w, %x, %y, %z; madc.hi.u32 %w, %x, %y, 0;", 4, 4,
       [](Bits x, Bits y, Bits z) { return (x * y + z) >> 32; }},
      {"dp4a.u32.u32 %w, %x, %y, %z;", 4, 4,
       [](Bits x, Bits y, Bits z) {
         for (int i = 0; i < 32; i += 8)
           z += (x >> i & 255) * (y >> i & 255);
         return z;
       }},
  });
}

TEST(Forms, BitsAndBytes) {
  const auto shift = [](Bits by, unsigned most) { return std::min<Bits>(by & 0xFFFFFFFF, most); };
  expect_all({
      {"and.b32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return x & y; }},
      {"or.b64 %w, %x, %y;", 8, 8, [](Bits x, Bits y, Bits) { return x | y; }},
      {"xor.b16 %w, %x, %y;", 2, 2, [](Bits x, Bits y, Bits) { return x ^ y; }},
      {"not.b32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return ~x; }},
      {"cnot.b32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return Bits{x == 0}; }},
      {"shl.b32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return y > 31 ? 0 : x << y; }},
      {"shr.u32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return y > 31 ? 0 : x >> y; }},
      {"shr.s32 %w, %x, %y;", 4, 4,
       [shift](Bits x, Bits y, Bits) { return static_cast<Bits>(as<s32>(x) >> shift(y, 31)); }},
      {"shf.l.wrap.b32 %w, %x, %y, %z;", 4, 4,
       [](Bits x, Bits y, Bits z) { return ((y << 32 | x) << (z & 31)) >> 32; }},
      {"shf.r.clamp.b32 %w, %x, %y, %z;", 4, 4,
       [shift](Bits x, Bits y, Bits z) { return (y << 32 | x) >> shift(z, 32); }},
      {"popc.b32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return static_cast<Bits>(std::popcount(x)); }},
      {"popc.b64 %w, %x;", 8, 4, [](Bits x, Bits, Bits) { return static_cast<Bits>(std::popcount(x)); }},
      {"clz.b32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return static_cast<Bits>(std::countl_zero(as<u32>(x))); }},
      {"bfind.u32 %w, %x;", 4, 4,
       [](Bits x, Bits, Bits) { return static_cast<Bits>(31 - std::countl_zero(as<u32>(x))); }},
      {"bfind.shiftamt.s32 %w, %x;", 4, 4,
       [](Bits x, Bits, Bits) {
         const u32 v = as<s32>(x) < 0 ? ~as<u32>(x) : as<u32>(x);
         return v == 0 ? ~Bits{0} : static_cast<Bits>(std::countl_zero(v));
       }},
      {"brev.b32 %w, %x;", 4, 4,
       [](Bits x, Bits, Bits) {
         Bits y = 0;
         for (int i = 0; i < 32; ++i)
           y |= (x >> i & 1) << (31 - i);
         return y;
       }},
      {"bfe.u32 %w, %x, 5, 9;", 4, 4, [](Bits x, Bits, Bits) { return x >> 5 & 511; }},
      {"bfe.s32 %w, %x, 28, 9;", 4, 4, [](Bits x, Bits, Bits) { return static_cast<Bits>(as<s32>(x) >> 28); }},
      {"bfe.s64 %w, %x, 8, 8;", 8, 8,
       [](Bits x, Bits, Bits) { return static_cast<Bits>(static_cast<std::int8_t>(x >> 8)); }},
      {"bfi.b32 %w, %x, %y, 4, 8;", 4, 4, [](Bits x, Bits y, Bits) { return (y & ~Bits{0xFF0}) | (x << 4 & 0xFF0); }},
      {"bmsk.clamp.b32 %w, %x, %y;", 4, 4,
       [](Bits x, Bits y, Bits) {
         const Bits ones = y > 31 ? 0xFFFFFFFF : (Bits{1} << y) - 1;
         return x > 31 ? 0 : ones << x;
       }},
      {"szext.wrap.s32 %w, %x, 8;", 4, 4,
       [](Bits x, Bits, Bits) { return static_cast<Bits>(static_cast<std::int8_t>(x)); }},
      {"lop3.b32 %w, %x, %y, %z, 0xE8;", 4, 4, [](Bits x, Bits y, Bits z) { return (x & y) | (y & z) | (x & z); }},
      {"prmt.b32 %w, %x, %y, 0x7610;", 4, 4, [](Bits x, Bits y, Bits) { return (x & 0xFFFF) | (y & 0xFFFF0000); }},
      {"prmt.b32 %w, %x, %y, 0x9180;", 4, 4,
       [](Bits x, Bits, Bits) {
         const auto sign = [](Bits byte) { return (byte & 0x80) != 0 ? Bits{0xFF} : Bits{0}; };
         return (x & 255) | sign(x) << 8 | (x >> 8 & 255) << 16 | sign(x >> 8) << 24;
       }},
      {"mov.b64 %w, {%x, %y};", 4, 8, [](Bits x, Bits y, Bits) { return y << 32 | x; }},
      {"mov.b64 {%w, _}, %x;", 8, 4, [](Bits x, Bits, Bits) { return x; }},
      {"mov.b64 {_, %w}, %x;", 8, 4, [](Bits x, Bits, Bits) { return x >> 32; }},
  });
}

TEST(Forms, ComparisonsAndChoices) {
  const auto number = [](Bits x, Bits y) { return std::pair{as<float>(x), as<float>(y)}; };
  expect_all({
      {"setp.lt.s32 %q, %x, %y; selp.b32 %w, 1, 0, %q;", 4, 4,
       [](Bits x, Bits y, Bits) { return Bits{as<s32>(x) < as<s32>(y)}; }},
      {"setp.hs.u64 %q, %x, %y; selp.b64 %w, %x, %y, %q;", 8, 8, [](Bits x, Bits y, Bits) { return std::max(x, y); }},
      {"setp.eq.f32 %q, %x, %y; selp.b32 %w, 1, 0, %q;", 4, 4,
       [number](Bits x, Bits y, Bits) { return Bits{number(x, y).first == number(x, y).second}; }},
      {"setp.ne.f32 %q, %x, %y; selp.b32 %w, 1, 0, %q;", 4, 4,
       [number](Bits x, Bits y, Bits) {
         const auto [a, b] = number(x, y);
         return Bits{a < b || a > b};
       }},
      {"setp.geu.f32 %q, %x, %y; selp.b32 %w, 1, 0, %q;", 4, 4,
       [number](Bits x, Bits y, Bits) { return Bits{!(number(x, y).first < number(x, y).second)}; }},
      {"setp.nan.f64 %q, %x, %y; selp.b64 %w, 1, 0, %q;", 8, 8,
       [](Bits x, Bits y, Bits) { return Bits{std::isnan(as<double>(x)) || std::isnan(as<double>(y))}; }},
      {"setp.gt.u32 %q, %x, 50; setp.lt.and.u32 %q, %y, 50, %q; selp.b32 %w, 1, 0, %q;", 4, 4,
       [](Bits x, Bits y, Bits) { return Bits{x > 50 && y < 50}; }},
      {"set.gt.u32.s32 %w, %x, %y;", 4, 4,
       [](Bits x, Bits y, Bits) { return as<s32>(x) > as<s32>(y) ? ~Bits{0} : Bits{0}; }},
      {"slct.b32.s32 %w, %x, %y, %z;", 4, 4, [](Bits x, Bits y, Bits z) { return as<s32>(z) >= 0 ? x : y; }},
      {"setp.lt.s32 %q, %x, 0; mov.b32 %w, 7; @%q mov.b32 %w, %y;", 4, 4,
       [](Bits x, Bits y, Bits) { return as<s32>(x) < 0 ? y : Bits{7}; }},
  });
}

constexpr Bits kNan = 0x7FFFFFFF;

Bits single(float value) { return std::isnan(value) ? kNan : bits_of(value); }

template <class Body>
float rounded_to(int mode, Body body) {
  std::fesetround(mode);
  volatile const float value = body();
  std::fesetround(FE_TONEAREST);
  return value;
}

TEST(Forms, FloatingPoint) {
  const auto x32 = [](auto body) {
    return [body](Bits x, Bits y, Bits z) { return single(body(as<float>(x), as<float>(y), as<float>(z))); };
  };
  expect_all({
      {"add.f32 %w, %x, %y;", 4, 4, x32([](float x, float y, float) { return x + y; })},
      {"sub.rn.f32 %w, %x, %y;", 4, 4, x32([](float x, float y, float) { return x - y; })},
      {"mul.f32 %w, %x, %y;", 4, 4, x32([](float x, float y, float) { return x * y; })},
      {"div.rn.f32 %w, %x, %y;", 4, 4, x32([](float x, float y, float) { return x / y; })},
      {"fma.rn.f32 %w, %x, %y, %z;", 4, 4, x32([](float x, float y, float z) { return std::fma(x, y, z); })},
      {"sqrt.rn.f32 %w, %x;", 4, 4, x32([](float x, float, float) { return std::sqrt(x); })},
      {"rcp.rn.f32 %w, %x;", 4, 4, x32([](float x, float, float) { return 1 / x; })},
      {"add.rz.f32 %w, %x, %y;", 4, 4, x32([](float x, float y, float) {
         return rounded_to(FE_TOWARDZERO, [&] {
           volatile float a = x;
           return a + y;
         });
       })},
      {"mul.rp.f32 %w, %x, %y;", 4, 4, x32([](float x, float y, float) {
         return rounded_to(FE_UPWARD, [&] {
           volatile float a = x;
           return a * y;
         });
       })},
      {"add.sat.f32 %w, %x, %y;", 4, 4,
       [](Bits x, Bits y, Bits) {
         const float sum = as<float>(x) + as<float>(y);
         return bits_of(sum > 0 ? std::min(sum, 1.0F) : 0.0F);
       }},
      {"min.f32 %w, %x, %y;", 4, 4, x32([](float x, float y, float) {
         return x == y ? (std::signbit(x) ? x : y) : (std::isnan(x) || y < x) ? y : x;
       })},
      {"max.f32 %w, %x, %y;", 4, 4, x32([](float x, float y, float) {
         return x == y ? (std::signbit(x) ? y : x) : (std::isnan(x) || y > x) ? y : x;
       })},
      {"abs.f32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return x & 0x7FFFFFFF; }},
      {"neg.f32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return x ^ 0x80000000; }},
      {"copysign.f32 %w, %x, %y;", 4, 4, [](Bits x, Bits y, Bits) { return (y & 0x7FFFFFFF) | (x & 0x80000000); }},
      {"add.ftz.f32 %w, %x, 0f00000000;", 4, 4,
       [](Bits x, Bits, Bits) { return (x & 0x7F800000) == 0 ? Bits{0} : single(as<float>(x) + 0.0F); }},
      {"add.f64 %w, %x, 1.0;", 8, 8,
       [](Bits x, Bits, Bits) {
         const double sum = as<double>(x) + 1.0;
         return bits_of(sum);
       }},
      {"mul.f64 %w, %x, %y; setp.nan.f64 %q, %w, %w; selp.b64 %w, 0, %w, %q;", 8, 8,
       [](Bits x, Bits y, Bits) {
         const double product = as<double>(x) * as<double>(y);
         return std::isnan(product) ? Bits{0} : bits_of(product);
       }},
      {"testp.subnormal.f32 %q, %x; selp.b32 %w, 1, 0, %q;", 4, 4,
       [](Bits x, Bits, Bits) { return Bits{std::fpclassify(as<float>(x)) == FP_SUBNORMAL}; }},
  });
}

TEST(Forms, Conversions) {
  const auto to_s32 = [](double value) {
    return std::isnan(value)        ? s32{0}
           : value >= 2147483648.0  ? INT32_MAX
           : value <= -2147483648.0 ? INT32_MIN
                                    : static_cast<s32>(value);
  };
  expect_all({
      {"cvt.u64.u32 %w, %x;", 4, 8, [](Bits x, Bits, Bits) { return x; }},
      {"cvt.s64.s32 %w, %x;", 4, 8, [](Bits x, Bits, Bits) { return bits_of(s64{as<s32>(x)}); }},
      {"cvt.s32.s8 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return static_cast<Bits>(static_cast<std::int8_t>(x)); }},
      {"cvt.u32.u64 %w, %x;", 8, 4, [](Bits x, Bits, Bits) { return x; }},
      {"cvt.s64.s16 %w, %x;", 2, 8, [](Bits x, Bits, Bits) { return bits_of(s64{as<s16>(x)}); }},
      {"cvt.sat.u8.s32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return bits_of(clamped<u8>(as<s32>(x))); }},
      {"cvt.sat.s16.s32 %w, %x;", 4, 2, [](Bits x, Bits, Bits) { return bits_of(clamped<s16>(as<s32>(x))); }},
      {"cvt.rn.f32.s32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return bits_of(static_cast<float>(as<s32>(x))); }},
      {"cvt.rn.f32.u64 %w, %x;", 8, 4, [](Bits x, Bits, Bits) { return bits_of(static_cast<float>(x)); }},
      {"cvt.rn.f64.s64 %w, %x;", 8, 8, [](Bits x, Bits, Bits) { return bits_of(static_cast<double>(as<s64>(x))); }},
      {"cvt.rz.f32.s32 %w, %x;", 4, 4,
       [](Bits x, Bits, Bits) {
         return bits_of(rounded_to(FE_TOWARDZERO, [&] {
           volatile s32 a = as<s32>(x);
           return static_cast<float>(a);
         }));
       }},
      {"cvt.rzi.s32.f32 %w, %x;", 4, 4,
       [to_s32](Bits x, Bits, Bits) { return bits_of(to_s32(std::trunc(as<float>(x)))); }},
      {"cvt.rni.s32.f64 %w, %x;", 8, 4,
       [to_s32](Bits x, Bits, Bits) {
         return std::isnan(as<double>(x)) ? Bits{0x80000000} : bits_of(to_s32(std::nearbyint(as<double>(x))));
       }},
      {"cvt.rmi.f32.f32 %w, %x;", 4, 4, [](Bits x, Bits, Bits) { return single(std::floor(as<float>(x))); }},
      {"cvt.f64.f32 %w, %x; setp.nan.f64 %q, %w, %w; selp.b64 %w, 0, %w, %q;", 4, 8,
       [](Bits x, Bits, Bits) {
         return std::isnan(as<float>(x)) ? Bits{0} : bits_of(static_cast<double>(as<float>(x)));
       }},
      {"cvt.rn.f32.f64 %w, %x;", 8, 4, [](Bits x, Bits, Bits) { return single(static_cast<float>(as<double>(x))); }},
      {"cvt.f32.f16 %w, %x;", 2, 4,
       [](Bits x, Bits, Bits) {
         const int power = static_cast<int>(x >> 10 & 31);
         const auto fraction = static_cast<float>(x & 1023);
         const float size = power == 31 ? (fraction == 0 ? INFINITY : NAN)
                                        : std::ldexp(power == 0 ? fraction : fraction + 1024, std::max(power, 1) - 25);
         return single((x & 0x8000) != 0 ? -size : size);
       }},
      {"cvt.rn.bf16.f32 %w, %x;", 4, 2,
       [](Bits x, Bits, Bits) {
         if (std::isnan(as<float>(x))) return Bits{0x7FFF};
         return (x + 0x7FFF + (x >> 16 & 1)) >> 16;
       }},
  });
}

}  // namespace
}  // namespace nvmlab::kernels_test
