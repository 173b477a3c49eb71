// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/samples.hpp"

#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/shapes/lists.hpp"
#include "nvmlab/nvml/shapes/within.hpp"

namespace nvml::inline v1::detail {
namespace {

unsigned long long microseconds(Timestamp time) { return as<unsigned long long>(time); }

// The type of a list's values, told beside it: a C value as a typed one.
struct ToldType {
  abi::nvmlValueType_t type{};
  bool known = true;

  Value operator()(const abi::nvmlValue_t& c) {
    const auto found = value_of(type, c);
    known = known && found.has_value();
    return found.value_or(Value{});
  }
};

template <class T, class F>
Result<T> told_by(const ToldType& told, F* Functions::*slot, Result<T> made) {
  if (made && !told.known) {
    return unexpected(Error{Return{abi::NVML_ERROR_UNKNOWN}, Origin::binding, function_name(slot_offset(slot)),
                            "values of a new type"});
  }
  return made;
}

// Elements with such values: `ask(f, count, room, type)`, `make(element, value)`.
template <class T, class C, class F, class Ask, class Make>
Result<std::vector<T>> list_of_values(const State& state, F* Functions::*slot, const ListRule& rule, Ask&& ask,
                                      Make&& make) {
  ToldType told;
  auto made = list_made<T, C>(
      state, slot, rule, [&](auto* f, unsigned* count, C* room) { return ask(f, count, room, told.type); },
      [&](const C& element) { return make(element, told); });
  return told_by(told, slot, std::move(made));
}

template <class T, class C, class F, class Ask, class Make>
Result<std::span<T>> list_of_values_into(const State& state, F* Functions::*slot, const ListRule& rule,
                                         std::span<T> room, Ask&& ask, Make&& make) {
  F* const function = state.functions.*slot;
  if (function == nullptr) return no_list(state, slot, abi::NVML_SUCCESS);
  ToldType told;
  auto once = [&](unsigned* count, void* where) { return ask(function, count, static_cast<C*>(where), told.type); };
  unsigned count = 0;
  const abi::nvmlReturn_t code =
      filled<T, C>(rule, room, count, once, [&](const C& element) { return make(element, told); });
  if (code != abi::NVML_SUCCESS) return not_filled(state, slot, code, room.size(), count);
  return told_by(told, slot, Result<std::span<T>>{room.first(count)});
}

Sample sample(const abi::nvmlSample_t& c, ToldType& value) {
  Sample made{{}, value(c.sampleValue)};
  from_c(c.timeStamp, made.timestamp);
  return made;
}

template <class C>
VgpuInstanceUtilization utilization(const C& c, ToldType& value) {
  const auto percent = [&](const abi::nvmlValue_t& part) { return Percent{number<unsigned>(value(part))}; };
  VgpuInstanceUtilization made;
  made.instance = VgpuInstanceId{c.vgpuInstance};
  from_c(c.timeStamp, made.timestamp);
  made.sm = percent(c.smUtil);
  made.memory = percent(c.memUtil);
  made.encoder = percent(c.encUtil);
  made.decoder = percent(c.decUtil);
  if constexpr (requires { c.jpgUtil; }) {
    made.jpeg = percent(c.jpgUtil);
    made.ofa = percent(c.ofaUtil);
  }
  return made;
}

constexpr ListRule kSamplesRule{Protocol::E, {abi::NVML_ERROR_NOT_FOUND}};
constexpr ListRule kUtilizationRule{Protocol::F, {abi::NVML_ERROR_NOT_FOUND}};

using VgpuSample = abi::nvmlVgpuInstanceUtilizationSample_t;
using VgpuInfo = abi::nvmlVgpuInstanceUtilizationInfo_v1_t;
using VgpuInfos = abi::nvmlVgpuInstancesUtilizationInfo_v1_t;

// How each function takes (count, room).

auto asks_samples(abi::nvmlDevice_t device, SamplingType type, Timestamp since) {
  return [=](auto* f, unsigned* count, abi::nvmlSample_t* room, abi::nvmlValueType_t& value_type) {
    return f(device, static_cast<abi::nvmlSamplingType_t>(type), microseconds(since), &value_type, count, room);
  };
}

auto asks_vgpus(abi::nvmlDevice_t device, Timestamp since) {
  return [=](auto* f, unsigned* count, VgpuSample* room, abi::nvmlValueType_t& type) {
    return f(device, microseconds(since), &type, count, room);
  };
}

auto asks_vgpu_instances(abi::nvmlDevice_t device, Timestamp since) {
  return [=](auto* f, unsigned* count, VgpuInfo* room, abi::nvmlValueType_t& type) {
    VgpuInfos holder{};
    holder.lastSeenTimeStamp = microseconds(since);
    const auto code = detail::within<&VgpuInfos::vgpuInstanceCount, &VgpuInfos::vgpuUtilArray>(
        holder, count, room, [&] { return f(device, &holder); });
    type = holder.sampleValType;
    return code;
  };
}

// Two arrays of one length: the second begins behind the room of the first.
struct Both {
  unsigned long long halves[2];
};

auto asks_pages(abi::nvmlDevice_t device, PageRetirementCause cause, unsigned& capacity) {
  return [=, &capacity](auto* f, unsigned* count, Both* room) {
    capacity = *count;
    auto* const addresses = reinterpret_cast<unsigned long long*>(room);
    return f(device, static_cast<abi::nvmlPageRetirementCause_t>(cause), count, addresses, addresses + capacity);
  };
}

void made_pages(const Both* both, unsigned capacity, std::span<RetiredPage> pages) {
  const auto* const addresses = reinterpret_cast<const unsigned long long*>(both);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    pages[i].address = addresses[i];
    from_c(addresses[capacity + i], pages[i].timestamp);
  }
}

}  // namespace

Result<std::vector<Sample>> samples(const State& state, abi::nvmlDevice_t device, SamplingType type, Timestamp since) {
  return list_of_values<Sample, abi::nvmlSample_t>(state, &Functions::nvmlDeviceGetSamples, kSamplesRule,
                                                   asks_samples(device, type, since), sample);
}

Result<std::span<Sample>> samples(const State& state, abi::nvmlDevice_t device, SamplingType type, Timestamp since,
                                  std::span<Sample> room) {
  return list_of_values_into<Sample, abi::nvmlSample_t>(state, &Functions::nvmlDeviceGetSamples, kSamplesRule, room,
                                                        asks_samples(device, type, since), sample);
}

Result<std::vector<RetiredPage>> retired_pages(const State& state, abi::nvmlDevice_t device,
                                               PageRetirementCause cause) {
  unsigned capacity = 0;
  return list_raw<Both>(state, &Functions::nvmlDeviceGetRetiredPages_v2, {Protocol::A},
                        asks_pages(device, cause, capacity), [&](std::span<const Both> both) {
                          std::vector<RetiredPage> pages(both.size());
                          made_pages(both.data(), capacity, pages);
                          return pages;
                        });
}

Result<std::span<RetiredPage>> retired_pages(const State& state, abi::nvmlDevice_t device, PageRetirementCause cause,
                                             std::span<RetiredPage> room) {
  constexpr auto kSlot = &Functions::nvmlDeviceGetRetiredPages_v2;
  const auto function = state.functions.*kSlot;
  if (function == nullptr) return no_list(state, kSlot, abi::NVML_SUCCESS);
  unsigned capacity = 0;
  unsigned count = 0;
  const auto ask = asks_pages(device, cause, capacity);
  auto once = [&](unsigned* many, void* where) { return ask(function, many, static_cast<Both*>(where)); };
  const auto code = by_way_of_stack<Both>(
      {Protocol::A}, capacity_of(room.size()), count, once,
      [&](std::span<const Both> both) { made_pages(both.data(), capacity, room.first(both.size())); });
  if (code != abi::NVML_SUCCESS) return not_filled(state, kSlot, code, room.size(), count);
  return room.first(count);
}

Result<std::vector<VgpuInstanceUtilization>> vgpu_utilization(const State& state, abi::nvmlDevice_t device,
                                                              Timestamp since) {
  return list_of_values<VgpuInstanceUtilization, VgpuSample>(state, &Functions::nvmlDeviceGetVgpuUtilization,
                                                             kUtilizationRule, asks_vgpus(device, since),
                                                             utilization<VgpuSample>);
}

Result<std::span<VgpuInstanceUtilization>> vgpu_utilization(const State& state, abi::nvmlDevice_t device,
                                                            Timestamp since, std::span<VgpuInstanceUtilization> room) {
  return list_of_values_into<VgpuInstanceUtilization, VgpuSample>(state, &Functions::nvmlDeviceGetVgpuUtilization,
                                                                  kUtilizationRule, room, asks_vgpus(device, since),
                                                                  utilization<VgpuSample>);
}

Result<std::vector<VgpuInstanceUtilization>> vgpu_instances_utilization(const State& state, abi::nvmlDevice_t device,
                                                                        Timestamp since) {
  return list_of_values<VgpuInstanceUtilization, VgpuInfo>(state, &Functions::nvmlDeviceGetVgpuInstancesUtilizationInfo,
                                                           kUtilizationRule, asks_vgpu_instances(device, since),
                                                           utilization<VgpuInfo>);
}

Result<std::span<VgpuInstanceUtilization>> vgpu_instances_utilization(const State& state, abi::nvmlDevice_t device,
                                                                      Timestamp since,
                                                                      std::span<VgpuInstanceUtilization> room) {
  return list_of_values_into<VgpuInstanceUtilization, VgpuInfo>(
      state, &Functions::nvmlDeviceGetVgpuInstancesUtilizationInfo, kUtilizationRule, room,
      asks_vgpu_instances(device, since), utilization<VgpuInfo>);
}

}  // namespace nvml::inline v1::detail
