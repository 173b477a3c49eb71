/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine files of all shipped profiles as read-only data: a library that was copied alone into a container or a
 * driver root can be each of them. The default lies apart, where what a process needs to start lies (start.ld); the
 * others lie one behind the other. Declared in embedded.hpp.
 */
#define MACHINES(name, files)                               \
  __asm__(".pushsection .rodata." name                      \
          ", \"a\"\n"                                       \
          ".balign 64\n"                                    \
          ".globl " name                                    \
          "\n"                                              \
          ".hidden " name                                   \
          "\n"                                              \
          ".type " name ", %object\n" name ":\n" files name \
          "_end:\n"                                         \
          ".size " name ", . - " name                       \
          "\n"                                              \
          ".balign 8\n"                                     \
          ".globl " name                                    \
          "_size\n"                                         \
          ".hidden " name                                   \
          "_size\n"                                         \
          ".type " name "_size, %object\n" name             \
          "_size:\n"                                        \
          ".quad " name "_end - " name                      \
          "\n"                                              \
          ".size " name                                     \
          "_size, 8\n"                                      \
          ".popsection\n")

#include <carried_machines.inc>

MACHINES("nvmlab_default_machine", NVMLAB_DEFAULT_MACHINE);
MACHINES("nvmlab_machines", NVMLAB_MACHINES);

typedef int nvmlab_not_an_empty_file; /* C has no empty translation unit */
