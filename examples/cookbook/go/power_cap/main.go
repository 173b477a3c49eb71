// SPDX-License-Identifier: Apache-2.0

// power_cap WATTS [ROUNDS]: a daemon that keeps the GPUs of a node within a budget, a round each second, until it is
// interrupted or has made ROUNDS. It leaves the boards' own limits behind.
package main

import (
	"fmt"
	"math"
	"os"
	"os/signal"
	"sort"
	"strconv"
	"syscall"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

type share struct {
	device nvml.Device
	least  uint32
	most   uint32
	draws  uint32
	limit  uint32
}

func lookAt(device nvml.Device) (share, nvml.Return) {
	least, most, result := device.GetPowerManagementLimitConstraints()
	if result != nvml.SUCCESS {
		return share{}, result
	}
	draws, result := device.GetPowerUsage()
	if result != nvml.SUCCESS {
		return share{}, result
	}
	return share{device, least, most, draws, least}, nvml.SUCCESS
}

// Everybody has at least what the board needs; the rest goes to those who draw most, as far as they may have it.
func divide(shares []share, budget uint64) {
	left := budget
	var draw uint64
	for _, share := range shares {
		left -= min(left, uint64(share.least))
		draw += uint64(share.draws)
	}
	sort.SliceStable(shares, func(a, b int) bool { return shares[a].draws > shares[b].draws })
	for i := range shares {
		share := &shares[i]
		var wanted uint64
		if draw > 0 {
			wanted = left * uint64(share.draws) / draw
		}
		more := min(wanted, uint64(share.most-share.least))
		share.limit = share.least + uint32(more)
		left -= more
		draw -= uint64(share.draws)
	}
}

func shareOut(devices []nvml.Device, budget uint64) {
	var shares []share
	for _, device := range devices {
		share, result := lookAt(device)
		if result != nvml.SUCCESS {
			fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
			continue
		}
		shares = append(shares, share)
	}
	divide(shares, budget)
	for _, share := range shares {
		if result := share.device.SetPowerManagementLimit(share.limit); result != nvml.SUCCESS {
			fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
		}
	}
}

func restore(devices []nvml.Device) {
	for _, device := range devices {
		if limit, result := device.GetPowerManagementDefaultLimit(); result == nvml.SUCCESS {
			device.SetPowerManagementLimit(limit)
		}
	}
}

func number(index int, otherwise uint64) uint64 {
	if len(os.Args) <= index {
		return otherwise
	}
	value, err := strconv.ParseUint(os.Args[index], 10, 64)
	if err != nil {
		return 0
	}
	return value
}

func main() {
	watts, rounds := number(1, 0), number(2, math.MaxUint64)
	if watts == 0 || watts > 1000000 {
		fmt.Fprintln(os.Stderr, "power_cap WATTS [ROUNDS]: WATTS is the budget of all GPUs together")
		os.Exit(2)
	}
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
	devices := make([]nvml.Device, 0, count)
	for i := 0; i < count; i++ {
		device, result := nvml.DeviceGetHandleByIndex(i)
		if result != nvml.SUCCESS {
			fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
			continue
		}
		devices = append(devices, device)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
loop:
	for round := uint64(0); round < rounds; round++ {
		if round > 0 {
			select {
			case <-stop:
				break loop
			case <-time.After(time.Second):
			}
		}
		shareOut(devices, watts*1000)
	}
	for _, device := range devices {
		if limit, result := device.GetPowerManagementLimit(); result == nvml.SUCCESS {
			fmt.Printf("%d W\n", limit/1000)
		}
	}
	restore(devices)
}
