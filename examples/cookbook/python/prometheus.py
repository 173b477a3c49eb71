# SPDX-License-Identifier: Apache-2.0
"""prometheus [PORT]: a daemon that answers http://127.0.0.1:PORT/metrics with power, temperature, use and memory of every
GPU in the text form that Prometheus reads; without PORT it writes them once. What a GPU does not have is left out; one
that is lost is counted by itself."""
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import pynvml


def power(device):
    return pynvml.nvmlDeviceGetPowerUsage(device) / 1000


def temperature(device):
    return pynvml.nvmlDeviceGetTemperature(device, pynvml.NVML_TEMPERATURE_GPU)


def use(device):
    return pynvml.nvmlDeviceGetUtilizationRates(device).gpu


def memory(device):
    """With drivers that have it the second version, which does not count what is reserved as used."""
    try:
        return pynvml.nvmlDeviceGetMemoryInfo(device, version=pynvml.nvmlMemory_v2).used
    except pynvml.NVMLError_FunctionNotFound:
        return pynvml.nvmlDeviceGetMemoryInfo(device).used


METRICS = [
    ("gpu_power_watts", "Power that the board draws.", power),
    ("gpu_temperature_celsius", "Temperature of the chip.", temperature),
    ("gpu_use_percent", "Time in which a kernel ran.", use),
    ("gpu_memory_used_bytes", "Memory in use.", memory),
]


def all_gpus():
    """The labels and the device of each GPU that can be asked, and how many cannot."""
    gpus, lost = [], 0
    for i in range(pynvml.nvmlDeviceGetCount()):
        try:
            device = pynvml.nvmlDeviceGetHandleByIndex(i)
            uuid = pynvml.nvmlDeviceGetUUID(device)
            name = pynvml.nvmlDeviceGetName(device)
            gpus.append((f'{{uuid="{uuid}",name="{name}"}}', device))
        except pynvml.NVMLError as error:
            print(error, file=sys.stderr)
            lost += 1
    return gpus, lost


def scrape():
    gpus, lost = all_gpus()
    lines = [
        "# HELP gpus_refused GPUs that cannot be asked.",
        "# TYPE gpus_refused gauge",
        f"gpus_refused {lost}",
    ]
    for name, help, read in METRICS:
        lines += [f"# HELP {name} {help}", f"# TYPE {name} gauge"]
        for labels, device in gpus:
            try:
                lines.append(f"{name}{labels} {read(device):.12g}")
            except pynvml.NVMLError:
                continue
    return "\n".join(lines) + "\n"


class Metrics(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/metrics":
            self.send_error(404)
            return
        body = scrape().encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        print(error, file=sys.stderr)
        return 1
    if len(sys.argv) == 1:
        print(scrape(), end="")
        return 0
    server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Metrics)
    print(f"http://127.0.0.1:{server.server_port}/metrics", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
