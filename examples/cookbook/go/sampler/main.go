// SPDX-License-Identifier: Apache-2.0

// sampler [ROUNDS [MILLISECONDS]]: fields of every GPU, those of one GPU in one call of the driver, each with its unit;
// "-" where a GPU or its driver has none.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

var fields = []struct {
	id   uint32
	name string
	unit string
}{
	{nvml.FI_DEV_POWER_INSTANT, "power_instant", " mW"},
	{nvml.FI_DEV_TOTAL_ENERGY_CONSUMPTION, "total_energy_consumption", " mJ"},
	{nvml.FI_DEV_MEMORY_TEMP, "memory_temp", " C"},
	{nvml.FI_DEV_PCIE_REPLAY_COUNTER, "pcie_replay_counter", ""},
	{nvml.FI_DEV_ECC_DBE_VOL_TOTAL, "ecc_dbe_vol_total", ""},
}

func number(value nvml.FieldValue) string {
	bytes := value.Value[:]
	switch nvml.ValueType(value.ValueType) {
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		return fmt.Sprint(binary.NativeEndian.Uint32(bytes))
	case nvml.VALUE_TYPE_SIGNED_INT:
		return fmt.Sprint(int32(binary.NativeEndian.Uint32(bytes)))
	default:
		return fmt.Sprint(binary.NativeEndian.Uint64(bytes))
	}
}

func sample(index int, device nvml.Device) {
	values := make([]nvml.FieldValue, len(fields))
	for i, field := range fields {
		values[i].FieldId = field.id
	}
	result := device.GetFieldValues(values)
	fmt.Printf("%d:", index)
	for i, field := range fields {
		if result != nvml.SUCCESS || nvml.Return(values[i].NvmlReturn) != nvml.SUCCESS {
			fmt.Printf(" %s=-", field.name)
			continue
		}
		fmt.Printf(" %s=%s%s", field.name, number(values[i]), field.unit)
	}
	fmt.Println()
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
		devices[i], _ = nvml.DeviceGetHandleByIndex(i)
	}
	for round := 0; round < rounds; round++ {
		if round > 0 {
			time.Sleep(time.Duration(pause) * time.Millisecond)
		}
		for i, device := range devices {
			sample(i, device)
		}
	}
}
