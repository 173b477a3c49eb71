// SPDX-License-Identifier: Apache-2.0
// Error records of the platform and registers of the NVLink ports.
#include <cstring>

#include "tests/drivers/functions/support/board.hpp"

namespace nvmlab::driver_test {
namespace {

class Records : public Board {
 protected:
  void add_record(const std::string& uuid, std::uint32_t size, std::uint8_t fill) {
    machine.change_node([&](nvmlab::Node& node) {
      auto& records = node.system.cper_records;
      auto& record = records[records.count++];
      record.uuid.set(uuid.c_str(), static_cast<std::uint32_t>(uuid.size()));
      record.size_bytes.set(size);
      std::uint8_t bytes[1024] = {};
      std::memset(bytes, fill, size);
      record.data.set(bytes);
    });
  }
  int next(abi::nvmlGetCPER_v1_t* cper, unsigned room) {
    cper->buffer = room > 0 ? buffer : nullptr;
    cper->bufferSize = room;
    return driver.call("nvmlSystemGetCPER_v1", cper);
  }
  static abi::nvmlGetCPER_v1_t query(const char* uuid = "") {
    abi::nvmlGetCPER_v1_t cper{};
    cper.cursor.cperTypeMask = 1;
    std::strcpy(cper.cursor.uuid, uuid);
    return cper;
  }

  // A register access: operation, register, end.
  abi::nvmlPRMTLV_v1_t access(unsigned id, unsigned method, unsigned content) {
    abi::nvmlPRMTLV_v1_t tlv{};
    const auto word = [&](unsigned at, unsigned value) {
      for (unsigned i = 0; i < 4; ++i)
        tlv.inData[at + i] = static_cast<unsigned char>(value >> (24 - 8 * i));
    };
    word(0, 1U << 27 | 4U << 16);
    word(4, id << 16 | method << 8 | 1);
    word(16, 3U << 27 | (1 + content / 4) << 16);
    tlv.dataSize = 20 + content + 4;
    tlv.status = 77;
    return tlv;
  }

  unsigned char buffer[1024] = {};
};

TEST_F(Records, CperOneByOneToTheEnd) {
  auto cper = query();
  ASSERT_EQ(next(&cper, 0), kSuccess);
  EXPECT_EQ(cper.bufferSize, 0U) << "none";
  add_record("GPU-a", 100, 1);
  add_record("GPU-b", 200, 2);
  add_record("GPU-a", 300, 3);
  EXPECT_EQ(next(&cper, 0), kInsufficientSize);
  EXPECT_EQ(cper.bufferSize, 100U);
  EXPECT_EQ(next(&cper, 99), kInsufficientSize);
  for (const unsigned size : {100U, 200U, 300U}) {
    ASSERT_EQ(next(&cper, sizeof buffer), kSuccess);
    EXPECT_EQ(cper.bufferSize, size);
    EXPECT_EQ(buffer[size - 1], size / 100);
  }
  ASSERT_EQ(next(&cper, sizeof buffer), kSuccess);
  EXPECT_EQ(cper.bufferSize, 0U);
  cper = query("GPU-b");
  ASSERT_EQ(next(&cper, sizeof buffer), kSuccess);
  EXPECT_EQ(cper.bufferSize, 200U);
  ASSERT_EQ(next(&cper, sizeof buffer), kSuccess);
  EXPECT_EQ(cper.bufferSize, 0U);
}

TEST_F(Records, CperIsRootsAndThePlatforms) {
  auto cper = query();
  cper.bufferSize = 10;
  EXPECT_EQ(driver.call("nvmlSystemGetCPER_v1", &cper), kInvalidArgument) << "room without a place";
  cper = query();
  cper.cursor.cperTypeMask = 0;
  EXPECT_EQ(next(&cper, 0), kInvalidArgument);
  ASSERT_EQ(play("user"), kSuccess);
  cper = query();
  EXPECT_EQ(next(&cper, 0), kNoPermission);
  machine.change_node([](nvmlab::Node& node) { node.system.cper.set_error(kNotSupported); });
  EXPECT_EQ(next(&cper, 0), kNotSupported);
}

TEST_F(Records, PortCountersEachWithItsAnswer) {
  abi::nvmlPRMCounter_v1_t counters[3] = {};
  counters[0].counterId = 1;
  counters[0].inData.localPort = 2;
  counters[1].counterId = 201;
  counters[1].inData.localPort = 1;
  counters[2].counterId = 201;
  counters[2].inData.localPort = 9;
  abi::nvmlPRMCounterList_v1_t list{3, counters};
  ASSERT_EQ(call("nvmlDeviceReadPRMCounters_v1", &list), kSuccess);
  EXPECT_EQ(counters[0].counterValue.status, 0);
  EXPECT_EQ(counters[0].counterValue.outputValue.ullVal, 12U);
  EXPECT_EQ(counters[1].counterValue.outputValue.ullVal, 0x100000001U);
  EXPECT_EQ(counters[2].counterValue.status, kNotSupported);
  list.numCounters = 0;
  EXPECT_EQ(call("nvmlDeviceReadPRMCounters_v1", &list), kInvalidArgument);
  list = {1, nullptr};
  EXPECT_EQ(call("nvmlDeviceReadPRMCounters_v1", &list), kInvalidArgument);
  list = {1, counters};
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceReadPRMCounters_v1", &list), kNoPermission);
}

TEST_F(Records, RegistersAreReadAndWritten) {
  machine.change_gpu(0, [](Gpu& state) {
    std::uint8_t bytes[256] = {};
    for (unsigned i = 0; i < 16; ++i)
      bytes[i] = static_cast<std::uint8_t>(0xA0 + i);
    state.prm.registers[0].data.set(bytes);
  });
  auto tlv = access(0x5008, 1, 16);
  ASSERT_EQ(call("nvmlDeviceReadWritePRM_v1", &tlv), kSuccess);
  EXPECT_EQ(tlv.status, 0U);
  EXPECT_EQ(tlv.outData[20], 0xA0);
  EXPECT_EQ(tlv.outData[35], 0xAF);
  tlv = access(0x5040, 2, 8);
  tlv.inData[20] = 0x42;
  tlv.inData[27] = 0x24;
  ASSERT_EQ(call("nvmlDeviceReadWritePRM_v1", &tlv), kSuccess);
  tlv = access(0x5040, 1, 8);
  ASSERT_EQ(call("nvmlDeviceReadWritePRM_v1", &tlv), kSuccess);
  EXPECT_EQ(tlv.outData[20], 0x42);
  EXPECT_EQ(tlv.outData[27], 0x24);
}

TEST_F(Records, RegisterAccessesThatAreNone) {
  const auto status = [&](abi::nvmlPRMTLV_v1_t tlv) {
    EXPECT_EQ(call("nvmlDeviceReadWritePRM_v1", &tlv), kSuccess);
    return tlv.status;
  };
  EXPECT_NE(status(access(0x1234, 1, 8)), 0U) << "no such register";
  EXPECT_NE(status(access(0x5008, 1, 8)), 0U) << "another length";
  EXPECT_NE(status(access(0x5008, 2, 16)), 0U) << "read-only";
  EXPECT_NE(status(access(0x5008, 9, 16)), 0U) << "no such method";
  auto tlv = access(0x5008, 1, 16);
  for (const unsigned size : {0U, 19U, 497U, ~0U}) {
    tlv.dataSize = size;
    EXPECT_EQ(call("nvmlDeviceReadWritePRM_v1", &tlv), kInvalidArgument) << size;
  }
  tlv = access(0x5008, 1, 16);
  tlv.dataSize = 30;
  EXPECT_EQ(call("nvmlDeviceReadWritePRM_v1", &tlv), kInvalidArgument) << "a register that is cut short";
  tlv = access(0x5008, 1, 16);
  tlv.inData[0] = 0;
  EXPECT_EQ(call("nvmlDeviceReadWritePRM_v1", &tlv), kInvalidArgument);
  ASSERT_EQ(play("user"), kSuccess);
  tlv = access(0x5008, 1, 16);
  EXPECT_EQ(call("nvmlDeviceReadWritePRM_v1", &tlv), kNoPermission);
}

}  // namespace
}  // namespace nvmlab::driver_test
