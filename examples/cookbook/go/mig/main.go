// SPDX-License-Identifier: Apache-2.0

// The MIG devices of each GPU, and which instances they lie in.
package main

import (
	"fmt"
	"os"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// What drivers before MIG lack ends the program where it is called, so it is looked up first.
func has(function string) bool {
	return nvml.Extensions().LookupSymbol(function) == nil
}

func mode(device nvml.Device) string {
	if !has("nvmlDeviceGetMigMode") {
		return nvml.ErrorString(nvml.ERROR_FUNCTION_NOT_FOUND)
	}
	current, _, result := device.GetMigMode()
	switch {
	case result != nvml.SUCCESS:
		return nvml.ErrorString(result)
	case current == nvml.DEVICE_MIG_ENABLE:
		return "enabled"
	default:
		return "disabled"
	}
}

func showMigDevices(device nvml.Device) {
	if !has("nvmlDeviceGetMaxMigDeviceCount") {
		return
	}
	most, result := device.GetMaxMigDeviceCount()
	if result != nvml.SUCCESS {
		return
	}
	for i := 0; i < most; i++ {
		mig, result := device.GetMigDeviceHandleByIndex(i)
		if result != nvml.SUCCESS {
			continue
		}
		uuid, result := mig.GetUUID()
		if result != nvml.SUCCESS {
			uuid = "N/A"
		}
		gpuInstance, _ := mig.GetGpuInstanceId()
		computeInstance, _ := mig.GetComputeInstanceId()
		fmt.Printf("  %s: GPU instance %d, compute instance %d", uuid, gpuInstance, computeInstance)
		if memory, result := mig.GetMemoryInfo(); result == nvml.SUCCESS {
			fmt.Printf(", %d MiB", memory.Total>>20)
		}
		fmt.Println()
	}
}

func main() {
	if result := nvml.Init(); result != nvml.SUCCESS {
		fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
		os.Exit(1)
	}
	defer nvml.Shutdown()
	count, result := nvml.DeviceGetCount()
	if result != nvml.SUCCESS {
		fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
		os.Exit(1)
	}
	for i := 0; i < count; i++ {
		device, result := nvml.DeviceGetHandleByIndex(i)
		if result != nvml.SUCCESS {
			fmt.Printf("a GPU: MIG %s\n", nvml.ErrorString(result))
			continue
		}
		uuid, result := device.GetUUID()
		if result != nvml.SUCCESS {
			uuid = "a GPU"
		}
		fmt.Printf("%s: MIG %s\n", uuid, mode(device))
		showMigDevices(device)
	}
}
