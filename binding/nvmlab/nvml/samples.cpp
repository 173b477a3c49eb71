// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/samples.hpp"

#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/shapes/lists.hpp"
#include "nvmlab/nvml/shapes/within.hpp"

namespace nvml::inline v1::detail {
namespace {

unsigned long long microseconds(Timestamp time) { return as<unsigned long long>(time); }

// Elements whose values have a type that is told beside the list. `make(element, value_of)`.
template <class T, class C, class F, class Ask, class Make>
Result<std::vector<T>> list_of_values(const State& state, F* Functions::*slot, const ListRule& rule, Ask&& ask,
                                      Make&& make) {
  abi::nvmlValueType_t type{};
  bool known = true;
  auto made = list_raw<C>(
      state, slot, rule, [&](auto* f, unsigned* count, C* room) { return ask(f, count, room, type); },
      [&](std::span<const C> elements) {
        std::vector<T> typed;
        typed.reserve(elements.size());
        const auto value = [&](const abi::nvmlValue_t& c) {
          const auto found = value_of(type, c);
          known = known && found.has_value();
          return found.value_or(Value{});
        };
        for (const C& element : elements)
          typed.push_back(make(element, value));
        return typed;
      });
  if (made && !known) {
    return unexpected(Error{Return{abi::NVML_ERROR_UNKNOWN}, Origin::binding, function_name(slot_offset(slot)),
                            "values of a new type"});
  }
  return made;
}

template <class C>
VgpuInstanceUtilization utilization(const C& c, auto&& value) {
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

constexpr ListRule kUtilizationRule{Protocol::F, {abi::NVML_ERROR_NOT_FOUND}};

}  // namespace

Result<std::vector<Sample>> samples(const State& state, abi::nvmlDevice_t device, SamplingType type, Timestamp since) {
  return list_of_values<Sample, abi::nvmlSample_t>(
      state, &Functions::nvmlDeviceGetSamples, {Protocol::E, {abi::NVML_ERROR_NOT_FOUND}},
      [&](auto* f, unsigned* count, abi::nvmlSample_t* room, abi::nvmlValueType_t& value_type) {
        return f(device, static_cast<abi::nvmlSamplingType_t>(type), microseconds(since), &value_type, count, room);
      },
      [](const abi::nvmlSample_t& c, auto&& value) {
        Sample sample{{}, value(c.sampleValue)};
        from_c(c.timeStamp, sample.timestamp);
        return sample;
      });
}

Result<std::vector<RetiredPage>> retired_pages(const State& state, abi::nvmlDevice_t device,
                                               PageRetirementCause cause) {
  // Two arrays of one length: the second begins behind the room of the first.
  struct Both {
    unsigned long long halves[2];
  };
  unsigned capacity = 0;
  return list_raw<Both>(
      state, &Functions::nvmlDeviceGetRetiredPages_v2, {Protocol::A},
      [&](auto* f, unsigned* count, Both* room) {
        capacity = *count;
        auto* const addresses = reinterpret_cast<unsigned long long*>(room);
        return f(device, static_cast<abi::nvmlPageRetirementCause_t>(cause), count, addresses, addresses + capacity);
      },
      [&](std::span<const Both> room) {
        const auto* const addresses = reinterpret_cast<const unsigned long long*>(room.data());
        std::vector<RetiredPage> pages(room.size());
        for (std::size_t i = 0; i < pages.size(); ++i) {
          pages[i].address = addresses[i];
          from_c(addresses[capacity + i], pages[i].timestamp);
        }
        return pages;
      });
}

Result<std::vector<VgpuInstanceUtilization>> vgpu_utilization(const State& state, abi::nvmlDevice_t device,
                                                              Timestamp since) {
  using C = abi::nvmlVgpuInstanceUtilizationSample_t;
  return list_of_values<VgpuInstanceUtilization, C>(
      state, &Functions::nvmlDeviceGetVgpuUtilization, kUtilizationRule,
      [&](auto* f, unsigned* count, C* room, abi::nvmlValueType_t& type) {
        return f(device, microseconds(since), &type, count, room);
      },
      [](const C& c, auto&& value) { return utilization(c, value); });
}

Result<std::vector<VgpuInstanceUtilization>> vgpu_instances_utilization(const State& state, abi::nvmlDevice_t device,
                                                                        Timestamp since) {
  using C = abi::nvmlVgpuInstanceUtilizationInfo_v1_t;
  using Holder = abi::nvmlVgpuInstancesUtilizationInfo_v1_t;
  return list_of_values<VgpuInstanceUtilization, C>(
      state, &Functions::nvmlDeviceGetVgpuInstancesUtilizationInfo, kUtilizationRule,
      [&](auto* f, unsigned* count, C* room, abi::nvmlValueType_t& type) {
        Holder holder{};
        holder.lastSeenTimeStamp = microseconds(since);
        const auto code = within<&Holder::vgpuInstanceCount, &Holder::vgpuUtilArray>(
            holder, count, room, [&] { return f(device, &holder); });
        type = holder.sampleValType;
        return code;
      },
      [](const C& c, auto&& value) { return utilization(c, value); });
}

}  // namespace nvml::inline v1::detail
