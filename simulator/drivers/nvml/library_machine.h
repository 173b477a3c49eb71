// SPDX-License-Identifier: Apache-2.0
//
// Where a copy of the library says which machine it simulates. The library has NVMLAB_LIBRARY_MACHINE_ROOM bytes that
// begin with NVMLAB_LIBRARY_MACHINE_MARK and are otherwise zeros. Whoever writes three texts behind the mark, into a
// copy of the file and each ended by a zero, has a driver that follows them and, but for NVMLAB_LOG, no environment:
// the path of a machine that is up, the file that calls are recorded in, and for whom the process stands (root, user);
// the last two may be empty. So one process can load any number of drivers (nvml::testing::Node does).
#pragma once

#define NVMLAB_LIBRARY_MACHINE_MARK "nvmlab: machine of this library="
#define NVMLAB_LIBRARY_MACHINE_ROOM 384
