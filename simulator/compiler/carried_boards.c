/* SPDX-License-Identifier: Apache-2.0
 *
 * The compiled boards (compiled_boards.hpp) as read-only data of the YAML compiler for drivers.
 */
__asm__(
    ".pushsection .rodata.nvmlab_boards, \"a\"\n"
    ".balign 64\n"
    ".globl nvmlab_boards\n"
    ".hidden nvmlab_boards\n"
    ".type nvmlab_boards, %object\n"
    "nvmlab_boards:\n"
    ".incbin \"" NVMLAB_BOARDS_FILE
    "\"\n"
    "nvmlab_boards_end:\n"
    ".size nvmlab_boards, . - nvmlab_boards\n"
    ".balign 8\n"
    ".globl nvmlab_boards_size\n"
    ".hidden nvmlab_boards_size\n"
    ".type nvmlab_boards_size, %object\n"
    "nvmlab_boards_size:\n"
    ".quad nvmlab_boards_end - nvmlab_boards\n"
    ".size nvmlab_boards_size, 8\n"
    ".popsection\n");

typedef int nvmlab_not_empty; /* C has no empty translation unit */
