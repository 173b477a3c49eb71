// SPDX-License-Identifier: Apache-2.0

// Waits for critical errors of GPU 0 with NVIDIA's Go binding, as `nvmlab-bench-events --wait` does in C++.
package main

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

const last = 0xFFFF

// Of the clock that the other waiters use; package time keeps its own to itself.
func monotonicNs() int64 {
	const clockMonotonic = 1
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

func must(what string, result nvml.Return) {
	if result != nvml.SUCCESS {
		fmt.Fprintf(os.Stderr, "%s: %s\n", what, nvml.ErrorString(result))
		os.Exit(1)
	}
}

func main() {
	must("Init", nvml.Init())
	events, result := nvml.EventSetCreate()
	must("EventSetCreate", result)
	device, result := nvml.DeviceGetHandleByIndex(0)
	must("DeviceGetHandleByIndex", result)
	must("RegisterEvents", device.RegisterEvents(nvml.EventTypeXidCriticalError, events))
	fmt.Println("ready")
	for data := uint64(0); data != last; {
		event, result := events.Wait(60000)
		must("Wait", result)
		data = event.EventData
		fmt.Println(data, monotonicNs())
	}
}
