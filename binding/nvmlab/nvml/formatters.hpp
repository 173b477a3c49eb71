// SPDX-License-Identifier: Apache-2.0
// How errors, quantities, enumerators, sets of flags, UUIDs, PCI addresses and Xids are formatted, whichever library
// does it: format.hpp beside this is for std::format, fmt.hpp for {fmt}. `Base` is the library's formatter of a text or
// of a number. Covered by tests/binding/whole_types_test.cpp and error_test.cpp.
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "nvmlab/loader/error.hpp"
#include "nvmlab/nvml/flags.hpp"
#include "nvmlab/nvml/names.hpp"
#include "nvmlab/nvml/units.hpp"
#include "nvmlab/nvml/values/pci_address.hpp"
#include "nvmlab/nvml/values/uuid.hpp"
#include "nvmlab/nvml/xid.hpp"

namespace nvml::inline v1::detail {

template <class Base>
struct MessageFormatter : Base {
  template <class Context>
  auto format(const Error& error, Context& context) const {
    return Base::format(error.message(), context);
  }
};

template <class Base>
struct NameFormatter : Base {
  template <class Value, class Context>
  auto format(const Value& value, Context& context) const {
    return Base::format(to_string(value), context);
  }
};

// The format is the number's: "{:.1f}" of Quantity<unit::watt, double>.
template <class Base>
struct QuantityFormatter : Base {
  template <class Unit, class Number, class Context>
  auto format(Quantity<Unit, Number> quantity, Context& context) const {
    const std::string_view symbol = Unit::symbol;
    auto out = Base::format(quantity.count(), context);
    *out++ = ' ';
    return std::copy(symbol.begin(), symbol.end(), out);
  }
};

}  // namespace nvml::inline v1::detail
