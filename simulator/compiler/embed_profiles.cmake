# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=FILE -DROOT=FOLDER -P embed_profiles.cmake: writes ROOT/profiles/{gpus,machines}/*.yaml into a C++ table.
file(GLOB gpus "${ROOT}/profiles/gpus/*.yaml")
file(GLOB machines "${ROOT}/profiles/machines/*.yaml")
set(rows "")
foreach(path IN LISTS gpus machines)
  get_filename_component(stem "${path}" NAME_WE)
  file(RELATIVE_PATH shown "${ROOT}" "${path}")
  file(READ "${path}" text)
  if(path MATCHES "/machines/")
    set(machine true)
  else()
    set(machine false)
  endif()
  string(APPEND rows "    {\"${stem}\", \"${shown}\", R\"nvmlab(${text})nvmlab\", ${machine}},\n")
endforeach()
file(WRITE "${OUT}.new" "// Written by embed_profiles.cmake from profiles/.
#include \"compiler/shipped.hpp\"

namespace nvmlab::compiler {
namespace {

// The last row keeps the array from being empty; it is no profile.
constexpr ShippedProfile profiles[] = {
${rows}    {\"\", \"\", \"\", false}};

}  // namespace

std::span<const ShippedProfile> shipped_profiles() { return {profiles, std::size(profiles) - 1}; }

}  // namespace nvmlab::compiler
")
file(COPY_FILE "${OUT}.new" "${OUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUT}.new")
file(TOUCH "${OUT}")
