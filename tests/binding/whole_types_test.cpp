// SPDX-License-Identifier: Apache-2.0
// What a type of values should be able to do: quantities reckon, are compared, streamed and formatted; enumerations and
// structs are told and hashed; objects and UUIDs are keys. Over all of them, as nvmlgen names them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "nvmlab/nvml.hpp"
#include "nvmlab/nvml/fmt.hpp"
#include "nvmlab/nvml/hash.hpp"
#include "nvmlab/nvml/json.hpp"
#include "tests/binding/generated/reflected.hpp"
#include "tests/binding/support/fake_objects.hpp"
#include "tests/binding/support/simulated.hpp"

#if __has_include(<format>)
#include <format>
#endif
#ifdef __cpp_lib_format
#include "nvmlab/nvml/format.hpp"
#endif

namespace nvml {
namespace {

using nvmlab::binding_test::device_of;

template <class T>
std::string streamed(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}
#ifdef __cpp_lib_format
template <class T>
void expect_formatted(const T& value, const std::string& text) {
  EXPECT_EQ(std::format("{}", value), text);
}
#else
template <class T>
void expect_formatted(const T& /*value*/, const std::string& /*text*/) {}
#endif

template <class A, class B>
concept comparable = requires(A a, B b) {
  a < b;
  a == b;
  a + b;
  a - b;
};

TEST(WholeTypes, QuantitiesReckonAndAreTold) {
  unsigned count = 0;
  for_each_quantity([&]<class Q>(std::string_view name) {
    SCOPED_TRACE(name);
    using Number = typename Q::number;
    constexpr Q kThree{3};
    EXPECT_EQ(Number{2} * kThree, Q{6});
    EXPECT_EQ(kThree * Number{2}, Q{6});
    EXPECT_EQ(Q{6} / Number{2}, kThree);
    EXPECT_EQ((0.5 * kThree).count(), 1.5);
    EXPECT_EQ((kThree * 0.5F).count(), 1.5);
    EXPECT_EQ((kThree / 2.0).count(), 1.5);
    EXPECT_EQ(Q{6} / kThree, 2.0);
    EXPECT_EQ(kThree + kThree, Q{6});
    EXPECT_EQ((kThree - Q{5}).count(), -2);
    EXPECT_LT(kThree, Q{5});
    EXPECT_EQ(quantity_cast<Q>(kThree * 1.5), Q{5}) << "4.5 is rounded";
    const std::string text = "3 " + std::string{unit_symbol<Q>()};
    EXPECT_FALSE(unit_symbol<Q>().empty());
    EXPECT_EQ(to_string(kThree), text);
    EXPECT_EQ(streamed(kThree), text);
    EXPECT_EQ(fmt::format("{}", kThree), text);
    EXPECT_EQ(fmt::format("{:>3}", kThree), "  " + text);
    expect_formatted(kThree, text);
    EXPECT_EQ(to_json(kThree), fmt::format(R"({{"value":3,"unit":"{}"}})", unit_symbol<Q>()));
    EXPECT_EQ(std::hash<Q>{}(kThree), std::hash<Q>{}(Q{3}));
    ++count;
  });
  EXPECT_GE(count, 18U);
  std::cout << count << " quantities\n";
}

// Each with each: those of one measure agree, also where the one counts thousands of the other; all others do not mix.
TEST(WholeTypes, QuantitiesOfOneMeasureMix) {
  unsigned related = 0;
  unsigned strange = 0;
  for_each_quantity([&]<class A>(std::string_view first) {
    for_each_quantity([&]<class B>(std::string_view second) {
      SCOPED_TRACE(std::string{first} + " and " + std::string{second});
      using Mine = unit::Measure<typename A::unit>;
      using Theirs = unit::Measure<typename B::unit>;
      constexpr bool kRelated = std::is_same_v<typename Mine::smallest, typename Theirs::smallest>;
      static_assert(comparable<A, B> == kRelated);
      if constexpr (kRelated && !std::is_same_v<A, B>) {
        ++related;
        constexpr auto kLargest = std::max(Mine::factor, Theirs::factor);
        const A a{static_cast<typename A::number>(kLargest / Mine::factor)};
        const B b{static_cast<typename B::number>(kLargest / Theirs::factor)};
        EXPECT_EQ(a, b);
        EXPECT_EQ((a - b).count(), 0);
        EXPECT_EQ(a + b, b + a);
        EXPECT_EQ(quantity_cast<B>(a), b);
        EXPECT_FALSE(a < b);
      } else if constexpr (!kRelated) {
        ++strange;
      }
    });
  });
  EXPECT_GE(related, 12U);
  std::cout << related << " pairs mix, " << strange << " do not\n";
}

TEST(WholeTypes, EnumerationsAreToldByName) {
  unsigned enums = 0;
  unsigned values = 0;
  for_each_enum([&]<class Enum>(std::string_view type, unsigned expected) {
    SCOPED_TRACE(type);
    ASSERT_EQ(enumerators<Enum>().size(), expected);
    for (const Enum each : enumerators<Enum>()) {
      const std::string name{name_of(each)};
      EXPECT_EQ(to_string(each), name);
      EXPECT_EQ(streamed(each), name);
      EXPECT_EQ(from_name<Enum>(name), each);
      EXPECT_EQ(fmt::format("{}", each), name);
      expect_formatted(each, name);
      EXPECT_EQ(std::hash<Enum>{}(each), std::hash<Enum>{}(each));
      if constexpr (is_flag<Enum>) {
        EXPECT_EQ(std::hash<Flags<Enum>>{}(each), std::hash<Flags<Enum>>{}(Flags<Enum>{each}));
        EXPECT_EQ(streamed(Flags<Enum>{each}), to_string(Flags<Enum>{each}));
      }
      ++values;
    }
    ++enums;
  });
  EXPECT_EQ(from_name<ClockType>("no clock"), std::nullopt);
  EXPECT_EQ(from_name<ClockType>(""), std::nullopt);
  std::cout << enums << " enumerations with " << values << " values\n";
}

TEST(WholeTypes, StructsAreKeysAndJson) {
  unsigned structs = 0;
  for_each_struct([&]<class T>(std::string_view type, unsigned) {
    SCOPED_TRACE(type);
    const std::unordered_set<T> once{T{}, T{}};
    EXPECT_EQ(once.size(), 1U) << "equal ones have equal hashes";
    EXPECT_FALSE(to_json(T{}).empty());
    ++structs;
  });
  std::cout << structs << " structs\n";
  EXPECT_NE(std::hash<ProcessInfo>{}(ProcessInfo{.pid = 1}), std::hash<ProcessInfo>{}(ProcessInfo{.pid = 2}));
  EXPECT_NE(std::hash<Memory>{}(Memory{.used = Bytes{1}}), std::hash<Memory>{}(Memory{.free = Bytes{1}}));
}

TEST(WholeTypes, ObjectsAreKeys) {
  const Library library = nvmlab::binding_test::open_simulated();
  const auto devices = library.devices();
  std::unordered_map<Device, std::string> names;
  for (const Device& device : devices)
    names[device] = device.uuid().value();
  EXPECT_EQ(names.size(), devices.size());
  EXPECT_EQ(names.at(library.device(1).value()), devices[1].uuid()) << "the same handle of the same library";
  Fake one;
  Fake other;
  const std::unordered_set<Device> of_two{device_of(one), device_of(other), device_of(one)};
  EXPECT_EQ(of_two.size(), 2U);
  EXPECT_EQ((std::set<Device>{device_of(one), device_of(other), device_of(one), devices[0], devices[1]}.size()), 4U);
  EXPECT_LT(devices[0], devices[1]) << "the handle of a simulated driver goes up";
  const std::unordered_set<Library> libraries{library, one.library(), library};
  EXPECT_EQ(libraries.size(), 2U);
  EXPECT_EQ(
      (std::unordered_set<Field>{{FieldId::memory_temp}, {FieldId::memory_temp, 1}, {FieldId::memory_temp}}.size()),
      2U);
}

// Each class of objects.
static_assert(detail::Hashed<Device> && detail::Hashed<MigDevice> && detail::Hashed<Unit> && detail::Hashed<EventSet> &&
              detail::Hashed<SystemEventSet> && detail::Hashed<GpmSample> && detail::Hashed<GpuInstance> &&
              detail::Hashed<ComputeInstance> && detail::Hashed<VgpuType> && detail::Hashed<VgpuInstance>);

TEST(WholeTypes, UuidsAreTextsAndKeys) {
  Uuid bytes;
  auto& raw = bytes.emplace<std::array<std::uint8_t, 16>>();
  for (std::size_t i = 0; i < raw.size(); ++i)
    raw[i] = static_cast<std::uint8_t>(i * 0x11);
  EXPECT_EQ(to_string(bytes), "00112233-4455-6677-8899-aabbccddeeff");
  const Uuid text{std::string{"GPU-00112233-4455-6677-8899-aabbccddeeff"}};
  EXPECT_EQ(streamed(text), "GPU-00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_EQ(to_string(Uuid{}), "");
  EXPECT_EQ(fmt::format("{:>40}", bytes), "    " + to_string(bytes));
  expect_formatted(text, to_string(text));
  EXPECT_EQ(to_json(bytes), "\"" + to_string(bytes) + "\"");
  EXPECT_EQ((std::unordered_set<Uuid>{bytes, text, bytes, Uuid{}}.size()), 3U);
}

TEST(WholeTypes, XidsSayWhatTheyAre) {
  const Xid off_the_bus{79};
  const std::string text = "Xid 79 (GPU has fallen off the bus)";
  EXPECT_EQ(to_string(off_the_bus), text);
  EXPECT_EQ(streamed(off_the_bus), text);
  EXPECT_EQ(fmt::format("{}|{:>12}", off_the_bus, Xid{1000}), text + "|    Xid 1000");
  expect_formatted(off_the_bus, text);
  EXPECT_EQ(meaning_of(Xid{48}), "double-bit ECC error");
  EXPECT_EQ(meaning_of(Xid{0}), "");
  EXPECT_EQ(to_string(Xid{0xFFFFFFFFFFFFFFFF}), "Xid 18446744073709551615")
      << "more than the table's numbers have bits";
  unsigned known = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const Xid xid{number};
    const std::string_view meaning = meaning_of(xid);
    if (!meaning.empty()) ++known;
    EXPECT_EQ(to_string(xid).ends_with(')'), !meaning.empty()) << number;
  }
  EXPECT_GT(known, 100U);
}

TEST(WholeTypes, PciAddressesAreTexts) {
  PciInfo info{.domain = 0x10000, .bus = 0x3B, .device = 0x1F};
  EXPECT_EQ(to_string(info), "00010000:3B:1F.0");
  info.bus_id = "00000000:07:00.0";
  EXPECT_EQ(streamed(info), "00000000:07:00.0") << "as the driver wrote it";
  EXPECT_EQ(fmt::format("{}", info), "00000000:07:00.0");
  expect_formatted(info, "00000000:07:00.0");
}

}  // namespace
}  // namespace nvml
