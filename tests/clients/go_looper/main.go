// SPDX-License-Identifier: Apache-2.0

// Asks for the power limits of two GPUs with NVIDIA's Go binding, over and over, by the handles that it got at first, and
// how many GPUs there are. Prints what it found whenever that differs from before. With -restart it starts over when it
// has lost a GPU, as exporters do. Ends with an interrupt.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

const watched = 2

func count() string {
	number, result := nvml.DeviceGetCount()
	if result != nvml.SUCCESS {
		return nvml.ErrorString(result)
	}
	return fmt.Sprint(number)
}

func limit(device nvml.Device) (string, nvml.Return) {
	milliwatts, result := device.GetPowerManagementLimit()
	if result != nvml.SUCCESS {
		return nvml.ErrorString(result), result
	}
	return fmt.Sprint(milliwatts, " mW"), result
}

func devices() []nvml.Device {
	var found []nvml.Device
	for i := 0; i < watched; i++ {
		device, result := nvml.DeviceGetHandleByIndex(i)
		if result != nvml.SUCCESS {
			break
		}
		found = append(found, device)
	}
	return found
}

// What one round found, and whether a GPU is lost.
func round(held []nvml.Device) (string, bool) {
	said := []string{"GPUs: " + count()}
	lost := false
	for i, device := range held {
		text, result := limit(device)
		said = append(said, fmt.Sprintf("%d: %s", i, text))
		lost = lost || result == nvml.ERROR_GPU_IS_LOST
	}
	return strings.Join(said, ", "), lost
}

func main() {
	restart := flag.Bool("restart", false, "start over when a GPU is lost")
	flag.Parse()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	before := ""
	say := func(text string) {
		if text != before {
			fmt.Println(text)
		}
		before = text
	}
	var held []nvml.Device
	for up := false; ; {
		select {
		case <-interrupted:
			fmt.Println("interrupted")
			return
		case <-time.After(10 * time.Millisecond):
		}
		if !up {
			if result := nvml.Init(); result != nvml.SUCCESS {
				say("Init: " + nvml.ErrorString(result))
				continue
			}
			up = true
			held = devices()
		}
		text, lost := round(held)
		say(text)
		if lost && *restart {
			nvml.Shutdown()
			up = false
		}
	}
}
