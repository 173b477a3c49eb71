// SPDX-License-Identifier: Apache-2.0
// The bodies of exports that read: `read`, `item`, `length`, `list` and `find` as one call of a shape template each.
#pragma once

#include "codegen/emit/export_subject.hpp"

namespace nvmlab::codegen {

// Also writes the table of the choice.
Result<std::string> reading_body(ExportSubject& subject);
// Of `unsupported`, once what it is of has been looked up.
std::string refusal_of_subject(const ExportSubject& subject);

}  // namespace nvmlab::codegen
