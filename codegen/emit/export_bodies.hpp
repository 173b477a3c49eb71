// SPDX-License-Identifier: Apache-2.0
// The text of one exported function: its verdict as one statement that calls a template of drivers/nvml/shapes/, which
// has the logic.
#pragma once

#include "codegen/emit/exports.hpp"

namespace nvmlab::codegen {

// The declaration of a function that an old header may have been the last to have: pointers to structs that are gone
// become void*.
Function declaration(const Inputs& inputs, const Verdict& verdict, const std::string& name);

bool takes_device(const Function& function);

// ", pci, length": what a hook is called with behind the device or the store that stands for the handle.
std::string hook_arguments(const Function& function, bool device);

// ", nvmlPciInfo_t* pci": what it declares. A struct of several versions is the newest one to a hook.
std::string hook_parameters(const Inputs& inputs, const Verdict& verdict, const Function& function, bool device);

Result<std::string> export_text(const Inputs& inputs, const Vocabulary& vocabulary, const Verdicts& verdicts,
                                const std::string& name);

}  // namespace nvmlab::codegen
