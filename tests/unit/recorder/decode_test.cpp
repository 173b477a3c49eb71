// SPDX-License-Identifier: Apache-2.0
#include "recorder/decode.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

namespace nvmlab::recorder {
namespace {

constexpr Name kColours[] = {{"RED", 1}, {"CRIMSON", 1}, {"GREEN", 2}};
constexpr Names kColour{"colour_t", kColours};

struct Inner {
  unsigned short small;
  int below;
};
struct Outer {
  unsigned int version;
  unsigned int count;
  char text[6];
  unsigned char bytes[3];
  unsigned int colour;
  unsigned int type;
  unsigned long long value;
  Inner list[3];
  double* behind;
  const char* name;
  void* handle;
};

constexpr Field kInnerFields[] = {
    {"small", offsetof(Inner, small), 2, 0, Kind::number, Mask::none, false, kUncounted, 4, nullptr, nullptr},
    {"below", offsetof(Inner, below), 4, 0, Kind::integer, Mask::none, false, kUncounted, kNoSlot, nullptr, nullptr},
};
constexpr Record kInner{"Inner", sizeof(Inner), false, kInnerFields};

class Decode : public testing::Test {
 protected:
  Decode() {
    const Field all[] = {
        {"count", offsetof(Outer, count), 4, 0, Kind::number, Mask::none, false, kUncounted, kNoSlot, nullptr, nullptr},
        {"text", offsetof(Outer, text), 6, 0, Kind::text, Mask::none, false, kUncounted, kNoSlot, nullptr, nullptr},
        {"bytes", offsetof(Outer, bytes), 3, 0, Kind::bytes, Mask::number, false, kUncounted, kNoSlot, nullptr,
         nullptr},
        {"colour", offsetof(Outer, colour), 4, 0, Kind::enumerator, Mask::none, false, kUncounted, kNoSlot, &kColour,
         nullptr},
        {"type", offsetof(Outer, type), 4, 0, Kind::enumerator, Mask::none, false, kUncounted, kNoSlot, &value_types,
         nullptr},
        {"value", offsetof(Outer, value), 8, 0, Kind::value, Mask::none, false, kUncounted, kNoSlot, nullptr, nullptr},
        {"list", offsetof(Outer, list), sizeof(Inner), 3, Kind::record, Mask::none, false, 0, kNoSlot, nullptr,
         &kInner},
        {"behind", offsetof(Outer, behind), 8, 0, Kind::real, Mask::none, true, 0, kNoSlot, nullptr, nullptr},
        {"name", offsetof(Outer, name), 0, 0, Kind::text, Mask::host, true, kUncounted, kNoSlot, nullptr, nullptr},
        {"handle", offsetof(Outer, handle), 8, 0, Kind::handle, Mask::none, false, kUncounted, kNoSlot, nullptr,
         nullptr},
    };
    std::memcpy(static_cast<void*>(fields_), all, sizeof all);
    record_.fields = std::span<const Field>(fields_, std::size(all));
    ObjectPlace gpu;
    gpu.gpu = 5;
    objects_.gpus.push_back({reinterpret_cast<Word>(&record_), gpu});
  }

  std::string shown(const Outer& outer, bool masked = false) {
    Masker masker(masked);
    Decoder decoder(masker, seen_, objects_);
    decoder.begin(2);
    std::string text;
    Json json(text);
    decoder.record(json, record_, reinterpret_cast<const std::byte*>(&outer));
    return text;
  }

  alignas(Field) Field fields_[10]{};
  Record record_{"Outer", sizeof(Outer), false, {}};
  Objects objects_;
  Seen seen_;
};

TEST_F(Decode, AStructIsItsMembers) {
  double behind[] = {1.5, 2.5};
  const Outer outer{9,      2,      "abc",   {1, 2, 255}, 1, 5, 0xFFFFFFFFFFull, {{7, -1}, {8, -2}, {9, -3}},
                    behind, "here", &record_};
  EXPECT_EQ(shown(outer),
            R"({"count":2,"text":"abc","bytes":"0102ff","colour":"RED","type":"NVML_VALUE_TYPE_SIGNED_INT",)"
            R"("value":-1,"list":[{"small":7,"below":-1},{"small":8,"below":-2}],"behind":[1.5,2.5],)"
            R"("name":"here","handle":{"gpu":5}})");
  // What has a slot is remembered, for the GPU at hand.
  EXPECT_EQ(seen_.of(4, 2).size(), 2u);
  EXPECT_TRUE(seen_.of(4, 3).empty());
}

TEST_F(Decode, WhatCannotBeIsShownAsItIs) {
  Outer outer{};
  outer.count = 1000;                    // more than there is room for
  std::memcpy(outer.text, "abcdef", 6);  // without an end
  outer.colour = 77;
  outer.type = 3;
  outer.handle = &outer;
  const std::string text = shown(outer);
  EXPECT_NE(text.find(R"("text":"abcdef")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("colour":77)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("behind":[],"name":null,"handle":null)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"small":0,"below":0},{"small":0,"below":0},{"small":0,"below":0}])"), std::string::npos)
      << text;
}

TEST_F(Decode, IdentifiersAreMasked) {
  Outer outer{};
  outer.bytes[0] = 77;
  outer.name = "somebody's machine";
  const std::string text = shown(outer, true);
  EXPECT_NE(text.find(R"("bytes":"000001")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("name":"host-1")"), std::string::npos) << text;
}

TEST(Code, IsANameOrANumber) {
  for (const auto& [value, name] :
       {std::pair{0, "\"SUCCESS\""}, std::pair{3, "\"NOT_SUPPORTED\""}, std::pair{999, "\"UNKNOWN\""},
        std::pair{4711, "\"4711\""}, std::pair{-1, "\"-1\""}}) {
    std::string text;
    Json json(text);
    code(json, value);
    EXPECT_EQ(text, name);
  }
}

}  // namespace
}  // namespace nvmlab::recorder
