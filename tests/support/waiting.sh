# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# How scripts of tests wait: for what they want to see, however long a busy machine takes for it. waiting.hpp says why.

eventually() { # COMMAND...: runs it until it succeeds; fails after the deadline
  local deadline=$((SECONDS + 300))
  until "$@"; do
    if ((SECONDS > deadline)); then
      echo "never: $*" >&2
      return 1
    fi
    sleep 0.02
  done
}

# Waits until each process waits for a machine to change.
becomes_blocked() { # PID...
  local process
  for process; do eventually grep -qs futex "/proc/$process/wchan"; done
}

# Waits until the process runs a program of that name.
becomes() { # PID NAME
  eventually grep -qsx -- "$2" "/proc/$1/comm"
}

# Waits until a line of the file contains the text.
contains() { # FILE TEXT
  eventually grep -qsF -- "$2" "$1"
}
