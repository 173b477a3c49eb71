// SPDX-License-Identifier: Apache-2.0
// std::format("{}", error), "{:>10}" of an enumerator, "{:.1f}" of a quantity. Not part of <nvmlab/nvml.hpp>; needs a
// standard library with <format>, and says so where it has none. fmt.hpp beside this is the same for {fmt}.
#pragma once

#include <version>

#if !defined(__cpp_lib_format)
#error "this standard library has no std::format: use {fmt} with <nvmlab/nvml/fmt.hpp>, or to_string"
#else

#include <format>

#include "nvmlab/nvml/formatters.hpp"

template <>
struct std::formatter<nvml::Error> : nvml::detail::MessageFormatter<std::formatter<std::string_view>> {};

template <nvml::detail::Named Enum>
struct std::formatter<Enum> : nvml::detail::NameFormatter<std::formatter<std::string_view>> {};

template <class Flag>
struct std::formatter<nvml::Flags<Flag>> : nvml::detail::NameFormatter<std::formatter<std::string_view>> {};

template <>
struct std::formatter<nvml::Uuid> : nvml::detail::NameFormatter<std::formatter<std::string_view>> {};

template <>
struct std::formatter<nvml::PciInfo> : nvml::detail::NameFormatter<std::formatter<std::string_view>> {};

template <>
struct std::formatter<nvml::Xid> : nvml::detail::NameFormatter<std::formatter<std::string_view>> {};

template <class Unit, class Number>
struct std::formatter<nvml::Quantity<Unit, Number>> : nvml::detail::QuantityFormatter<std::formatter<Number>> {};

#endif
