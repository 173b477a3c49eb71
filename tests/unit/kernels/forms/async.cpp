// SPDX-License-Identifier: Apache-2.0
// cp.async and barriers in memory.
#include "tests/unit/kernels/forms/texts.hpp"

namespace nvmlab::kernels_test {
namespace {

constexpr const char* kRegisters =
    ".reg .b64 %in, %out, %o, %s, %a, %st, %st2;\n.reg .b32 %i, %b, %t<8>, %n;\n.reg .pred %p, %q;\n.shared .align 16 "
    ".b8 "
    "there[1024];\n.shared .align 8 .b64 bar[2];\nmov.u32 %i, %tid.x;\nmul.wide.u32 %o, %i, 16;\nld.param.u64 %in, "
    "[in];\nadd.s64 %a, %in, %o;\nld.param.u64 %out, [out];\nmov.u64 %s, there;\nadd.s64 %s, %s, %o;\n";
constexpr const char* kParameters = ".param .u64 in, .param .u64 out";

constexpr unsigned kThreads = 32;

// 16 bytes of each thread in and out; expected: of a byte by its place.
std::string run_copies(const std::string& body,
                       const std::function<std::uint8_t(unsigned at, std::uint8_t in)>& expected) {
  Buffer<std::uint8_t> in(random_bytes(kThreads * 16, 3));
  Buffer<std::uint8_t> out(kThreads * 16, 0xEE);
  const std::string told =
      run_text(kernel_text(kParameters, std::string(kRegisters) + body), 1, kThreads, {in.address(), out.address()});
  if (!told.empty()) return told;
  for (unsigned at = 0; at < kThreads * 16; ++at) {
    if (out[at] != expected(at, in[at])) return different("byte", at, out[at], expected(at, in[at]));
  }
  return "";
}

constexpr const char* kStoreCopy =
    "ld.shared.v4.u32 {%t0, %t1, %t2, %t3}, [%s];\nadd.s64 %out, %out, %o;\nst.global.v4.u32 [%out], {%t0, %t1, %t2, "
    "%t3};";
constexpr const char* kClear = "st.shared.v4.u32 [%s], {0, 0, 0, 0};\n";

// Of 16 bytes, or of 4 and 8 where the form has them; all, some, or none of them read.
std::string cp_async(const Named& form) {
  const std::string wait = "cp.async.commit_group;\ncp.async.wait_group 0;\n";
  for (const unsigned size : {4U, 8U, 16U}) {
    if (size != 16 && form.has("cg")) continue;
    const std::string text = form.text + " [%s], [%a], " + std::to_string(size);
    std::string told = run_copies(kClear + text + ";\n" + wait + kStoreCopy, [size](unsigned at, std::uint8_t in) {
      return at % 16 < size ? in : std::uint8_t{0};
    });
    if (!told.empty()) return told;
    told = run_copies(
        kClear + std::string("rem.u32 %n, %i, ") + std::to_string(size + 1) + ";\n" + text + ", %n;\n" + wait +
            kStoreCopy,
        [size](unsigned at, std::uint8_t in) { return at % 16 < at / 16 % (size + 1) ? in : std::uint8_t{0}; });
    if (!told.empty()) return told;
    told = run_copies(
        kClear + std::string("and.b32 %n, %i, 1; setp.ne.u32 %p, %n, 0;\n") + text + ", %p;\n" + wait + kStoreCopy,
        [size](unsigned at, std::uint8_t in) { return at % 16 < size && at / 16 % 2 == 0 ? in : std::uint8_t{0}; });
    if (!told.empty()) return told;
  }
  return "";
}

std::string cp_async_groups(const Named& form) {
  return run_copies("cp.async.cg.shared.global [%s], [%a], 16;\ncp.async.commit_group;\n" + form.text +
                        (form.has("wait_group") ? " 0;\n" : ";\n") + "cp.async.wait_all;\n" + kStoreCopy,
                    [](unsigned, std::uint8_t in) { return in; });
}

// A number of each thread: its bits say what was seen.
std::string run_barrier(const std::string& body, const std::function<Bits(unsigned i)>& expected,
                        unsigned threads = kThreads) {
  Buffer<std::uint64_t> in(kThreads * 2);
  Buffer<std::uint64_t> out(kThreads * 2);
  const std::string text =
      kernel_text(kParameters, std::string(kRegisters) + "mov.u32 %b, bar;\nmov.u64 %a, bar;\nmov.u32 %n, 0;\n" + body +
                                   "\nadd.s64 %out, %out, %o;\ncvt.u64.u32 %st, %n;\nst.global.u64 [%out], %st;");
  const std::string told = run_text(text, 1, threads, {in.address(), out.address()});
  if (!told.empty()) return told;
  for (unsigned i = 0; i < threads; ++i) {
    if (out[i * 2] != expected(i)) return different("thread", i, out[i * 2], expected(i));
  }
  return "";
}

// The address as the form takes it: in shared memory, or the generic one.
std::string at(const Named& form) { return form.has_one({"shared", "shared::cta"}) ? "[%b]" : "[%a]"; }
constexpr const char* kGeneric = "cvta.shared.u64 %a, %a;\n";
std::string first_inits(const std::string& count) {
  return std::string(kGeneric) + "setp.eq.u32 %p, %i, 0;\n@%p mbarrier.init.shared.b64 [%b], " + count +
         ";\nbar.sync 0;\n";
}
std::string note(unsigned bit) {  // what %q says goes to a bit of %n
  return "selp.b32 %t7, " + std::to_string(1U << bit) + ", 0, %q;\nor.b32 %n, %n, %t7;\n";
}
std::string is_over(const std::string& parity) {
  return "mbarrier.test_wait.parity.shared.b64 %q, [%b], " + parity + ";\n";
}

// All arrive; the phase is over for whom it was, and not before.
std::string arrivals(const Named& form) {
  return run_barrier(first_inits("32") + is_over("0") + note(0) + "bar.sync 0;\n" + form.text + " %st, " + at(form) +
                         ";\nbar.sync 0;\n" + is_over("0") + note(1) + is_over("1") + note(2),
                     [](unsigned) { return Bits{2}; });
}

std::string init(const Named& form) {
  return run_barrier(
      std::string(kGeneric) + "setp.eq.u32 %p, %i, 0;\n@%p " + form.text + " " + at(form) +
          ", 3;\nbar.sync 0;\nmbarrier.arrive.shared.b64 %st, "
          "[%b];\nmbarrier.pending_count.b64 %n, %st;",
      [](unsigned i) { return 3 - Bits{i} % 3; }, 3);
}

std::string invalidate(const Named& form) {
  return run_barrier(
      first_inits("2") + "@%p " + form.text + " " + at(form) + ";\n@%p " +
          "mbarrier.init.shared.b64 [%b], 1;\nbar.sync 0;\n@%p mbarrier.arrive.shared.b64 _, [%b];\nbar.sync 0;\n" +
          is_over("0") + note(0),
      [](unsigned) { return Bits{1}; });
}

std::string no_complete(const Named& form) {
  return run_barrier(
      first_inits("4") + "@%p " + form.text + " %st, " + at(form) + ", 3;\nbar.sync 0;\n" + is_over("0") + note(0) +
          "bar.sync 0;\n@%p mbarrier.arrive.shared.b64 %st, [%b];\nbar.sync 0;\n" + is_over("0") + note(1),
      [](unsigned) { return Bits{2}; });
}

// One fewer is expected from then on: of two, the second phase ends with one.
std::string drop(const Named& form) {
  return run_barrier(first_inits("2") + "@%p " + form.text + " %st, " + at(form) +
                         ";\n@%p mbarrier.arrive.shared.b64 %st, [%b];\nbar.sync 0;\n" + is_over("0") + note(0) +
                         "bar.sync 0;\n@%p mbarrier.arrive.shared.b64 %st, [%b];\nbar.sync 0;\n" + is_over("1") +
                         note(1),
                     [](unsigned) { return Bits{3}; });
}

// Bytes that are to come hold the phase until they came.
std::string expect(const Named& form) {
  return run_barrier(first_inits("1") + "@%p " + form.text + " %st, " + at(form) + ", 48;\nbar.sync 0;\n" +
                         is_over("0") + note(0) +
                         "bar.sync 0;\n@%p mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%b], 48;\nbar.sync 0;\n" +
                         is_over("0") + note(1),
                     [](unsigned) { return Bits{2}; });
}

std::string bytes(const Named& form) {
  const bool expects = form.has("expect_tx");
  const std::string more = expects ? form.text : "mbarrier.expect_tx.relaxed.cta.shared::cta.b64";
  const std::string done = expects ? "mbarrier.complete_tx.relaxed.cta.shared::cta.b64" : form.text;
  return run_barrier(first_inits("1") + "@%p " + more +
                         " [%b], 16;\n@%p mbarrier.arrive.shared.b64 %st, [%b];\nbar.sync 0;\n" + is_over("0") +
                         note(0) + "bar.sync 0;\n@%p " + done + " [%b], 16;\nbar.sync 0;\n" + is_over("0") + note(1),
                     [](unsigned) { return Bits{2}; });
}

// By the state that an arrival gave, until the last warp has come.
std::string waits(const Named& form) {
  const bool parity = form.has("parity");
  return run_barrier(first_inits("32") + "mbarrier.arrive.shared.b64 %st, [%b];\nwait:\n" + form.text + " %q, " +
                         at(form) + (parity ? ", 0;\n" : ", %st;\n") + "@!%q bra wait;\n" + note(0) +
                         "mbarrier.arrive.shared.b64 %st, [%b];\nwait2:\n" + form.text + " %q, " + at(form) +
                         (parity ? ", 1;\n" : ", %st;\n") + "@!%q bra wait2;\n" + note(1),
                     [](unsigned) { return Bits{3}; });
}

std::string pending(const Named& form) {
  return run_barrier(
      first_inits("9") +
          "@!%p bra none;\nmbarrier.arrive.shared.b64 %st, [%b], 4;\nmbarrier.arrive.shared.b64 %st, [%b];\n" +
          form.text + " %n, %st;\nnone:",
      [](unsigned i) { return i == 0 ? Bits{5} : Bits{0}; });
}

// Without .noinc the arrival is one more than expected, so 32 others end the phase.
std::string arrive_async(const Named& form) {
  const bool counted = form.has("noinc");
  return run_barrier(first_inits("32") + form.text + " " + at(form) + ";\nbar.sync 0;\n" + is_over("0") + note(0) +
                         "bar.sync 0;\n" + (counted ? "" : "mbarrier.arrive.shared.b64 %st, [%b];\n") +
                         "bar.sync 0;\n" + is_over("0") + note(1),
                     [counted](unsigned) { return Bits{counted ? 3U : 2U}; });
}

std::string bulk_in(const Named& form) {
  const bool across = !form.has("global");
  const std::string before =
      "mov.u32 %b, bar;\nsetp.eq.u32 %p, %i, 0;\n@%p mbarrier.init.shared.b64 [%b], 1;\n.shared .align 16 .b8 "
      "here[512];\nmov.u64 %st, "
      "here;\nadd.s64 %st2, %st, %o;\nld.global.v4.u32 {%t0, %t1, %t2, %t3}, [%a];\nst.shared.v4.u32 [%st2], {%t0, "
      "%t1, "
      "%t2, %t3};\nbar.sync 0;\nmov.u64 %st2, there;\n";
  return run_copies(before + "@%p mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%b], 512;\n@%p " +
                        form.text + " [%st2], " + (across ? "[%st]" : "[%in]") +
                        ", 512, [%b];\nwait:\nmbarrier.try_wait.parity.shared::cta.b64 %q, [%b], 0;\n@!%q bra wait;\n" +
                        kStoreCopy,
                    [](unsigned, std::uint8_t in) { return in; });
}

std::string bulk_out(const Named& form) {
  const bool copies = form.has("global");
  const std::string copy = copies ? form.text : "cp.async.bulk.global.shared::cta.bulk_group";
  const std::string then = copies ? "" : "@%p " + form.text + (form.has("wait_group") ? " 0;\n" : ";\n");
  return run_copies(
      "setp.eq.u32 %p, %i, 0;\nld.global.v4.u32 {%t0, %t1, %t2, %t3}, [%a];\nst.shared.v4.u32 [%s], {%t0, %t1, %t2, "
      "%t3};\nbar.sync "
      "0;\nmov.u64 %st, there;\n@%p " +
          copy + " [%out], [%st], 512;\n" + then,
      [](unsigned, std::uint8_t in) { return in; });
}

}  // namespace

void add_async_kernels(Kernels& all) {
  all["cp_async"] = cp_async;
  all["cp_async_groups"] = cp_async_groups;
  all["cp_async_arrive"] = arrive_async;
  all["cp_bulk_in"] = bulk_in;
  all["cp_bulk_out"] = bulk_out;
  all["mbarrier_init"] = init;
  all["mbarrier_inval"] = invalidate;
  all["mbarrier_arrive"] = arrivals;
  all["mbarrier_no_complete"] = no_complete;
  all["mbarrier_drop"] = drop;
  all["mbarrier_expect"] = expect;
  all["mbarrier_bytes"] = bytes;
  all["mbarrier_wait"] = waits;
  all["mbarrier_parity"] = waits;
  all["mbarrier_pending"] = pending;
}

}  // namespace nvmlab::kernels_test
