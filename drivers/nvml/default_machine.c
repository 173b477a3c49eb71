/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine that the driver simulates when nobody says which: its file as read-only data, so that a driver that was
 * copied alone into a container still works. Declared where it is used:
 *   extern "C" const unsigned char nvmlab_default_machine[];
 *   extern "C" const unsigned long nvmlab_default_machine_size;
 */
__asm__(
    ".pushsection .rodata.nvmlab_default_machine, \"a\"\n"
    ".balign 64\n"
    ".globl nvmlab_default_machine\n"
    ".hidden nvmlab_default_machine\n"
    ".type nvmlab_default_machine, %object\n"
    "nvmlab_default_machine:\n"
    ".incbin \"" NVMLAB_DEFAULT_MACHINE_FILE
    "\"\n"
    "nvmlab_default_machine_end:\n"
    ".size nvmlab_default_machine, . - nvmlab_default_machine\n"
    ".balign 8\n"
    ".globl nvmlab_default_machine_size\n"
    ".hidden nvmlab_default_machine_size\n"
    ".type nvmlab_default_machine_size, %object\n"
    "nvmlab_default_machine_size:\n"
    ".quad nvmlab_default_machine_end - nvmlab_default_machine\n"
    ".size nvmlab_default_machine_size, 8\n"
    ".popsection\n");

typedef int nvmlab_not_an_empty_file; /* C has no empty translation unit */
