// SPDX-License-Identifier: Apache-2.0

// events [COUNT]: tells of each XID error of the GPUs, until there were COUNT of them or it is interrupted.
package main

import (
	"fmt"
	"math"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

func fail(result nvml.Return) {
	fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
	os.Exit(1)
}

// Registers what can be watched, and answers how many GPUs there are and how many of them are watched.
func register(events nvml.EventSet) (int, int) {
	count, result := nvml.DeviceGetCount()
	if result != nvml.SUCCESS {
		fail(result)
	}
	watched := 0
	for i := 0; i < count; i++ {
		device, result := nvml.DeviceGetHandleByIndex(i)
		if result == nvml.SUCCESS {
			result = device.RegisterEvents(nvml.EventTypeXidCriticalError, events)
		}
		if result != nvml.SUCCESS {
			fmt.Fprintf(os.Stderr, "not watched: GPU %d: %s\n", i, nvml.ErrorString(result))
			continue
		}
		watched++
	}
	return count, watched
}

func main() {
	most := math.MaxInt
	if len(os.Args) > 1 {
		if value, err := strconv.Atoi(os.Args[1]); err == nil {
			most = value
		}
	}
	if result := nvml.Init(); result != nvml.SUCCESS {
		fail(result)
	}
	defer nvml.Shutdown()
	events, result := nvml.EventSetCreate()
	if result != nvml.SUCCESS {
		fail(result)
	}
	defer events.Free()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	count, watched := register(events)
	if watched == 0 {
		os.Exit(1)
	}
	fmt.Printf("watching %d GPUs\n", count)
	for seen := 0; seen < most; {
		select {
		case <-stop:
			return
		default:
		}
		event, result := events.Wait(100)
		if result == nvml.ERROR_TIMEOUT {
			continue
		}
		if result != nvml.SUCCESS {
			fail(result)
		}
		uuid, result := event.Device.GetUUID()
		if result != nvml.SUCCESS {
			uuid = "a GPU"
		}
		fmt.Printf("%s: XID %d\n", uuid, event.EventData)
		seen++
	}
}
