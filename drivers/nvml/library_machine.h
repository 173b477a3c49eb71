// SPDX-License-Identifier: Apache-2.0
//
// Where a copy of the library says which machine it simulates. The library has NVMLAB_LIBRARY_MACHINE_ROOM bytes that
// begin with NVMLAB_LIBRARY_MACHINE_MARK and are otherwise zeros; whoever writes the path of a machine that is up behind
// the mark, into a copy of the file and ended by a zero, has a driver that simulates that machine and no other, whatever
// the environment says. So one process can load any number of drivers (nvml::testing::Node does).
#pragma once

#define NVMLAB_LIBRARY_MACHINE_MARK "nvmlab: machine of this library="
#define NVMLAB_LIBRARY_MACHINE_ROOM 384
