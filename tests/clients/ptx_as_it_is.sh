#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stands where triton calls the assembler of PTX (TRITON_PTXAS_PATH): hands the PTX over as it is, since a node here runs that
# and no code of a GPU. triton passes what is written to the driver, with no length, so it ends in a zero.
#
#   ptx_as_it_is.sh ... IN.ptx ... -o OUT
out='' in=''
while [ $# -gt 0 ]; do
  case $1 in
    --version) echo "PTX of release 12.4"; exit 0 ;;
    -o) out=$2; shift ;;
    *.ptx) in=$1 ;;
  esac
  shift
done
{ cat "$in"; printf '\0'; } > "$out"
