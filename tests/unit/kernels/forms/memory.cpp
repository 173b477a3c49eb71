// SPDX-License-Identifier: Apache-2.0
// ld and st in each space, by each thread at a place of its own.
#include "tests/unit/kernels/forms/texts.hpp"

namespace nvmlab::kernels_test {
namespace {

constexpr unsigned kThreads = 40;  // the second warp is not full
constexpr unsigned kRoom = 16;     // bytes of a thread

std::string space_of(const Named& form) {
  for (const char* each : {"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param"}) {
    if (form.has(each)) return each;
  }
  return "";
}

unsigned count_of(const Named& form) { return form.has("v4") ? 4 : form.has("v2") ? 2 : 1; }

std::string vector_of(const char* name, unsigned count) {
  std::string text = count == 1 ? "" : "{";
  for (unsigned i = 0; i < count; ++i)
    text += std::string(i == 0 ? "" : ", ") + name + std::to_string(i);
  return text + (count == 1 ? "" : "}");
}

// %p: a place of the thread in the space; what it holds first comes from `in`.
std::string place(const std::string& space, bool filled) {
  std::string text;
  if (space.starts_with("shared"))
    text = ".shared .align 16 .b8 there[1024];\nmov.u64 %p, there;\nadd.s64 %p, %p, %o;\n";
  if (space == "local") text = ".local .align 16 .b8 there[16];\nmov.u64 %p, there;\n";
  if (text.empty()) return "add.s64 %p, %in, %o;\n";
  if (!filled) return text;
  return text + "add.s64 %g, %in, %o;\nld.global.v2.u64 {%x, %y}, [%g];\nst." + space + ".u64 [%p], %x;\nst." + space +
         ".u64 [%p+8], %y;\n";
}

constexpr const char* kRegisters =
    ".reg .b64 %p, %in, %out, %o, %g, %x, %y, %v<4>;\n.reg .b32 %t, %f<4>;\n.reg .b16 %h<4>;\n"
    "mov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 16;\nld.param.u64 %in, [a];\nld.param.u64 %out, [b];\n";

Bits extended(const std::string& type, Bits bits) {
  return type[0] == 's' ? static_cast<Bits>(Integer(type).value(bits)) : bits;
}

// Constants and parameters are the same for all threads: those of the first.
std::string ld(const Named& form) {
  const std::string space = space_of(form);
  const std::string& type = form.type();
  const unsigned bytes = Named::type_bytes(type);
  const unsigned count = count_of(form);
  const bool narrow = type == "f32";
  const bool common = space == "const" || space == "param";
  std::string body = kRegisters;
  if (space == "const") body += "mov.u64 %p, there;\n";
  if (!common) body += place(space, true);
  body += form.text + " " + vector_of(narrow ? "%f" : "%v", count) + ", [" + (space == "param" ? "c" : "%p") + "];\n";
  body += "shl.b64 %o, %o, 1;\nadd.s64 %out, %out, %o;\n";
  for (unsigned i = 0; i < count; ++i) {
    if (narrow) body += "cvt.u64.u32 %v" + std::to_string(i) + ", %f" + std::to_string(i) + ";\n";
    body += "st.global.u64 [%out+" + std::to_string(8 * i) + "], %v" + std::to_string(i) + ";\n";
  }
  const Module module(
      kernel_text(".param .u64 a, .param .u64 b, .param .align 16 .b8 c[16]", body, ".const .align 16 .b8 there[16];"));
  if (module.code() != 0 || !module.message().empty()) return module.message();
  Buffer<std::uint8_t> in(random_bytes(kThreads * kRoom, 5));
  Buffer<std::uint64_t> out(kThreads * 4);
  std::memcpy(reinterpret_cast<void*>(module.variable("there").address), &in[0], kRoom);
  const nvmlab_fault fault =
      module.launch("k", 1, kThreads, {in.address(), out.address(), read_bits(&in[0], 8), read_bits(&in[8], 8)});
  if (fault.code != 0) return fault.message;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    for (unsigned i = 0; i < count; ++i) {
      const Bits expected = extended(type, read_bits(&in[(common ? 0 : thread * kRoom) + i * bytes], bytes));
      if (out[thread * 4 + i] != expected) return different("element", i, out[thread * 4 + i], expected);
    }
  }
  return "";
}

// What was in the place of a thread before stays where nothing was written.
std::string st(const Named& form) {
  const std::string space = space_of(form);
  const std::string& type = form.type();
  const unsigned bytes = Named::type_bytes(type);
  const unsigned count = count_of(form);
  const char* const registers = bytes == 8 ? "%v" : bytes == 4 ? "%f" : "%h";
  std::string body = kRegisters;
  body += place(space, true) + "add.s64 %g, %out, %o;\n";
  for (unsigned i = 0; i < count; ++i) {
    const std::string size = std::to_string(std::max(bytes, 2U) * 8);
    body += "ld.global." + std::string(bytes == 1 ? "u8 " : "b" + size + " ") + registers + std::to_string(i) +
            ", [%g+" + std::to_string(i * bytes) + "];\n";
  }
  body += form.text + " [%p], " + vector_of(registers, count) + ";\n";
  for (unsigned i = 0; i < kRoom; i += 8) {
    body += "ld." + (space.empty() ? std::string("global") : space) + ".u64 %x, [%p+" + std::to_string(i) + "];\n";
    body += "st.global.u64 [%g+" + std::to_string(i) + "], %x;\n";
  }
  Buffer<std::uint8_t> in(random_bytes(kThreads * kRoom, 6));
  const std::vector<std::uint8_t> before = random_bytes(kThreads * kRoom, 6);
  const std::vector<std::uint8_t> values = random_bytes(kThreads * kRoom, 7);
  Buffer<std::uint8_t> out(values);
  const std::string told =
      run_text(kernel_text(".param .u64 a, .param .u64 b", body), 1, kThreads, {in.address(), out.address()});
  if (!told.empty()) return told;
  for (unsigned at = 0; at < kThreads * kRoom; ++at) {
    const std::uint8_t expected = at % kRoom < bytes * count ? values[at] : before[at];
    if (out[at] != expected) return different("byte", at, out[at], expected);
  }
  return "";
}

// The argument of a function, written by the caller and read by the function.
std::string st_param(const Named& form) {
  const std::string& type = form.type();
  const unsigned bytes = Named::type_bytes(type);
  const char* const reg = bytes == 8 ? "%x" : bytes == 4 ? "%f0" : "%h0";
  const std::string load = bytes == 1 ? "u8" : "b" + std::to_string(bytes * 8);
  const std::string function = ".func (.param .b64 r) twice(.param ." + type +
                               " q)\n{\n.reg .b64 %v, %s;\n.reg .b32 %f0;\n.reg .b16 %h0;\n" +
                               std::string(type == "f32" ? "ld.param.f32 %f0, [q]; cvt.u64.u32 %v, %f0;\n"
                                                         : "ld.param." + type + " %v, [q];\n") +
                               "st.param.b64 [r], %v;\nret;\n}\n";
  const std::string body = std::string(kRegisters) + "add.s64 %p, %in, %o;\nadd.s64 %g, %out, %o;\nld.global." + load +
                           " " + reg + ", [%p];\n{\n.param ." + type + " q;\n.param .b64 r;\n" + form.text + " [q], " +
                           reg + ";\ncall (r), twice, (q);\nld.param.b64 %y, [r];\n}\nst.global.u64 [%g], %y;\n";
  Buffer<std::uint8_t> in(random_bytes(kThreads * kRoom, 8));
  Buffer<std::uint8_t> out(kThreads * kRoom);
  const std::string told =
      run_text(kernel_text(".param .u64 a, .param .u64 b", body, function), 1, kThreads, {in.address(), out.address()});
  if (!told.empty()) return told;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const Bits expected = extended(type, read_bits(&in[thread * kRoom], bytes));
    const Bits found = read_bits(&out[thread * kRoom], 8);
    if (found != expected) return different("argument", thread, found, expected);
  }
  return "";
}

}  // namespace

void add_memory_kernels(Kernels& all) {
  for (const char* name : {"ld", "ld_cached", "ldu", "ld_ordered"})
    all[name] = ld;
  for (const char* name : {"st", "st_cached", "st_ordered"})
    all[name] = st;
  all["st_param"] = st_param;
}

}  // namespace nvmlab::kernels_test
