// SPDX-License-Identifier: Apache-2.0
// The machines of this user, as commands name what control/ says of them. Tests: tests/command/machines_test.cpp.
#pragma once

#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/refusals.hpp"

namespace nvmlab::tool {

using control::chosen_machine;
using control::explain;
using control::kDefaultMachine;
using control::kDefaultProfile;
using control::list_machines;
using control::ListedMachine;
using control::machine_path;
using control::machines_folder;
using control::not_locked;
using control::owner_of;
using control::refusal;
using control::runtime_dir;

}  // namespace nvmlab::tool
