// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/records.hpp"

#include <algorithm>
#include <memory>

#include "nvmlab/nvml/generated/convert_memory.hpp"
#include "nvmlab/nvml/generated/convert_system.hpp"
#include "nvmlab/nvml/gpm_sample.hpp"
#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/shapes/lists.hpp"
#include "nvmlab/nvml/shapes/record.hpp"

namespace nvml::inline v1::detail {

Result<std::vector<Result<Value>>> read_prm_counters(const State& state, abi::nvmlDevice_t device,
                                                     std::span<const PrmCounter> counters) {
  constexpr auto kSlot = &Functions::nvmlDeviceReadPRMCounters_v1;
  std::vector<abi::nvmlPRMCounter_v1_t> entries(counters.size());
  std::ranges::transform(counters, entries.begin(), [](const PrmCounter& counter) {
    abi::nvmlPRMCounter_v1_t entry{};
    entry.counterId = static_cast<unsigned>(counter.id);
    entry.inData.localPort = counter.port;
    return entry;
  });
  std::vector<Result<Value>> answers;
  if (counters.empty()) return answers;
  abi::nvmlPRMCounterList_v1_t list{static_cast<unsigned>(entries.size()), entries.data()};
  if (const auto asked = ask(state, kSlot, device, &list); !asked) return unexpected(asked.error());
  answers.reserve(entries.size());
  for (const abi::nvmlPRMCounter_v1_t& entry : entries) {
    const abi::nvmlPRMCounterValue_v1_t& c = entry.counterValue;
    if (c.status != abi::NVML_SUCCESS) {
      answers.emplace_back(unexpected(failure(state, slot_offset(kSlot), c.status)));
    } else if (const auto value = value_of(c.outputType, c.outputValue)) {
      answers.emplace_back(*value);
    } else {
      answers.emplace_back(unexpected(Error{Return{abi::NVML_ERROR_UNKNOWN}, Origin::binding,
                                            "nvmlDeviceReadPRMCounters_v1", "a value of a new type"}));
    }
  }
  return answers;
}

Result<PrmTlv> read_write_prm(const State& state, abi::nvmlDevice_t device, const PrmTlv& access) {
  if (access.data.size() > abi::PRM_DATA_MAX_SIZE)
    return unexpected(Error{Return{abi::NVML_ERROR_INVALID_ARGUMENT}, Origin::binding, "nvmlDeviceReadWritePRM_v1",
                            "more data than a register has"});
  abi::nvmlPRMTLV_v1_t c{};
  to_c(access, c);
  if (const auto asked = ask(state, &Functions::nvmlDeviceReadWritePRM_v1, device, &c); !asked)
    return unexpected(asked.error());
  return typed_as<PrmTlv>(c);
}

Result<void> set_memory_limits(const State& state, abi::nvmlDevice_t device, const std::string& control_group,
                               const MemoryLimits& limits) {
  abi::nvmlSetMemoryLimits_v1_t c{};
  to_c(limits, c);
  c.nameSpace = control_group.c_str();
  return ask(state, &Functions::nvmlDeviceSetMemoryLimits_v1, device, &c);
}

Result<std::vector<std::uint8_t>> next_cper(const State& state, CperCursor& cursor) {
  abi::nvmlGetCPER_v1_t c{};
  auto record = list_made<std::uint8_t, unsigned char>(
      state, &Functions::nvmlSystemGetCPER_v1, {Protocol::A},
      [&](auto* f, unsigned* size, unsigned char* room) {
        c = {};
        to_c(cursor, c.cursor);
        c.buffer = room;
        c.bufferSize = *size;
        const auto code = f(&c);
        *size = c.bufferSize;
        return code;
      },
      [](unsigned char byte) { return byte; });
  if (record) from_c(c.cursor, cursor);
  return record;
}

namespace {

GpmMetric metric_of(const State& state, const abi::nvmlGpmMetric_t& c) {
  auto metric = typed_as<GpmMetric>(c);
  if (!metric.value) metric.value = unexpected(about(state, *metric.value.error().item(), metric.value.error()));
  return metric;
}

// Older drivers have shorter arrays at the struct's end; they touch no more of it than the metrics that are asked for.
template <class Take>
Result<void> ask_metrics(const State& state, const GpmSample& first, const GpmSample& second,
                         std::span<const GpmMetricId> metrics, Take&& take) {
  const auto c = std::make_unique<abi::nvmlGpmMetricsGet_t>();
  constexpr std::size_t kMost = std::size(decltype(c->metrics){});
  for (std::size_t done = 0; done < metrics.size();) {
    const auto some = metrics.subspan(done, std::min(kMost, metrics.size() - done));
    *c = {};
    c->version = version_word<abi::nvmlGpmMetricsGet_t>;
    c->numMetrics = static_cast<unsigned>(some.size());
    c->sample1 = first.handle();
    c->sample2 = second.handle();
    for (std::size_t i = 0; i < some.size(); ++i)
      c->metrics[i].metricId = static_cast<unsigned>(some[i]);
    if (const auto asked = ask(state, &Functions::nvmlGpmMetricsGet, c.get()); !asked) return asked;
    for (std::size_t i = 0; i < some.size(); ++i)
      take(done + i, metric_of(state, c->metrics[i]));
    done += some.size();
  }
  return {};
}

}  // namespace

Result<std::vector<GpmMetric>> gpm_metrics(const State& state, const GpmSample& first, const GpmSample& second,
                                           std::span<const GpmMetricId> metrics) {
  std::vector<GpmMetric> answers(metrics.size());
  const auto asked = ask_metrics(state, first, second, metrics,
                                 [&](std::size_t at, GpmMetric metric) { answers[at] = std::move(metric); });
  if (!asked) return unexpected(asked.error());
  return answers;
}

void read_metrics(const State& state, const GpmSample& first, const GpmSample& second,
                  std::span<const GpmMetricId> metrics, std::span<Result<double>> values) {
  const auto asked = ask_metrics(state, first, second, metrics,
                                 [&](std::size_t at, const GpmMetric& metric) { values[at] = metric.value; });
  if (asked) return;
  // A metric that the driver does not know can make it refuse them all.
  const bool refused = asked.error().code() == Return{abi::NVML_ERROR_INVALID_ARGUMENT};
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = unexpected(refused ? about(state, item_of(metrics[i]), asked.error()) : asked.error());
}

Result<std::string> driver_branch(const State& state) {
  return sole(&SystemDriverBranchInfo::branch, record<SystemDriverBranchInfo, abi::nvmlSystemDriverBranchInfo_v1_t>(
                                                   state, &Functions::nvmlSystemGetDriverBranch, here,
                                                   unsigned{abi::SYSTEM_DRIVER_VERSION_BUFFER_SIZE}));
}

}  // namespace nvml::inline v1::detail
