module nvmlab/cookbook

go 1.21

require github.com/NVIDIA/go-nvml v0.13.0-1
