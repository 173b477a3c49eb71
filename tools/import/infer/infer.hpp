// SPDX-License-Identifier: Apache-2.0
//
// What follows from all inputs together without being printed: the chip and its family, what older tools left out,
// lists of which each input has a part. In the order of infer_all(). Internal to the importer.
#pragma once

#include <string>
#include <vector>

#include "import/evidence/evidence.hpp"

namespace nvmlab::importer {

// `driver` is what the user calls the driver of machines whose inputs do not say; empty: nothing.
void infer_all(Evidence& evidence, const std::string& driver);

void complete_names(Evidence& evidence);                           // that a table cut (shipped_board.cpp)
void infer_driver(Evidence& evidence, const std::string& driver);  // where no input names it (infer_driver.cpp)
void infer_identity(Evidence& evidence);    // what names several GPUs names none (infer_identity.cpp)
void infer_cuda(Evidence& evidence);        // for NVML, from what CUDA says (infer_cuda.cpp)
void infer_board(Evidence& evidence);       // chip, generation, values that are the same (infer_board.cpp)
void infer_bare_board(Evidence& evidence);  // of boards that no log describes (shipped_board.cpp)
void infer_links(Evidence& evidence);       // NVLink (infer_links.cpp)
void infer_mig(Evidence& evidence);         // MIG (infer_mig.cpp)
std::string mig_table_of(
    const Subject& gpu);  // the shipped table that its MIG devices fit; empty: none (mig_table.cpp)
void infer_instances(Evidence& evidence, Subject& gpu);  // what it has cut a GPU into (infer_instances.cpp)
// A recording of a board at rest shows that it has a share of something, not how large the share is: that of the family
// stands, and where the family has none, what the recording fell back to (apply_fallbacks.cpp).
void apply_fallbacks(Evidence& evidence);

// The families that a board inherits: that of its chip, and that of what it is sold as; `common` where the chip is not
// known.
std::vector<std::string> families_of(const Subject& gpu);
inline constexpr std::string_view kAnyFamily = "common";

// The shipped profile of a board that no log describes, by its product or, where no input names that, its PCI device
// id; empty when there is none.
std::string shipped_board(const Evidence& evidence, const Subject& gpu);

}  // namespace nvmlab::importer
