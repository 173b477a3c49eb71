// SPDX-License-Identifier: Apache-2.0

// threads [READINGS]: a goroutine for each GPU reads its power so many times; another one asks for what all of them have
// in common.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

type count struct {
	readings int
	errors   int
}

func read(index, readings int) count {
	device, result := nvml.DeviceGetHandleByIndex(index)
	if result != nvml.SUCCESS {
		return count{0, readings}
	}
	var all count
	for i := 0; i < readings; i++ {
		if _, result := device.GetPowerUsage(); result == nvml.SUCCESS {
			all.readings++
		} else {
			all.errors++
		}
	}
	return all
}

func main() {
	readings := 1000
	if len(os.Args) > 1 {
		if value, err := strconv.Atoi(os.Args[1]); err == nil {
			readings = value
		}
	}
	if result := nvml.Init(); result != nvml.SUCCESS {
		fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
		os.Exit(1)
	}
	defer nvml.Shutdown()
	gpus, result := nvml.DeviceGetCount()
	if result != nvml.SUCCESS {
		fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
		os.Exit(1)
	}
	counts := make([]count, gpus)
	version := "N/A"
	var all sync.WaitGroup
	for i := range counts {
		all.Add(1)
		go func(index int) {
			defer all.Done()
			counts[index] = read(index, readings)
		}(i)
	}
	all.Add(1)
	go func() {
		defer all.Done()
		if text, result := nvml.SystemGetDriverVersion(); result == nvml.SUCCESS {
			version = text
		}
	}()
	all.Wait()
	for i, count := range counts {
		fmt.Printf("GPU %d: %d readings, %d errors\n", i, count.readings, count.errors)
	}
	fmt.Printf("driver %s\n", version)
}
