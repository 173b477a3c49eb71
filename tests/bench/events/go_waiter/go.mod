module nvmlab/go-waiter

go 1.20

require github.com/NVIDIA/go-nvml v0.13.0-1
