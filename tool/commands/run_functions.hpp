// SPDX-License-Identifier: Apache-2.0
//
// One function for each row of the table in tool/commands.cpp, each in a file of its own in this folder.
#pragma once

#include "tool/arguments.hpp"

namespace nvmlab::tool {

int run_run(const Arguments& arguments);
int run_up(const Arguments& arguments);
int run_down(const Arguments& arguments);
int run_ls(const Arguments& arguments);
int run_get(const Arguments& arguments);
int run_devices(const Arguments& arguments);
int run_smi(const Arguments& arguments);
int run_set(const Arguments& arguments);
int run_profiles(const Arguments& arguments);
int run_profiles_show(const Arguments& arguments);
int run_validate(const Arguments& arguments);
int run_profiles_diff(const Arguments& arguments);
int run_compare(const Arguments& arguments);
int run_import(const Arguments& arguments);
int run_record(const Arguments& arguments);
int run_compile(const Arguments& arguments);
int run_completion(const Arguments& arguments);
int run_man(const Arguments& arguments);
int run_words(const Arguments& arguments);

}  // namespace nvmlab::tool
