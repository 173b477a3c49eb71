// SPDX-License-Identifier: Apache-2.0
// What lanes tell each other: whole warps of random numbers.
#include "tests/unit/kernels/forms/texts.hpp"

namespace nvmlab::kernels_test {
namespace {

constexpr unsigned kWarps = 12;
constexpr unsigned kLanes = 32;

struct Lanes {
  Bits x[kLanes];
  Bits y[kLanes];
};
using Expected = std::function<void(const Lanes& in, Bits* out)>;

// The form on %x and %y of 64 bits to %w; its numbers of 32 bits are %x0 and %y0.
std::string run_warps(const std::string& body, const Expected& expected) {
  const std::string text = kernel_text(
      ".param .u64 x, .param .u64 y, .param .u64 w",
      ".reg .b64 %x, %y, %w, %a, %o;\n.reg .b32 %x0, %y0, %w0, %t<8>;\n.reg .pred %p, %q;\nmov.u32 %t0, %ctaid.x;\n"
      "mov.u32 %t1, %tid.x;\nmad.lo.u32 %t0, %t0, 32, %t1;\nmul.wide.u32 %o, %t0, 8;\nld.param.u64 %a, [x];\nadd.s64 "
      "%a, "
      "%a, %o;\nld.global.u64 %x, [%a];\nld.param.u64 %a, [y];\nadd.s64 %a, %a, %o;\nld.global.u64 %y, "
      "[%a];\ncvt.u32.u64 %x0, %x;\ncvt.u32.u64 %y0, %y;\nmov.u32 %w0, 0;\n" +
          body + "\ncvt.u64.u32 %w, %w0;\nld.param.u64 %a, [w];\nadd.s64 %a, %a, %o;\nst.global.u64 [%a], %w;\n");
  const auto numbers = [](std::uint64_t seed) {
    std::vector<Bits> all = operands_of(seed, kWarps * kLanes);
    for (unsigned i = 0; i < kLanes; ++i)
      all[i] = all[0];  // a warp of equal numbers, and one of few
    for (unsigned i = kLanes; i < 2 * kLanes; ++i)
      all[i] %= 3;
    return all;
  };
  Buffer<Bits> x(numbers(21));
  Buffer<Bits> y(numbers(22));
  Buffer<Bits> w(kWarps * kLanes);
  const std::string told = run_text(text, kWarps, kLanes, {x.address(), y.address(), w.address()});
  if (!told.empty()) return told;
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    Lanes in;
    Bits out[kLanes] = {};
    for (unsigned i = 0; i < kLanes; ++i) {
      in.x[i] = x[warp * kLanes + i];
      in.y[i] = y[warp * kLanes + i];
    }
    expected(in, out);
    for (unsigned i = 0; i < kLanes; ++i) {
      const Bits found = w[warp * kLanes + i];
      if (found != (out[i] & 0xFFFFFFFF)) return different("lane", warp * kLanes + i, found, out[i] & 0xFFFFFFFF);
    }
  }
  return "";
}

// In segments of 32, 16 and 8 lanes, with the clamps that compilers write and one between.
std::string shfl(const Named& form) {
  const std::string mode = form.has("up") ? "up" : form.has("down") ? "down" : form.has("bfly") ? "bfly" : "idx";
  const std::string last = form.has("sync") ? ", -1;" : ";";
  for (const unsigned c : {0x1FU, 0x0U, 0x101FU, 0x1000U, 0x181FU, 0x1800U, 0x1807U, 0x1C03U}) {
    const std::string told = run_warps(form.text + " %w0|%p, %x0, %y0, " + std::to_string(c) + last +
                                           "\nand.b32 %w0, %w0, 0x7FFFFFFF;\n@%p or.b32 %w0, %w0, 0x80000000;",
                                       [&](const Lanes& in, Bits* out) {
                                         for (unsigned lane = 0; lane < kLanes; ++lane) {
                                           const auto b = static_cast<int>(in.y[lane] & 31);
                                           const int clamp = static_cast<int>(c & 31);
                                           const int segment = static_cast<int>(c >> 8 & 31);
                                           const int self = static_cast<int>(lane);
                                           const int most = (self & segment) | (clamp & ~segment & 31);
                                           int from = self + b;
                                           bool good = from <= most;
                                           if (mode == "up") from = self - b, good = from >= most;
                                           if (mode == "bfly") from = self ^ b, good = from <= most;
                                           if (mode == "idx")
                                             from = (self & segment) | (b & ~segment & 31), good = from <= most;
                                           out[lane] = (in.x[good ? from : self] & 0x7FFFFFFF) | Bits{good} << 31;
                                         }
                                       });
    if (!told.empty()) return told;
  }
  return "";
}

std::string vote(const Named& form) {
  const bool ballot = form.has("ballot");
  const std::string sync = form.has("sync") ? ", -1" : "";
  return run_warps(
      "setp.gt.s32 %q, %x0, 1;\n" +
          (ballot ? form.text + " %w0, %q" + sync + ";" : form.text + " %p, !%q" + sync + ";\nselp.b32 %w0, 1, 0, %p;"),
      [&](const Lanes& in, Bits* out) {
        Bits yes = 0;
        for (unsigned i = 0; i < kLanes; ++i)
          yes |= Bits{as<std::int32_t>(in.x[i]) > 1} << i;
        Bits result = yes;
        if (form.has("all")) result = yes == 0;
        if (form.has("any")) result = yes != 0xFFFFFFFF;
        if (form.has("uni")) result = yes == 0 || yes == 0xFFFFFFFF;
        std::fill(out, out + kLanes, result);
      });
}

// Among the lanes of one half of the warp, and with few numbers.
std::string match(const Named& form) {
  const bool wide = form.type() == "b64";
  const bool all = form.has("all");
  const std::string value = wide ? "%x" : "%x0";
  return run_warps("and.b32 %t2, %t1, 16; mov.u32 %t3, 0xFFFF; shl.b32 %t3, %t3, %t2;\n" + form.text +
                       (all ? " %w0|%p, " : " %w0, ") + value + ", %t3;\n" + (all ? "@%p xor.b32 %w0, %w0, 0x5A;" : ""),
                   [&](const Lanes& in, Bits* out) {
                     for (unsigned lane = 0; lane < kLanes; ++lane) {
                       const unsigned first = lane & 16;
                       const auto number = [&](unsigned i) { return wide ? in.x[i] : in.x[i] & 0xFFFFFFFF; };
                       Bits same = 0;
                       bool every = true;
                       for (unsigned i = first; i < first + 16; ++i) {
                         same |= Bits{number(i) == number(lane)} << i;
                         every = every && number(i) == number(first);
                       }
                       out[lane] = all ? (every ? (Bits{0xFFFF} << first) ^ 0x5A : 0) : same;
                     }
                   });
}

std::string redux(const Named& form) {
  return run_warps(form.text + " %w0, %x0, -1;", [&](const Lanes& in, Bits* out) {
    const Integer of(form.type());
    s128 result = of.value(in.x[0]);
    for (unsigned i = 1; i < kLanes; ++i) {
      const s128 x = of.value(in.x[i]);
      if (form.has("add")) result += x;
      if (form.has("min")) result = std::min(result, x);
      if (form.has("max")) result = std::max(result, x);
      if (form.has("and")) result &= x;
      if (form.has("or")) result |= x;
      if (form.has("xor")) result ^= x;
    }
    std::fill(out, out + kLanes, static_cast<Bits>(result));
  });
}

// Lanes with an odd number go another way.
std::string activemask(const Named& form) {
  return run_warps("and.b32 %t2, %x0, 1; setp.ne.u32 %p, %t2, 0;\n@%p bra odd;\n" + form.text +
                       " %w0;\nbra done;\nodd:\n" + form.text + " %w0;\nadd.u32 %w0, %w0, 0;\ndone:",
                   [](const Lanes& in, Bits* out) {
                     Bits odd = 0;
                     for (unsigned i = 0; i < kLanes; ++i)
                       odd |= (in.x[i] & 1) << i;
                     for (unsigned i = 0; i < kLanes; ++i)
                       out[i] = (odd >> i & 1) != 0 ? odd : ~odd & 0xFFFFFFFF;
                   });
}

std::string elect(const Named& form) {
  return run_warps(form.text + " %w0|%p, -1;\n@%p add.u32 %w0, %w0, 100;",
                   [](const Lanes&, Bits* out) { out[0] = 100; });
}

// What the other half of the warp has written is there behind it.
std::string bar_warp(const Named& form) {
  return run_warps(
      ".shared .b32 there[32];\nmov.u32 %t2, there;\nmad.lo.u32 %t3, %t1, 4, %t2;\nsetp.lt.u32 %p, %t1, 16;\n"
      "@%p bra low;\nst.shared.u32 [%t3], %x0;\nlow:\n@!%p bra high;\nst.shared.u32 [%t3], %x0;\nhigh:\n" +
          form.text + " -1;\nxor.b32 %t4, %t1, 31;\nmad.lo.u32 %t3, %t4, 4, %t2;\nld.shared.u32 %w0, [%t3];",
      [](const Lanes& in, Bits* out) {
        for (unsigned i = 0; i < kLanes; ++i)
          out[i] = in.x[31 - i];
      });
}

}  // namespace

void add_warp_kernels(Kernels& all) {
  for (const char* name : {"shfl_up", "shfl_down", "shfl_bfly", "shfl_idx"})
    all[name] = shfl;
  all["vote"] = vote;
  all["vote_ballot"] = vote;
  all["match_any"] = match;
  all["match_all"] = match;
  all["redux"] = redux;
  all["redux_logic"] = redux;
  all["activemask"] = activemask;
  all["elect"] = elect;
  all["bar_warp"] = bar_warp;
}

}  // namespace nvmlab::kernels_test
