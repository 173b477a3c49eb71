// SPDX-License-Identifier: Apache-2.0
// An S-class unit, from Library::unit(). A value, see object.hpp.
#pragma once

#include "nvmlab/nvml/generated/unit_methods.hpp"

namespace nvml::inline v1 {

class Unit : public UnitMethods {
 public:
  using UnitMethods::UnitMethods;
};

}  // namespace nvml::inline v1
