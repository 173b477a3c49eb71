// SPDX-License-Identifier: Apache-2.0
//
// What a chart shows: fields of a machine, looked at again and again, or columns of a trace. Units become those that
// people read: W in place of mW, GB of bytes. Tests: tests/command/plot_test.cpp.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "command/plot/chart.hpp"
#include "command/trace/trace.hpp"
#include "control/machine.hpp"

namespace nvmlab::tool {

// Looks at fields of GPUs each time that it is told to.
class Readings {
 public:
  // Refuses fields that there are none of, and those that are a list or a record.
  static std::expected<Readings, std::string> of(const Machine& machine, const std::vector<std::string>& fields,
                                                 std::span<const std::uint32_t> gpus);
  void look(const Machine& machine, double seconds);
  Chart take() &&;

 private:
  struct Field {
    std::string path;
    std::string label;
    std::uint32_t gpu;
    double factor;
    std::size_t series;
  };
  void note_word(const std::string& label, const std::string& word);

  std::vector<Field> fields_;
  Chart chart_;
};

// The columns of these names; without one, those of `kUsual` that the trace has.
std::expected<Chart, std::string> chart_of(const Trace& trace, const std::vector<std::string>& columns);

}  // namespace nvmlab::tool
