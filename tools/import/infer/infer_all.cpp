// SPDX-License-Identifier: Apache-2.0
#include "import/infer/infer.hpp"

namespace nvmlab::importer {

void infer_all(Evidence& evidence, const std::string& driver) {
  infer_identity(evidence);
  complete_names(evidence);
  infer_driver(evidence, driver);
  infer_cuda(evidence);
  infer_board(evidence);
  infer_bare_board(evidence);
  infer_links(evidence);
  infer_mig(evidence);
  apply_fallbacks(evidence);
}

}  // namespace nvmlab::importer
