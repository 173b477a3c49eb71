// SPDX-License-Identifier: Apache-2.0

// A monitor that outlives the driver: when it is unloaded or a GPU vanishes, NVML is opened anew, until it answers
// again. reopen ROUNDS MILLISECONDS: so many rounds, with a pause between them.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// What only another nvmlInit can mend.
func isGone(result nvml.Return) bool {
	return result == nvml.ERROR_DRIVER_NOT_LOADED || result == nvml.ERROR_UNINITIALIZED || result == nvml.ERROR_GPU_IS_LOST
}

// The number of GPUs that answer; false where NVML has to be opened anew. A driver that was unloaded has no GPUs left.
func look() (int, bool) {
	count, result := nvml.DeviceGetCount()
	if result != nvml.SUCCESS || count == 0 {
		return 0, false
	}
	good := 0
	for i := 0; i < count; i++ {
		device, result := nvml.DeviceGetHandleByIndex(i)
		if result == nvml.SUCCESS {
			_, result = device.GetPowerUsage()
		}
		if isGone(result) {
			return 0, false
		}
		if result == nvml.SUCCESS {
			good++
		}
	}
	return good, true
}

func argument(index, otherwise int) int {
	if len(os.Args) > index {
		if value, err := strconv.Atoi(os.Args[index]); err == nil {
			return value
		}
	}
	return otherwise
}

func main() {
	rounds, pause := argument(1, 10), argument(2, 1000)
	open := false
	for round := 0; round < rounds; round++ {
		if round > 0 {
			time.Sleep(time.Duration(pause) * time.Millisecond)
		}
		if !open {
			if result := nvml.Init(); result != nvml.SUCCESS {
				fmt.Printf("no NVML: %s\n", nvml.ErrorString(result))
				continue
			}
			open = true
		}
		if good, answered := look(); answered {
			fmt.Printf("%d GPUs\n", good)
		} else {
			fmt.Println("NVML is opened anew")
			nvml.Shutdown()
			open = false
		}
	}
}
