// SPDX-License-Identifier: Apache-2.0
#include "import/smi/rules.hpp"

namespace nvmlab::importer {

bool in_hexadecimal(std::string_view field) {
  for (const auto rules : {board_rules(), reading_rules()}) {
    for (const Rule& rule : rules) {
      const bool bits =
          rule.shape == PrintedForm::hex || rule.shape == PrintedForm::bit || rule.shape == PrintedForm::known_bit;
      if (rule.field == field && bits) return true;
    }
  }
  return false;
}

}  // namespace nvmlab::importer
