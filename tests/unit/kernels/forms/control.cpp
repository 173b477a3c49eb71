// SPDX-License-Identifier: Apache-2.0
// Jumps, calls, barriers and fences.
#include "tests/unit/kernels/forms/texts.hpp"

namespace nvmlab::kernels_test {
namespace {

constexpr unsigned kThreads = 96;
using Expected = std::function<std::uint32_t(std::uint32_t thread, const std::vector<std::uint32_t>& x)>;

// %x of each of 96 threads to %w; %i is the thread.
std::string run_block(const std::string& body, const Expected& expected, const std::string& before = "") {
  const std::string text =
      kernel_text(".param .u64 x, .param .u64 w",
                  ".reg .b64 %a, %b, %o, %d<6>;\n.reg .b32 %i, %x, %w, %t<8>;\n.reg .pred %p, %q;\nmov.u32 %i, "
                  "%tid.x;\nmul.wide.u32 %o, %i, 4;\nld.param.u64 %a, [x];\nadd.s64 %a, %a, %o;\nld.param.u64 %b, "
                  "[w];\nadd.s64 %b, %b, %o;\nld.global.u32 %x, [%a];\nmov.u32 %w, 0;\n" +
                      body + "\nst.global.u32 [%b], %w;",
                  before);
  std::vector<std::uint32_t> numbers;
  for (const Bits each : operands_of(31, kThreads))
    numbers.push_back(static_cast<std::uint32_t>(each));
  Buffer<std::uint32_t> x(numbers);
  Buffer<std::uint32_t> w(kThreads, 0xDEAD);
  const std::string told = run_text(text, 1, kThreads, {x.address(), w.address()});
  if (!told.empty()) return told;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    if (w[i] != expected(i, numbers)) return different("thread", i, w[i], expected(i, numbers));
  }
  return "";
}

// As often around a loop as a thread's number says.
std::string bra(const Named& form) {
  return run_block(
      "mov.u32 %t1, 0;\nagain:\nadd.u32 %w, %w, %x;\nadd.u32 %t1, %t1, 1;\nsetp.le.u32 %p, %t1, %i;\n@%p " +
          std::string("bra again;\n") + form.text + " over;\nmov.u32 %w, 1;\nover:",
      [](std::uint32_t i, const auto& x) { return x[i] * (i + 1); });
}

std::string brx(const Named& form) {
  return run_block("rem.u32 %t1, %i, 3;\nways: .branchtargets one, two, three;\n" + form.text +
                       " %t1, ways;\none: add.u32 %w, %x, 1;\nbra done;\ntwo: mul.lo.u32 %w, %x, 7;\nbra done;\nthree: "
                       "not.b32 %w, %x;\ndone:",
                   [](std::uint32_t i, const auto& x) {
                     return i % 3 == 0 ? x[i] + 1 : i % 3 == 1 ? x[i] * 7 : ~x[i];
                   });
}

constexpr const char* kFunctions =
    ".func (.reg .b32 r) twice(.reg .b32 a)\n{\nadd.u32 r, a, a;\nret;\n}\n.func (.reg .b32 r) less(.reg .b32 "
    "a)\n{\nsub.u32 "
    "r, a, 9;\nret;\n}\n";

// By name, and by a pointer that differs from lane to lane.
std::string call(const Named& form) {
  return run_block(
      form.text +
          " (%t1), twice, (%x);\nmov.u64 %d0, twice;\nmov.u64 %d1, less;\nand.b32 %t2, %i, "
          "1;\nsetp.eq.u32 %p, %t2, 0;\nselp.b64 %d0, %d0, %d1, %p;\nshape: .callprototype (.reg .b32 "
          "_) _ (.reg .b32 _);\n" +
          "call (%w), %d0, (%t1), shape;",
      [](std::uint32_t i, const auto& x) { return i % 2 == 0 ? x[i] * 4 : x[i] * 2 - 9; }, kFunctions);
}

std::string ret(const Named& form) {
  const std::string function =
      ".func (.reg .b32 r) half(.reg .b32 a)\n{\n.reg .pred %p;\nmov.u32 r, 5;\nsetp.lt.u32 %p, a, "
      "50;\n@%p " +
      form.text + ";\nmov.u32 r, 6;\n" + form.text + ";\n}\n";
  return run_block(
      "call (%w), half, (%i);", [](std::uint32_t i, const auto&) { return i < 50 ? 5U : 6U; }, function);
}

std::string exit(const Named& form) {
  return run_block("setp.gt.u32 %p, %i, 40;\n@%p " + form.text + ";\nmov.u32 %w, 3;",
                   [](std::uint32_t i, const auto&) { return i > 40 ? 0xDEADU : 3U; });
}

std::string trap(const Named& form) {
  const Module module(kernel_text(
      "", ".reg .pred %p;\n.reg .b32 %t;\nmov.u32 %t, %tid.x;\nsetp.eq.u32 %p, %t, 7;\n@%p " + form.text + ";"));
  const nvmlab_fault fault = module.launch("k", 1, 32);
  const std::string told = fault.message;
  return fault.code == 719 && told.find("thread (7, 0, 0)") != std::string::npos ? "" : "not told: " + told;
}

// Each thread reads what another warp has written.
std::string bar_sync(const Named& form) {
  return run_block(
      ".shared .b32 there[96];\nmov.u32 %t1, there;\nmad.lo.u32 %t2, %i, 4, %t1;\nst.shared.u32 [%t2], %x;\n" +
          form.text + " 0;\nsub.u32 %t3, 95, %i;\nmad.lo.u32 %t2, %t3, 4, %t1;\nld.shared.u32 %w, [%t2];\n" +
          form.text + " 3, 96;",
      [](std::uint32_t i, const auto& x) { return x[95 - i]; });
}

// The first warp arrives and goes on; the others wait for it.
std::string bar_arrive(const Named& form) {
  const std::string wait = form.opcode() == "bar" ? "bar.sync" : "barrier.sync";
  return run_block(
      ".shared .b32 there[96];\nmov.u32 %t1, there;\nmad.lo.u32 %t2, %i, 4, %t1;\nsetp.lt.u32 %p, %i, 32;\n@!%p "
      "bra others;\nst.shared.u32 [%t2], %x;\n" +
          form.text + " 1, 96;\nbra done;\nothers:\n" + wait +
          " 1, 96;\nand.b32 %t3, %i, 31;\nmad.lo.u32 %t2, %t3, 4, %t1;\nld.shared.u32 %w, [%t2];\ndone:",
      [](std::uint32_t i, const auto& x) { return i < 32 ? 0 : x[i % 32]; });
}

std::string bar_red(const Named& form) {
  const bool counts = form.has("popc");
  const std::string use = counts ? form.text + " %w, 2, %p;" : form.text + " %q, 2, !%p;\nselp.b32 %w, 1, 0, %q;";
  return run_block("setp.lt.s32 %p, %x, 0;\n" + use, [&form, counts](std::uint32_t, const auto& x) {
    const auto negative =
        static_cast<std::uint32_t>(std::ranges::count_if(x, [](std::uint32_t each) { return each >> 31 != 0; }));
    if (counts) return negative;
    return form.has("and") ? std::uint32_t{negative == 0} : std::uint32_t{negative < kThreads};
  });
}

std::string barrier_cluster(const Named& form) {
  const bool arrives = form.has("arrive");
  const std::string first = arrives ? form.text : "barrier.cluster.arrive";
  const std::string second = arrives ? "barrier.cluster.wait" : form.text;
  return bar_sync(Named("bar.sync")) +
         run_block(
             ".shared .b32 there[96];\nmov.u32 %t1, there;\nmad.lo.u32 %t2, %i, 4, %t1;\nst.shared.u32 [%t2], %x;\n" +
                 first + ";\n" + second +
                 ";\nsub.u32 %t3, 95, %i;\nmad.lo.u32 %t2, %t3, 4, %t1;\nld.shared.u32 %w, [%t2];",
             [](std::uint32_t i, const auto& x) { return x[95 - i]; });
}

// A message and a flag to another warp, which waits for the flag.
std::string fence(const Named& form) {
  return run_block(
      ".shared .b32 there[2];\nmov.u32 %t1, there;\nsetp.ne.u32 %p, %i, 0;\n@!%p st.shared.u32 [%t1], 0;\nbar.sync "
      "0;\n@%p bra others;\nst.shared.u32 [%t1+4], 77;\n" +
          form.text +
          ";\nst.volatile.shared.u32 [%t1], 1;\nothers:\nsetp.lt.u32 %p, %i, "
          "32;\n@%p bra done;\nwait:\nld.volatile.shared.u32 %t2, [%t1];\nsetp.eq.u32 %q, %t2, 0;\n@%q bra wait;\n" +
          form.text + ";\nld.shared.u32 %w, [%t1+4];\ndone:",
      [](std::uint32_t i, const auto&) { return i < 32 ? 0U : 77U; });
}

std::string mapa(const Named& form) {
  const bool wide = form.type() == "u64";
  const bool shared = form.has("shared::cluster");
  std::string text =
      ".shared .b32 there[96];\nmov.u32 %t1, there;\nmad.lo.u32 %t2, %i, 4, %t1;\nst.shared.u32 [%t2], %x;\n";
  if (!wide)
    return run_block(text + form.text + " %t3, %t2, 0;\nld.shared::cluster.u32 %w, [%t3];",
                     [](std::uint32_t i, const auto& x) { return x[i]; });
  text += "cvt.u64.u32 %d0, %t2;\n" + std::string(shared ? "" : "cvta.shared.u64 %d0, %d0;\n") + form.text +
          " %d1, %d0, 0;\n";
  return run_block(text + (shared ? "ld.shared::cluster.u32" : "ld.u32") + " %w, [%d1];",
                   [](std::uint32_t i, const auto& x) { return x[i]; });
}

std::string getctarank(const Named& form) {
  return run_block("mov.u32 %w, 4;\nmov.u64 %d0, 0;\nmov.u32 %t1, 0;\n" + form.text +
                       (form.type() == "u64" ? " %w, %d0;" : " %w, %t1;"),
                   [](std::uint32_t, const auto&) { return 0U; });
}

// What changes nothing that can be seen.
std::string unseen(const Named& form, const std::string& operands) {
  return run_block(form.text + operands + ";\nadd.u32 %w, %x, 1;",
                   [](std::uint32_t i, const auto& x) { return x[i] + 1; });
}

// What a policy is may not be seen; it goes with an access.
std::string cache_policy(const Named& form) {
  return run_block(form.text + (form.has("range") ? " %d0, [%a], 64, 128;\n" : " %d0, 0.5;\n") +
                       "ld.global.L2::cache_hint.u32 %w, [%a], %d0;\nst.global.L2::cache_hint.u32 [%b], %w, %d0;",
                   [](std::uint32_t i, const auto& x) { return x[i]; });
}

}  // namespace

void add_control_kernels(Kernels& all) {
  all["bra"] = bra;
  all["brx"] = brx;
  all["call"] = call;
  all["ret"] = ret;
  all["exit"] = exit;
  all["trap"] = trap;
  all["bar_sync"] = bar_sync;
  all["bar_arrive"] = bar_arrive;
  all["bar_red"] = bar_red;
  all["barrier_cluster"] = barrier_cluster;
  all["fence"] = fence;
  all["mapa"] = mapa;
  all["getctarank"] = getctarank;
  all["cache_policy"] = cache_policy;
  all["nanosleep"] = [](const Named& f) { return unseen(f, " 20"); };
  all["hints"] = [](const Named& f) { return unseen(f, f.opcode() == "pmevent" ? " 1" : ""); };
  all["prefetch"] = [](const Named& f) {
    return unseen(f, f.opcode() == "discard" || f.opcode() == "applypriority" ? " [%a], 128" : " [%a]");
  };
}

}  // namespace nvmlab::kernels_test
