# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=FILE -DROOT=FOLDER -P embed_scenarios.cmake: writes ROOT/profiles/scenarios/*.yaml into a C++ table.
file(GLOB scenarios "${ROOT}/profiles/scenarios/*.yaml")
set(rows "")
foreach(path IN LISTS scenarios)
  get_filename_component(stem "${path}" NAME_WE)
  file(READ "${path}" text)
  string(APPEND rows "    {\"${stem}\", \"profiles/scenarios/${stem}.yaml\", R\"nvmlab(${text})nvmlab\"},\n")
endforeach()
file(WRITE "${OUT}" "// Written by embed_scenarios.cmake from profiles/scenarios/.
#include \"command/play/library.hpp\"

namespace nvmlab::tool {
namespace {

// The last row keeps the array from being empty; it is no scenario.
constexpr ShippedScenario scenarios[] = {
${rows}    {\"\", \"\", \"\"}};

}  // namespace

std::span<const ShippedScenario> shipped_scenarios() { return {scenarios, std::size(scenarios) - 1}; }

}  // namespace nvmlab::tool
")
