// SPDX-License-Identifier: Apache-2.0
//
// The reviewed lists of the comparison: the only leaves that are not compared, each with its reason. Whoever adds a row
// weakens every client test a little: the reason must hold for any machine, not for the run at hand. Test:
// tests/unit/capture/comparison_test.cpp.
#pragma once

#include <string_view>

namespace nvmlab::test {

// Why a leaf differs in every run, whatever it runs on; empty: it does not.
[[nodiscard]] std::string_view live_by_nature_because(std::string_view path);

// Why a leaf cannot be said of a unit that was not captured; empty: it can.
[[nodiscard]] std::string_view identity_because(std::string_view path);

}  // namespace nvmlab::test
