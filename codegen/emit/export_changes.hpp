// SPDX-License-Identifier: Apache-2.0
// The bodies of exports that change something: what the caller says, as a change of the engine, whose rules are those
// of engine/topics/. Covered by tests/unit/codegen/exports_test.cpp.
#pragma once

#include "codegen/emit/export_subject.hpp"

namespace nvmlab::codegen {

Result<std::string> change_body(const ExportSubject& subject);

}  // namespace nvmlab::codegen
