// SPDX-License-Identifier: Apache-2.0

// prometheus [PORT]: a daemon that answers http://127.0.0.1:PORT/metrics with power, temperature, use and memory of every
// GPU in the text form that Prometheus reads; without PORT it writes them once. What a GPU does not have is left out; one
// that is lost is counted by itself.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

type gpu struct {
	labels string
	device nvml.Device
}

// One metric of all GPUs.
func metric(out io.Writer, gpus []gpu, name, help string, read func(nvml.Device) (float64, nvml.Return)) {
	fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
	for _, gpu := range gpus {
		if value, result := read(gpu.device); result == nvml.SUCCESS {
			fmt.Fprintf(out, "%s%s %s\n", name, gpu.labels, strconv.FormatFloat(value, 'f', -1, 64))
		}
	}
}

func power(device nvml.Device) (float64, nvml.Return) {
	milliwatts, result := device.GetPowerUsage()
	return float64(milliwatts) / 1000, result
}

func temperature(device nvml.Device) (float64, nvml.Return) {
	celsius, result := device.GetTemperature(nvml.TEMPERATURE_GPU)
	return float64(celsius), result
}

func use(device nvml.Device) (float64, nvml.Return) {
	rates, result := device.GetUtilizationRates()
	return float64(rates.Gpu), result
}

// With drivers that have it the second version, which does not count what is reserved as used.
func memory(device nvml.Device) (float64, nvml.Return) {
	if nvml.Extensions().LookupSymbol("nvmlDeviceGetMemoryInfo_v2") == nil {
		memory, result := device.GetMemoryInfo_v2()
		return float64(memory.Used), result
	}
	memory, result := device.GetMemoryInfo()
	return float64(memory.Used), result
}

func scrape(out io.Writer) {
	count, result := nvml.DeviceGetCount()
	if result != nvml.SUCCESS {
		fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
	}
	var gpus []gpu
	lost := 0
	for i := 0; i < count; i++ {
		device, result := nvml.DeviceGetHandleByIndex(i)
		if result != nvml.SUCCESS {
			fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
			lost++
			continue
		}
		uuid, _ := device.GetUUID()
		name, _ := device.GetName()
		gpus = append(gpus, gpu{fmt.Sprintf("{uuid=%q,name=%q}", uuid, name), device})
	}
	fmt.Fprintf(out, "# HELP gpus_refused GPUs that cannot be asked.\n# TYPE gpus_refused gauge\ngpus_refused %d\n", lost)
	metric(out, gpus, "gpu_power_watts", "Power that the board draws.", power)
	metric(out, gpus, "gpu_temperature_celsius", "Temperature of the chip.", temperature)
	metric(out, gpus, "gpu_use_percent", "Time in which a kernel ran.", use)
	metric(out, gpus, "gpu_memory_used_bytes", "Memory in use.", memory)
}

func main() {
	if result := nvml.Init(); result != nvml.SUCCESS {
		fmt.Fprintln(os.Stderr, nvml.ErrorString(result))
		os.Exit(1)
	}
	defer nvml.Shutdown()
	if len(os.Args) == 1 {
		scrape(os.Stdout)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("http://%s/metrics\n", listener.Addr())
	http.HandleFunc("/metrics", func(reply http.ResponseWriter, _ *http.Request) {
		reply.Header().Set("Content-Type", "text/plain; version=0.0.4")
		scrape(reply)
	})
	fmt.Fprintln(os.Stderr, http.Serve(listener, nil))
	os.Exit(1)
}
