/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine files of all shipped profiles, one behind the other, as read-only data: a library that was copied alone
 * into a container or a driver root can be each of them. Declared in embedded.hpp.
 */
__asm__(
    ".pushsection .rodata.nvmlab_machines, \"a\"\n"
    ".balign 64\n"
    ".globl nvmlab_machines\n"
    ".hidden nvmlab_machines\n"
    ".type nvmlab_machines, %object\n"
    "nvmlab_machines:\n"
#include <carried_machines.inc>
    "nvmlab_machines_end:\n"
    ".size nvmlab_machines, . - nvmlab_machines\n"
    ".balign 8\n"
    ".globl nvmlab_machines_size\n"
    ".hidden nvmlab_machines_size\n"
    ".type nvmlab_machines_size, %object\n"
    "nvmlab_machines_size:\n"
    ".quad nvmlab_machines_end - nvmlab_machines\n"
    ".size nvmlab_machines_size, 8\n"
    ".popsection\n");

typedef int nvmlab_not_an_empty_file; /* C has no empty translation unit */
