# SPDX-License-Identifier: Apache-2.0
"""A kernel (argv[1], PTX) that numba runs until a word is set; beside it, nvidia-smi (argv[2]) until it shows this
process at work. Prints the pid, then what nvidia-smi printed: of processes at work, of those that compute, its table."""
import ctypes
import os
import subprocess
import sys

import numpy
from numba import cuda
from numba.cuda.cudadrv import driver


def smi(*arguments):
    return subprocess.run([sys.argv[2], *arguments], check=True, capture_output=True, text=True).stdout


context = cuda.current_context()
with open(sys.argv[1], "rb") as text:
    function = context.create_module_ptx(text.read()).get_function("until")
word = cuda.mapped_array(1, dtype=numpy.int32)
word[0] = 0
ballast = cuda.device_array(256 << 20, dtype=numpy.uint8)
stream = cuda.stream()
address = ctypes.c_uint64(word.device_ctypes_pointer.value)
driver.launch_kernel(function.handle, 1, 1, 1, 32, 1, 1, 0, stream.handle, [address])
while int(smi("--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-i", "0")) < 90:
    pass
told = [str(os.getpid()), smi("pmon", "-c", "1", "-s", "um"),
        smi("--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"), smi()]
word[0] = 1
stream.synchronize()
print("\n====\n".join(told))
