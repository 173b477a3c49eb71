// SPDX-License-Identifier: Apache-2.0
// Counters of ports, error records behind a cursor, and GPM metrics, each with an answer of its own.
#include "nvmlab/nvml/records.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "nvmlab/abi/generated/types.hpp"
#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/gpm_sample.hpp"

namespace nvml::detail {
namespace {

using abi::nvmlReturn_t;

class Records : public testing::Test {
 protected:
  Shared library{new State};
};

TEST_F(Records, CountersOfPorts) {
  library->functions.nvmlDeviceReadPRMCounters_v1 = [](abi::nvmlDevice_t, abi::nvmlPRMCounterList_v1_t* list) {
    for (unsigned i = 0; i < list->numCounters; ++i) {
      abi::nvmlPRMCounter_v1_t& counter = list->counters[i];
      counter.counterValue.status = counter.inData.localPort > 2 ? abi::NVML_ERROR_INVALID_ARGUMENT : abi::NVML_SUCCESS;
      counter.counterValue.outputType =
          counter.counterId == 102 ? abi::nvmlValueType_t{99} : abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
      counter.counterValue.outputValue.ullVal = counter.counterId * 10 + counter.inData.localPort;
    }
    return abi::NVML_SUCCESS;
  };
  const PrmCounter counters[] = {{PrmCounterId{1}, 2}, {PrmCounterId{1}, 3}, {PrmCounterId{102}, 1}};
  const auto answers = read_prm_counters(*library, nullptr, counters);
  ASSERT_TRUE(answers);
  EXPECT_EQ((*answers)[0].value(), Value{std::uint64_t{12}});
  EXPECT_EQ((*answers)[1].error().code(), Return{abi::NVML_ERROR_INVALID_ARGUMENT});
  EXPECT_EQ((*answers)[2].error().origin(), Origin::binding);
  library->functions.nvmlDeviceReadPRMCounters_v1 = nullptr;
  EXPECT_TRUE(read_prm_counters(*library, nullptr, {}).value().empty()) << "nothing asked, nothing called";
  EXPECT_EQ(read_prm_counters(*library, nullptr, counters).error().origin(), Origin::symbol);
}

TEST_F(Records, ARegisterTakesNoMoreThanItHas) {
  library->functions.nvmlDeviceReadWritePRM_v1 = [](abi::nvmlDevice_t, abi::nvmlPRMTLV_v1_t* access) {
    access->status = 3;
    access->outData[0] = static_cast<unsigned char>(access->inData[0] + 1);
    return abi::NVML_SUCCESS;
  };
  const auto answer = read_write_prm(*library, nullptr, {0, {7, 8}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, (PrmTlv{3, {8, 8}}));
  EXPECT_EQ(read_write_prm(*library, nullptr, {0, std::vector<std::uint8_t>(100'000)}).error().origin(),
            Origin::binding);
}

TEST_F(Records, ErrorRecordsOneByOne) {
  library->functions.nvmlSystemGetCPER_v1 = [](abi::nvmlGetCPER_v1_t* cper) {
    const unsigned sizes[] = {10, 5000, 0};
    const unsigned needed = sizes[cper->cursor.handle];
    const unsigned offered = cper->bufferSize;
    cper->bufferSize = needed;
    if (offered < needed) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    std::memset(cper->buffer, static_cast<int>(needed % 251), needed);
    if (needed != 0) ++cper->cursor.handle;
    return abi::NVML_SUCCESS;
  };
  CperCursor cursor;
  cursor.uuid = "GPU-1";
  EXPECT_EQ(next_cper(*library, cursor).value(), std::vector<std::uint8_t>(10, 10));
  EXPECT_EQ(next_cper(*library, cursor).value(), std::vector<std::uint8_t>(5000, 5000 % 251));
  EXPECT_EQ(cursor.handle, 2U) << "a call with too little room does not move it";
  EXPECT_TRUE(next_cper(*library, cursor).value().empty());
  EXPECT_EQ(cursor.uuid, "GPU-1");
}

unsigned gpm_calls;

TEST_F(Records, MetricsOfGpm) {
  gpm_calls = 0;
  library->functions.nvmlGpmMetricsGet = [](abi::nvmlGpmMetricsGet_t* get) {
    ++gpm_calls;
    if (get->version != 1) return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    for (unsigned i = 0; i < get->numMetrics; ++i) {
      get->metrics[i].nvmlReturn = get->metrics[i].metricId == 2 ? abi::NVML_ERROR_NOT_SUPPORTED : abi::NVML_SUCCESS;
      get->metrics[i].value = get->metrics[i].metricId / 4.0;
    }
    return abi::NVML_SUCCESS;
  };
  const GpmMetricId few[] = {GpmMetricId{1}, GpmMetricId{2}};
  const GpmSample sample(library, nullptr);
  const auto metrics = gpm_metrics(*library, sample, sample, few);
  ASSERT_TRUE(metrics) << metrics.error().message();
  EXPECT_EQ((*metrics)[0].value.value(), 0.25);
  EXPECT_EQ((*metrics)[1].value.error().code(), Return{abi::NVML_ERROR_NOT_SUPPORTED});
  EXPECT_EQ((*metrics)[1].id, GpmMetricId{2});
  const std::vector<GpmMetricId> many(1000, GpmMetricId{8});
  const auto all = gpm_metrics(*library, sample, sample, many);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1000U);
  EXPECT_EQ(all->back().value.value(), 2.0);
  EXPECT_GT(gpm_calls, 2U) << "more than the struct has room for";
}

}  // namespace
}  // namespace nvml::detail
