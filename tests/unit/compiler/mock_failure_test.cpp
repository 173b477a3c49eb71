// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/failure.hpp"

#include <gtest/gtest.h>

#include "compiler/mock/config.hpp"

namespace nvmlab::compiler {
namespace {

MockMachine machine(const std::string& text) {
  const auto made =
      compile_mock_text("version: \"1.0\"\nsystem: {driver_version: 550.163.01}\n" + text, "mock.yaml", nullptr);
  EXPECT_TRUE(made) << (made ? "" : describe(made.error()));
  return made ? std::move(*const_cast<std::expected<MockMachine, Problems>&>(made)) : MockMachine{};
}

TEST(MockFailureBlock, WithoutATriggerTheGpuIsLostAtOnce) {
  const MockMachine made = machine("devices: [{index: 0}, {index: 1, failure: {mode: lost}}]\n");
  ASSERT_EQ(made.changes.size(), 1U);
  EXPECT_EQ(made.changes[0].target.gpu, 1U);
  EXPECT_EQ(body_of<InjectFault>(made.changes[0]).kind, FaultKind::lost);
  EXPECT_TRUE(made.unheeded.empty());
}

TEST(MockFailureBlock, AfterCallsIsTheFirstThatFails) {
  const MockMachine made =
      machine("device_defaults: {failure: {mode: fallen_off_bus, after_calls: 5}}\ndevices: [{index: 0}]\n");
  ASSERT_EQ(made.changes.size(), 1U);
  EXPECT_EQ(made.changes[0].target.part, MachinePart::functions);
  const FunctionFault fault = body_of<FailFunction>(made.changes[0]).fault;
  EXPECT_EQ(fault.gpu, 0U);
  EXPECT_EQ(fault.skip, 4U);
  EXPECT_EQ(fault.code, kGpuIsLost);
  EXPECT_EQ(fault.befalls, static_cast<std::uint32_t>(FaultKind::lost) + 1) << "the GPU stays lost";
  EXPECT_EQ(fault.shared, 1U) << "whoever makes the calls";
}

TEST(MockFailureBlock, ChanceDecidesWhichIsTheFirstAndASeedDecidesChance) {
  const auto first = [](const char* seed) {
    const MockMachine made =
        machine(std::string("devices: [{index: 0, failure: {mode: lost, probability: 0.01, seed: ") + seed + "}}]\n");
    return body_of<FailFunction>(made.changes.at(0)).fault.skip;
  };
  EXPECT_EQ(first("7"), first("7"));
  EXPECT_NE(first("7"), first("8"));
}

TEST(MockFailureBlock, OfADeviceLiesOverTheDefaultsKeyByKey) {
  const MockMachine made = machine(
      "device_defaults: {failure: {mode: lost, after_calls: 5}}\n"
      "devices: [{index: 0, failure: {mode: healthy}}, {index: 1, failure: {after_calls: 9}}]\n");
  ASSERT_EQ(made.changes.size(), 1U);
  EXPECT_EQ(body_of<FailFunction>(made.changes[0]).fault.skip, 8U);
}

TEST(MockFailureBlock, WhatIsLeftOutIsTold) {
  const MockMachine made = machine("devices: [{index: 0, failure: {mode: sleepy, xid: {colour: 79}}}]\n");
  EXPECT_TRUE(made.changes.empty());
  EXPECT_EQ(made.unheeded, (std::vector<std::string>{"failure.mode", "failure.xid.colour"}));
  EXPECT_FALSE(compile_mock_text("devices: [{failure: {probability: 2}}]\n", "mock.yaml", nullptr));
  EXPECT_FALSE(compile_mock_text("devices: [{failure: 5}]\n", "mock.yaml", nullptr));
}

TEST(MockFailureBlock, UncorrectableErrorsAreCounted) {
  const MockMachine made = machine("devices: [{index: 0, failure: {mode: ecc_uncorrectable}}]\n");
  ASSERT_EQ(made.changes.size(), 1U);
  EXPECT_EQ(body_of<InjectFault>(made.changes[0]).kind, FaultKind::ecc_uncorrected);
}

TEST(MockFailureBlock, UncorrectableErrorsComeWithTheCallThatTriggersThem) {
  const MockMachine made =
      machine("devices: [{index: 0, failure: {mode: ecc_uncorrectable, after_calls: 3, xid: {code: 64}}}]\n");
  ASSERT_EQ(made.changes.size(), 1U);
  const FunctionFault fault = body_of<FailFunction>(made.changes[0]).fault;
  EXPECT_EQ(fault.code, kSuccess) << "the call itself goes well";
  EXPECT_EQ(fault.befalls, static_cast<std::uint32_t>(FaultKind::ecc_uncorrected) + 1);
  EXPECT_EQ(fault.xid, 64U);
}

TEST(MockFailureBlock, AnXidIsToldOfUnlessTheFaultTellsOfIt) {
  const MockMachine lost = machine("devices: [{index: 0, failure: {mode: lost, xid: {code: 79}}}]\n");
  ASSERT_EQ(lost.changes.size(), 2U);
  EXPECT_EQ(body_of<RaiseEvent>(lost.changes[0]).data, 79U);
  const MockMachine ecc = machine("devices: [{index: 0, failure: {mode: ecc_uncorrectable, xid: {code: 48}}}]\n");
  EXPECT_EQ(ecc.changes.size(), 1U);
}

}  // namespace
}  // namespace nvmlab::compiler
