// SPDX-License-Identifier: Apache-2.0
//
// A recording of `nvmlab record` (docs/reference/recordings.md) as evidence: from calls back to fields. What the driver
// answers from fields, items and lists, by the tables of model/meaning, tells these; what it answers with code of its
// own has an inverse here, topic by topic, and the head of each file says what no table can. A return code other than
// success is the field's answer. What no getter tells is inherited from the chip's family, as for any other capture.
// Tests: tests/unit/import/recording_test.cpp, tests/import/recordings/.
#pragma once

#include <expected>

#include "import/evidence/evidence.hpp"
#include "import/importer.hpp"

namespace nvmlab::importer::replay {

std::expected<void, Complaints> read_recording(Evidence& evidence, const Input& input);

}  // namespace nvmlab::importer::replay
