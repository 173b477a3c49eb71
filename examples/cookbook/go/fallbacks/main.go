// SPDX-License-Identifier: Apache-2.0

// What drivers from 418 to 615 tell of each GPU, with one program. A function that the installed driver lacks ends the
// program where it is called, so each younger than 418 is looked up first, and what came before it is asked instead.
package main

import (
	"fmt"
	"os"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

func has(function string) bool {
	return nvml.Extensions().LookupSymbol(function) == nil
}

func textOr(result nvml.Return, text string) string {
	if result != nvml.SUCCESS {
		return nvml.ErrorString(result)
	}
	return text
}

func showMemory(device nvml.Device) {
	if has("nvmlDeviceGetMemoryInfo_v2") {
		memory, result := device.GetMemoryInfo_v2()
		if result == nvml.SUCCESS {
			fmt.Printf("  memory: %d MiB, reserved: %d MiB\n", memory.Total>>20, memory.Reserved>>20)
			return
		}
	}
	memory, result := device.GetMemoryInfo()
	fmt.Println("  memory:", textOr(result, fmt.Sprintf("%d MiB, reserved: not told", memory.Total>>20)))
}

func processes(device nvml.Device) string {
	list, result := device.GetComputeRunningProcesses()
	return textOr(result, fmt.Sprint(len(list)))
}

func heldBack(device nvml.Device) string {
	ask := device.GetCurrentClocksEventReasons
	if !has("nvmlDeviceGetCurrentClocksEventReasons") {
		ask = device.GetCurrentClocksThrottleReasons
	}
	reasons, result := ask()
	if reasons&nvml.ClocksEventReasonSwPowerCap != 0 {
		return textOr(result, "yes")
	}
	return textOr(result, "no")
}

func temperature(device nvml.Device) string {
	celsius, result := device.GetTemperature(nvml.TEMPERATURE_GPU)
	return textOr(result, fmt.Sprintf("%d C", celsius))
}

func migMode(device nvml.Device) string {
	if !has("nvmlDeviceGetMigMode") {
		return nvml.ErrorString(nvml.ERROR_FUNCTION_NOT_FOUND)
	}
	current, _, result := device.GetMigMode()
	if current == nvml.DEVICE_MIG_ENABLE {
		return textOr(result, "enabled")
	}
	return textOr(result, "disabled")
}

func lanes(device nvml.Device) string {
	width, result := device.GetMaxPcieLinkWidth()
	return textOr(result, fmt.Sprint(width))
}

func firmware(device nvml.Device) string {
	if !has("nvmlDeviceGetGspFirmwareVersion") {
		return nvml.ErrorString(nvml.ERROR_FUNCTION_NOT_FOUND)
	}
	version, result := device.GetGspFirmwareVersion()
	return textOr(result, version)
}

func show(device nvml.Device) {
	name, result := device.GetName()
	if result != nvml.SUCCESS {
		name = "a GPU"
	}
	fmt.Println(name)
	showMemory(device)
	fmt.Println("  processes:", processes(device))
	fmt.Println("  held back by its limit:", heldBack(device))
	fmt.Println("  temperature:", temperature(device))
	fmt.Println("  MIG:", migMode(device))
	fmt.Println("  lanes:", lanes(device))
	fmt.Println("  firmware:", firmware(device))
}

func main() {
	if result := nvml.Init(); result != nvml.SUCCESS {
		fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
		os.Exit(1)
	}
	defer nvml.Shutdown()
	version, result := nvml.SystemGetDriverVersion()
	if result != nvml.SUCCESS {
		version = "N/A"
	}
	fmt.Println("driver", version)
	count, result := nvml.DeviceGetCount()
	if result != nvml.SUCCESS {
		fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
		os.Exit(1)
	}
	for i := 0; i < count; i++ {
		device, result := nvml.DeviceGetHandleByIndex(i)
		if result != nvml.SUCCESS {
			fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
			continue
		}
		show(device)
	}
}
