// SPDX-License-Identifier: Apache-2.0
//
// User objects: what a program wants to live as long as the graphs that use it. Counted; graphs and executable graphs
// hold references that go with them. Destructors are called without the lock, by the call that released the last
// reference. Under the lock of the process, but for what says otherwise. Tests:
// tests/drivers/cuda/user_objects_test.cpp.
#pragma once

#include "drivers/cuda/abi/abi_graphs.hpp"
#include "drivers/cuda/process/pool.hpp"

namespace nvmlab::cuda {

CUresult create_user_object(void* data, CUhostFn destroy, std::uint32_t references, CUuserObject* out);
CUresult retain_user_object(CUuserObject object, std::uint32_t references);
CUresult release_user_object(CUuserObject object, std::uint32_t references);

// `holder` is the handle of a graph or of an executable one. `moved`: the references were the program's own.
CUresult hold_user_object(std::uint64_t holder, CUuserObject object, std::uint32_t references, bool moved);
CUresult let_go_of_user_object(std::uint64_t holder, CUuserObject object, std::uint32_t references);
CUresult share_user_objects(std::uint64_t from, std::uint64_t to);
void release_user_objects_of(std::uint64_t holder);

// Without the lock: calls the destructors of those that nobody has any more.
void destroy_user_objects();

}  // namespace nvmlab::cuda
