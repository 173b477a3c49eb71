// SPDX-License-Identifier: Apache-2.0
// mov, and addresses from one space to another.
#include "tests/unit/kernels/forms/kernels.hpp"

namespace nvmlab::kernels_test {
namespace {

std::string mov(const Named& form) {
  const unsigned bytes = Named::type_bytes(form.type());
  return run_form({form.text + " %w, %x;", bytes, bytes, [](Bits x, Bits, Bits) { return x; }});
}

std::string mov_predicate(const Named& form) {
  return run_form({"setp.lt.s32 %q, %x, %y;\n" + form.text + " %p, %q; selp.b32 %w, 1, 0, %p;", 4, 4,
                   [](Bits x, Bits y, Bits) { return Bits{as<std::int32_t>(x) < as<std::int32_t>(y)}; }});
}

// A variable of each space, or what stands for one: the address of a parameter of the kernel.
std::string variable_of(const std::string& space) {
  if (space.starts_with("shared")) return ".shared .b32 there[512];\n";
  if (space == "local") return ".local .b32 there[4];\n";
  return "";
}

// To generic and back, and the generic address is good to write and to read.
std::string cvta(const Named& form) {
  std::string space = form.words[1] == "to" ? form.words[2] : form.words[1];
  const bool wide = form.type() == "u64";
  const std::string to = std::string("cvta.to.") + space + ".u64";
  const std::string own =
      space == "local" ? "" : "mov.u32 %t1, %tid.x;\nmul.wide.u32 %a0, %t1, 8;\nadd.s64 %a1, %a1, %a0;\n";
  if (!wide) {  // addresses of 32 bits are those in shared memory alone
    const std::string get =
        space.starts_with("shared") || space == "local" ? "mov.u32 %t1, there;" : "mov.u32 %t1, %x;";
    return run_form({variable_of(space) + get + "\n" + form.text + " %t2, %t1; mov.b32 %w, %x;", 4, 4,
                     [](Bits x, Bits, Bits) { return x; }});
  }
  if (variable_of(space).empty()) {
    return run_form({form.text + " %w, %x;", 8, 8, [](Bits x, Bits, Bits) { return x; }});
  }
  return run_form({variable_of(space) + "mov.u64 %a1, there;\n" + own + "cvta." + space +
                       ".u64 %a2, %a1;\nst.u32 [%a2+4], %x;\n" + to + " %a3, %a2;\n" +
                       (form.words[1] == "to" ? form.text + " %a3, %a2;\n" : form.text + " %a2, %a1;\n") + "ld." +
                       space + ".u32 %w, [%a3+4];",
                   4, 4, [](Bits x, Bits, Bits) { return x; }});
}

std::string isspacep(const Named& form) {
  const std::string space = form.words[1];
  const bool shared = space.starts_with("shared");
  return run_form({".shared .b32 there[4];\n.local .b32 here[4];\nmov.u64 %a1, there; cvta.shared.u64 %a1, %a1;\n" +
                       form.text + " %p, %a1; selp.b32 %w, 1, 0, %p;\nmov.u64 %a1, here; cvta.local.u64 %a1, %a1;\n" +
                       form.text + " %p, %a1; selp.b32 %t1, 2, 0, %p; or.b32 %w, %w, %t1;\nld.param.u64 %a1, [w];\n" +
                       form.text + " %p, %a1; selp.b32 %t1, 4, 0, %p; or.b32 %w, %w, %t1;",
                   4, 4, [=](Bits, Bits, Bits) {
                     return Bits{shared ? 1U : space == "local" ? 2U : 4U};
                   }});
}

}  // namespace

void add_move_kernels(Kernels& all) {
  all["mov"] = mov;
  all["mov_predicate"] = mov_predicate;
  all["cvta"] = cvta;
  all["isspacep"] = isspacep;
}

}  // namespace nvmlab::kernels_test
