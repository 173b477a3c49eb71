// SPDX-License-Identifier: Apache-2.0
// Several texts of PTX become one module: names meet, those of one text's own do not, and what does not fit is told.
#include <gtest/gtest.h>

#include "tests/unit/kernels/fatbins.hpp"
#include "tests/unit/kernels/harness.hpp"

namespace nvmlab::kernels_test {
namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";
constexpr std::uint32_t kPtxInput = 1;

struct Linked {
  int code = 0;
  std::string message;
  std::string image;
};

Linked link(const std::vector<std::string>& texts, std::uint32_t kind = kPtxInput, std::uint32_t registers = 0) {
  const nvmlab_kernels& table = Module::table();
  nvmlab_linker* const linker = table.start_link(90, 12040, registers);
  Linked made;
  for (std::size_t i = 0; made.code == 0 && i < texts.size(); ++i) {
    const std::string name = std::string(1, static_cast<char>('a' + i)) + ".ptx";
    nvmlab_link_input input{sizeof input, kind, texts[i].data(), texts[i].size(), name.c_str(), {}};
    made.code = table.add_to_link(linker, &input);
    made.message = input.message;
  }
  if (made.code == 0) {
    nvmlab_linked out{sizeof out, nullptr, 0, {}};
    made.code = table.finish_link(linker, &out);
    made.message = out.message;
    if (made.code == 0) made.image.assign(static_cast<const char*>(out.image), out.bytes);
  }
  table.end_link(linker);
  return made;
}

std::string told(const std::vector<std::string>& texts) {
  const Linked made = link(texts);
  return std::to_string(made.code) + ": " + made.message;
}

// A kernel that calls what another text defines, reads its variable, and has a helper of its own with the same name.
const std::string kCaller = kHead + R"(
.extern .func (.param .b32 r) triple(.param .b32 x);
.extern .global .align 4 .u32 offset;
.func (.param .b32 r) helper(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  add.u32 %r2, %r1, 1;
  st.param.b32 [r], %r2;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %r1;
    call (q), triple, (p);
    ld.param.b32 %r2, [q]; }
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %r2;
    call (q), helper, (p);
    ld.param.b32 %r3, [q]; }
  ld.global.u32 %r4, [offset];
  add.u32 %r3, %r3, %r4;
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";
const std::string kCallee = kHead + R"(
.visible .global .align 4 .u32 offset = 1000;
.global .align 4 .u32 own = 3;
.global .align 8 .u64 pointer = own;
.func (.param .b32 r) helper(.param .b32 x) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u32 %r1, [x];
  ld.global.u64 %rd1, [pointer];
  ld.global.u32 %r2, [%rd1];
  mul.lo.u32 %r3, %r1, %r2;
  st.param.b32 [r], %r3;
  ret;
}
.visible .func (.param .b32 r) triple(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %r1;
    call (q), helper, (p);
    ld.param.b32 %r2, [q]; }
  st.param.b32 [r], %r2;
  ret;
}
)";

TEST(Link, NamesMeet) {
  for (const auto& order : {std::vector{kCaller, kCallee}, std::vector{kCallee, kCaller}}) {
    const Linked made = link(order);
    ASSERT_EQ(made.code, 0) << made.message;
    EXPECT_EQ(made.message, "linked for sm_90");
    const Module module(made.image);
    ASSERT_EQ(module.code(), 0) << module.message();
    Buffer<std::uint32_t> out(32);
    const nvmlab_fault fault = module.launch("k", 1, 32, {out.address()});
    ASSERT_EQ(fault.code, 0) << fault.message;
    for (std::uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(out[i], 3 * i + 1 + 1000);
    // What was linked may be linked again.
    EXPECT_EQ(link({made.image}, 0).code, 0);
  }
}

// A limit goes with what was linked, and the least of several counts.
TEST(Link, RegistersAreLimited) {
  std::string text = kHead + ".visible .entry k(.param .u64 out) {\n.reg .u64 %o, %x<60>;\nld.param.u64 %o, [out];\n";
  for (int i = 0; i < 60; ++i)
    text += "ld.global.u64 %x" + std::to_string(i) + ", [%o];\n";
  for (int i = 0; i < 60; ++i)
    text += "st.global.u64 [%o], %x" + std::to_string(i) + ";\n";
  text += "ret;\n}";
  const auto count = [](const std::string& image, std::uint32_t limit) {
    const Module module(image, 90, 0, limit);
    return module.facts("k").registers;
  };
  EXPECT_GT(count(text, 0), 100U);
  EXPECT_EQ(count(text, 57), 57U);
  EXPECT_EQ(count(text, 1), 16U) << "calls want so many";
  EXPECT_EQ(count(text, 1000), count(text, 0));
  const std::string linked = link({text}, kPtxInput, 38).image;
  EXPECT_EQ(count(linked, 0), 38U);
  EXPECT_EQ(count(linked, 57), 38U);
  EXPECT_EQ(count(link({linked}, 2, 57).image, 0), 38U);
  EXPECT_EQ(count(link({linked}, 2, 20).image, 0), 20U);
  std::string bounded = text;
  bounded.insert(bounded.find('{'), ".maxnreg 44 ");
  EXPECT_EQ(count(bounded, 0), 44U);
}

TEST(Link, FatbinsAreInputsToo) {
  const std::string image = fatbin(fatbin_entry(1, 80, 80, packed_by_zstd(kCallee), kPackedByZstd, kCallee.size()));
  EXPECT_EQ(link({image}, 2).code, 0);
  EXPECT_EQ(link({kCallee}, 2).code, 200);
  EXPECT_EQ(link({"\x7F"
                  "ELF"},
                 0)
                .code,
            209);
  EXPECT_EQ(link({"!<arch>"}, 4).code, 209);
}

// numba declares functions of C that return nothing as if they did.
TEST(Link, AResultMayBeDeclaredWhereThereIsNone) {
  const std::string caller = kHead + R"(
.extern .func (.param .b64 r) store(.param .b64 to, .param .b32 x);
.visible .entry k(.param .u64 out) {
  .reg .b64 %o;
  ld.param.u64 %o, [out];
  { .param .b64 p; .param .b32 q; .param .b64 r;
    st.param.b64 [p], %o;
    st.param.b32 [q], 41;
    call (r), store, (p, q);
    ld.param.b64 %o, [r]; }
  ret;
}
)";
  const std::string callee = kHead + R"(
.visible .func store(.param .b64 to, .param .b32 x) {
  .reg .b64 %o;
  .reg .b32 %x;
  ld.param.u64 %o, [to];
  ld.param.u32 %x, [x];
  st.global.u32 [%o], %x;
  ret;
}
)";
  const Linked made = link({caller, callee});
  ASSERT_EQ(made.code, 0) << made.message;
  const Module module(made.image);
  Buffer<std::uint32_t> out(1);
  EXPECT_EQ(module.launch("k", 1, 1, {out.address()}).code, 0);
  EXPECT_EQ(out[0], 41U);
}

TEST(Link, WhatDoesNotFitIsTold) {
  EXPECT_EQ(told({kCaller}), "999: undefined reference to 'triple' in a.ptx; add the input that defines it");
  EXPECT_EQ(told({kCallee, kCallee}),
            "999: 'triple' is defined in a.ptx and in b.ptx; make one of them .extern, or .weak");
  EXPECT_EQ(told({kHead + ".extern .func (.param .b64 r) triple(.param .b32 x);\n", kCallee}),
            "999: 'triple' has other parameters or results in a.ptx than in b.ptx, which defines it");
  EXPECT_EQ(told({kHead + ".extern .func (.param .b32 r) triple(.param .b32 x, .param .b32 y);\n", kCallee}),
            "999: 'triple' has other parameters or results in a.ptx than in b.ptx, which defines it");
  EXPECT_EQ(told({kHead + ".extern .global .align 8 .u64 offset;\n", kCallee}),
            "999: 'offset' has another size or space in a.ptx than in b.ptx, which defines it");
  EXPECT_EQ(told({kHead + ".extern .global .align 8 .u64 nothing;\n"}),
            "999: undefined reference to 'nothing' in a.ptx; add the input that defines it");
  EXPECT_EQ(told({kHead, "no PTX"}).substr(0, 16), "218: b.ptx: ptx:");
  EXPECT_EQ(told({".version 9.0\n.target sm_80\n"}).substr(0, 5), "222: ");
  EXPECT_EQ(told({kHead + ".target sm_100\n"}),
            "218: a.ptx: this PTX is for sm_100, and the device is sm_90; build for that or an older one");
  EXPECT_EQ(told({}), "200: nothing was added to be linked");
}

TEST(Link, WeakDefinitionsGiveWay) {
  const auto constant = [](const std::string& how, int value) {
    return kHead + how + " .func (.param .b32 r) number() { .reg .b32 %r<2>; mov.u32 %r1, " + std::to_string(value) +
           "; st.param.b32 [r], %r1; ret; }\n";
  };
  const std::string user = kHead + R"(
.extern .func (.param .b32 r) number();
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  { .param .b32 q;
    call (q), number, ();
    ld.param.b32 %r1, [q]; }
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
  const auto result = [&](const std::vector<std::string>& texts) {
    const Linked made = link(texts);
    const Module module(made.image);
    Buffer<std::uint32_t> out(1);
    return made.code == 0 && module.launch("k", 1, 1, {out.address()}).code == 0 ? out[0] : 0U;
  };
  EXPECT_EQ(result({constant(".weak", 1), user, constant(".visible", 2)}), 2U);
  EXPECT_EQ(result({constant(".visible", 2), constant(".weak", 1), user}), 2U);
  EXPECT_EQ(result({constant(".weak", 5), constant(".weak", 6), user}), 5U);
}

}  // namespace
}  // namespace nvmlab::kernels_test
