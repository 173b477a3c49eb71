// SPDX-License-Identifier: Apache-2.0
#include "engine/store/replicate.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <regex>
#include <set>
#include <tuple>

#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

using test::put;
using test::SampleImage;
using test::text_of;

// GPU `index` of a machine made after `pattern`.
std::unique_ptr<Gpu> replicate(SampleImage& pattern, std::uint32_t index) {
  const Image image = pattern.view();
  const std::uint32_t listed = image.header->gpu_count;
  Replicator replicator(image.header->name);
  for (std::uint32_t i = 0; i < listed; ++i)
    replicator.list(pattern.gpus()[i]);
  auto gpu = std::make_unique<Gpu>(pattern.gpus()[index % listed]);
  replicator.rename(index, gpu.get());
  return gpu;
}

// What must tell any two GPUs of a machine apart.
void expect_all_different(SampleImage& pattern, std::uint32_t count) {
  std::set<std::string> uuids;
  std::set<std::string> serials;
  std::set<std::uint32_t> minors;
  std::set<std::uint64_t> pdis;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> addresses;
  const auto listed = pattern.header()->gpu_count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto gpu = i < listed ? std::make_unique<Gpu>(pattern.gpus()[i]) : replicate(pattern, i);
    EXPECT_TRUE(uuids.insert(text_of(gpu->identity.uuid)).second) << "GPU " << i << ": " << gpu->identity.uuid.data;
    EXPECT_TRUE(serials.insert(text_of(gpu->identity.serial)).second)
        << "GPU " << i << ": " << gpu->identity.serial.data;
    EXPECT_TRUE(minors.insert(gpu->identity.minor_number.value_or(~0u)).second) << "GPU " << i;
    EXPECT_TRUE(pdis.insert(gpu->identity.pdi.value_or(0)).second) << "GPU " << i;
    const Pci& pci = gpu->pci;
    EXPECT_TRUE(addresses.emplace(pci.domain.value_or(~0u), pci.bus.value_or(~0u), pci.device.value_or(~0u)).second)
        << "GPU " << i << ": domain " << pci.domain.value_or(~0u) << " bus " << pci.bus.value_or(~0u);
  }
}

TEST(Replicate, AThousandGpusAreAllDifferent) {
  for (const std::uint32_t listed : {1u, 2u, 8u}) {
    SampleImage pattern(listed);
    expect_all_different(pattern, 1024);
  }
}

TEST(Replicate, SerialsFarApartDoNotMeet) {
  // A step that is fixed would lead from the first serial number onto the second.
  SampleImage pattern(2);
  put(&pattern.gpus()[0].identity.serial, "1650000000000");
  put(&pattern.gpus()[1].identity.serial, "1650000005000");
  expect_all_different(pattern, 1024);
  put(&pattern.gpus()[1].identity.serial, "1659999999999");
  expect_all_different(pattern, 256);
}

TEST(Replicate, GpusInSeveralDomainsDoNotMeet) {
  SampleImage pattern(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    pattern.gpus()[i].pci.domain.set(i * 8);
    pattern.gpus()[i].pci.bus.set(1);
  }
  expect_all_different(pattern, 1024);
}

TEST(Replicate, UuidsLookLikeNvidiasAndStayTheSame) {
  SampleImage pattern(1);
  const std::regex form("GPU-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  for (std::uint32_t i = 1; i < 100; ++i) {
    const auto first = replicate(pattern, i);
    const auto second = replicate(pattern, i);
    EXPECT_TRUE(std::regex_match(text_of(first->identity.uuid), form)) << first->identity.uuid.data;
    EXPECT_EQ(text_of(first->identity.uuid), text_of(second->identity.uuid));
    EXPECT_EQ(first->identity.serial.length, pattern.gpus()[0].identity.serial.length) << "the width is kept";
  }
}

TEST(Replicate, WhatTheBoardDoesNotTellStaysUntold) {
  SampleImage pattern(1);
  pattern.gpus()[0].identity.serial.set_error(kNotSupported);
  pattern.gpus()[0].identity.pdi.set_error(kNotSupported);
  const auto gpu = replicate(pattern, 5);
  EXPECT_EQ(gpu->identity.serial.code(), kNotSupported);
  EXPECT_EQ(gpu->identity.pdi.code(), kNotSupported);
}

TEST(Replicate, LettersInASerialNumberAreLeftAlone) {
  SampleImage pattern(1);
  put(&pattern.gpus()[0].identity.serial, "PK00A0099");
  const auto gpu = replicate(pattern, 1);
  const std::string serial = text_of(gpu->identity.serial);
  EXPECT_EQ(serial.substr(0, 2), "PK");
  EXPECT_EQ(serial[4], 'A');
  EXPECT_NE(serial, "PK00A0099");
}

}  // namespace
}  // namespace nvmlab
