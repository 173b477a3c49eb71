// SPDX-License-Identifier: Apache-2.0
// The text of one exported function: its verdict, turned into one line that calls a shape template. No logic of NVML is
// here; a body that would need an `if` is a template in drivers/nvml/shapes/.
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
