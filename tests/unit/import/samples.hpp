// SPDX-License-Identifier: Apache-2.0
//
// Made-up outputs of the tools that `nvmlab import` reads, and what tests ask of what was made of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/importer.hpp"

namespace nvmlab::importer {

// Imports as the machine `m`; fails the test when it is refused.
Imported imported(const std::vector<Input>& inputs, const Options& options = {});
// The first complaint; empty when nothing was refused.
std::string refused(const std::vector<Input>& inputs, const Options& options = {});
// A value of the machine that the profile makes: of GPU `index`, or of the node.
std::string value(const Imported& imported, std::uint32_t index, std::string_view field);

namespace sample {

// nvidia-smi -q -x of GPUs with these PCI buses.
std::string log(const std::vector<int>& buses, const std::string& more = {});
// deviceQuery of one GPU for each bus.
std::string device_query(const std::vector<int>& buses);
// nvidia-smi topo -m, from rows of paths ("X NV4 SYS") and what stands behind them ("0-7 0 N/A").
std::string matrix(const std::string& heading, const std::vector<std::string>& rows);
// A line of nvidia-smi -L.
std::string listed(int index, const std::string& name = "NVIDIA X100");
std::string uuid(int index);

}  // namespace sample
}  // namespace nvmlab::importer
