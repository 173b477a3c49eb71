// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/pci/pci_address.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/topics/pci/address_text.hpp"

namespace nvmlab {
namespace {

constexpr PciAddress kUntouched = {0xAAAA, 0xBB, 0x1C, 5};

std::string formatted(const PciAddress& address, std::uint32_t digits) {
  char text[17];
  format_pci_address(address, digits, text);
  return text;
}

TEST(PciAddress, ReadsEverySpellingOfClients) {
  struct Spelling {
    const char* text = "";
    PciAddress address{};
  };
  for (const Spelling& each : {
           Spelling{"00000000:06:00.0", {0, 6, 0, 0}},
           Spelling{"0000:06:00.0", {0, 6, 0, 0}},
           Spelling{"06:00.0", {0, 6, 0, 0}},
           Spelling{"06:00", {0, 6, 0, 0}},
           Spelling{"6:0", {0, 6, 0, 0}},
           Spelling{"0000:06:00", {0, 6, 0, 0}},
           Spelling{"0:6:0.7", {0, 6, 0, 7}},
           Spelling{"0000:bd:1f.1", {0, 0xBD, 0x1F, 1}},
           Spelling{"0000:BD:1F.1", {0, 0xBD, 0x1F, 1}},
           Spelling{"00010000:01:02.3", {0x10000, 1, 2, 3}},
           Spelling{"ffffffff:ff:1f.7", {0xFFFFFFFF, 0xFF, 0x1F, 7}},
       }) {
    PciAddress address = kUntouched;
    EXPECT_TRUE(parse_pci_address(each.text, &address)) << each.text;
    EXPECT_EQ(address, each.address) << each.text;
  }
}

TEST(PciAddress, RefusesWhatIsNone) {
  for (const char* text : {"",
                           ":",
                           "::",
                           ":::",
                           "06",
                           "06:",
                           ":00",
                           "06:00.",
                           "06:00.8",
                           "06:00.00",
                           "06:20",
                           "100:00",
                           "0000:100:00.0",
                           "0000:06:00.0 ",
                           " 0000:06:00.0",
                           "0000:06:00.0x",
                           "g6:00",
                           "06:g0",
                           "0000:06:00:00",
                           "000000000:06:00.0",
                           "0x06:00",
                           "-6:00",
                           "06.00",
                           "GPU-00000000",
                           "0000:06:00.-1"}) {
    PciAddress address{};
    EXPECT_FALSE(parse_pci_address(text, &address)) << "'" << text << "'";
  }
}

std::string characters(const AddressText& text) { return reinterpret_cast<const char*>(text.words); }

// Both writers of addresses agree on every digit.
TEST(PciAddress, TextsOfVerdictsReadAsThoseThatAreFormatted) {
  for (const std::uint32_t number : {0U, 1U, 9U, 0xAU, 0xFU, 0x10U, 0x1FU, 0x9AU, 0xA9U, 0xFFU, 0x1A2B3C4DU, ~0U}) {
    Fact<std::uint32_t> domain{};
    Fact<std::uint32_t> bus{};
    Fact<std::uint32_t> device{};
    domain.set(number);
    bus.set(number & 0xFF);
    device.set(number & 0x1F);
    const PciAddress address{number, number & 0xFF, number & 0x1F, 0};
    EXPECT_EQ(characters(bus_id(domain, bus, device)), formatted(address, 8));
    EXPECT_EQ(characters(legacy_bus_id(domain, bus, device)), formatted(address, 4));
  }
  EXPECT_EQ(characters(bus_id({}, {}, {})), "00000000:00:00.0") << "a field without a value is zero";
}

TEST(PciAddress, WritesUpperCaseWithFourOrEightDigits) {
  EXPECT_EQ(formatted({0, 0xBD, 0x1F, 7}, 4), "0000:BD:1F.7");
  EXPECT_EQ(formatted({0, 0xBD, 0x1F, 7}, 8), "00000000:BD:1F.7");
  EXPECT_EQ(formatted({0x1A2B3C4D, 6, 0, 0}, 8), "1A2B3C4D:06:00.0");
  EXPECT_EQ(formatted({0x12345, 6, 0, 0}, 4), "2345:06:00.0") << "the short form has room for the lower half";
}

TEST(PciAddress, ReadsWhatItWrites) {
  for (const std::uint32_t domain : {0U, 1U, 0xFFFFU, 0x10000U, 0xFFFFFFFFU}) {
    for (std::uint32_t bus = 0; bus < 256; bus += 17) {
      for (std::uint32_t device = 0; device < 32; device += 3) {
        for (std::uint32_t function = 0; function < 8; ++function) {
          const PciAddress address = {domain, bus, device, function};
          PciAddress read{};
          ASSERT_TRUE(parse_pci_address(formatted(address, 8).c_str(), &read));
          ASSERT_EQ(read, address);
        }
      }
    }
  }
}

}  // namespace
}  // namespace nvmlab
