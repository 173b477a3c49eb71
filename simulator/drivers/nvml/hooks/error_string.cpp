// SPDX-License-Identifier: Apache-2.0
//
// Texts of the return codes, as the libraries of drivers 340 to 555 give them (model/return_codes.yaml). A driver knows
// the codes of its time; to it any other is an unknown error. Texts are static: a client may keep the pointer as long
// as the library is loaded. Tests: tests/drivers/oracle compares with every real library, tests/drivers/abi looks at
// the pointers.
#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/process.hpp"
#include "nvmlab/abi/generated/return_texts.hpp"

namespace nvmlab::driver {

const char* hooks::nvmlErrorString(nvmlReturn_t result) {
  const char* unknown = "";
  for (const auto& row : return_texts) {
    if (row.code == result && (row.since == 0 || driver_release(row_before_init()).major >= row.since)) return row.text;
    if (row.code == NVML_ERROR_UNKNOWN) unknown = row.text;
  }
  return unknown;
}

}  // namespace nvmlab::driver
