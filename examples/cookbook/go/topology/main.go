// SPDX-License-Identifier: Apache-2.0

// How near each GPU is to each other one: by NVLink, or through which part of the host.
package main

import (
	"fmt"
	"os"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// Links that lead to that GPU, or to a switch that all GPUs hang on. What drivers before 470 lack ends the program
// where it is called, so it is looked up first.
func linksBetween(from, to nvml.Device) int {
	bus, result := to.GetPciInfo()
	if result != nvml.SUCCESS {
		return 0
	}
	knowsSwitches := nvml.Extensions().LookupSymbol("nvmlDeviceGetNvLinkRemoteDeviceType") == nil
	links := 0
	for link := 0; link < nvml.NVLINK_MAX_LINKS; link++ {
		state, result := from.GetNvLinkState(link)
		if result != nvml.SUCCESS || state != nvml.FEATURE_ENABLED {
			continue
		}
		if knowsSwitches {
			kind, result := from.GetNvLinkRemoteDeviceType(link)
			if result == nvml.SUCCESS && kind == nvml.NVLINK_DEVICE_TYPE_SWITCH {
				links++
				continue
			}
		}
		there, result := from.GetNvLinkRemotePciInfo(link)
		if result == nvml.SUCCESS && there.BusId == bus.BusId {
			links++
		}
	}
	return links
}

func path(from, to nvml.Device) string {
	if links := linksBetween(from, to); links > 0 {
		return fmt.Sprintf("NV%d", links)
	}
	level, result := from.GetTopologyCommonAncestor(to)
	if result != nvml.SUCCESS {
		return nvml.ErrorString(result)
	}
	switch level {
	case nvml.TOPOLOGY_INTERNAL:
		return "same board"
	case nvml.TOPOLOGY_SINGLE:
		return "PIX"
	case nvml.TOPOLOGY_MULTIPLE:
		return "PXB"
	case nvml.TOPOLOGY_HOSTBRIDGE:
		return "PHB"
	case nvml.TOPOLOGY_NODE:
		return "NODE"
	default:
		return "SYS"
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
	devices := make([]nvml.Device, count)
	for i := range devices {
		if devices[i], result = nvml.DeviceGetHandleByIndex(i); result != nvml.SUCCESS {
			fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
			os.Exit(1)
		}
	}
	for i, from := range devices {
		for k, to := range devices {
			if i == k {
				fmt.Printf("%6s", "X")
			} else {
				fmt.Printf("%6s", path(from, to))
			}
		}
		fmt.Println()
	}
}
