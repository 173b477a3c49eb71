// SPDX-License-Identifier: Apache-2.0
// fmt::format("{}", error), "{:>10}" of an enumerator, "{:.1f}" of a quantity. Not part of <nvmlab/nvml.hpp>; needs
// {fmt}. Covered by tests/binding/error_test.cpp.
#pragma once

#include <fmt/format.h>

#include "nvmlab/nvml/formatters.hpp"

/// @cond
template <>
struct fmt::formatter<nvml::Error> : nvml::detail::MessageFormatter<fmt::formatter<fmt::string_view>> {};

template <nvml::detail::Named Enum>
struct fmt::formatter<Enum> : nvml::detail::NameFormatter<fmt::formatter<fmt::string_view>> {};

template <class Flag>
struct fmt::formatter<nvml::Flags<Flag>> : nvml::detail::NameFormatter<fmt::formatter<fmt::string_view>> {};

template <>
struct fmt::formatter<nvml::Uuid> : nvml::detail::NameFormatter<fmt::formatter<fmt::string_view>> {};

template <>
struct fmt::formatter<nvml::PciInfo> : nvml::detail::NameFormatter<fmt::formatter<fmt::string_view>> {};

template <>
struct fmt::formatter<nvml::Xid> : nvml::detail::NameFormatter<fmt::formatter<fmt::string_view>> {};

template <class Unit, class Number>
struct fmt::formatter<nvml::Quantity<Unit, Number>> : nvml::detail::QuantityFormatter<fmt::formatter<Number>> {};
/// @endcond
