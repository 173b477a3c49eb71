// SPDX-License-Identifier: Apache-2.0

// The UUID of every GPU, or why there is none.
package main

import (
	"fmt"
	"os"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

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
			fmt.Println(nvml.ErrorString(result))
			continue
		}
		uuid, result := device.GetUUID()
		if result != nvml.SUCCESS {
			fmt.Println(nvml.ErrorString(result))
			continue
		}
		fmt.Println(uuid)
	}
}
