# SPDX-License-Identifier: Apache-2.0
"""sampler [ROUNDS [MILLISECONDS]]: fields of every GPU, those of one GPU in one call of the driver, each with its unit;
"-" where a GPU or its driver has none."""
import sys
import time

import pynvml

FIELDS = [
    (pynvml.NVML_FI_DEV_POWER_INSTANT, "power_instant", " mW"),
    (pynvml.NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, "total_energy_consumption", " mJ"),
    (pynvml.NVML_FI_DEV_MEMORY_TEMP, "memory_temp", " C"),
    (pynvml.NVML_FI_DEV_PCIE_REPLAY_COUNTER, "pcie_replay_counter", ""),
    (pynvml.NVML_FI_DEV_ECC_DBE_VOL_TOTAL, "ecc_dbe_vol_total", ""),
]
MEMBERS = {
    pynvml.NVML_VALUE_TYPE_UNSIGNED_INT: "uiVal",
    pynvml.NVML_VALUE_TYPE_UNSIGNED_LONG: "ulVal",
    pynvml.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG: "ullVal",
    pynvml.NVML_VALUE_TYPE_SIGNED_INT: "siVal",
}


def sample(index, device):
    texts = [f"{index}:"]
    try:
        values = pynvml.nvmlDeviceGetFieldValues(device, [id for id, _, _ in FIELDS])
    except pynvml.NVMLError:
        values = [None] * len(FIELDS)
    for value, (_, name, unit) in zip(values, FIELDS):
        if value is None or value.nvmlReturn != pynvml.NVML_SUCCESS:
            texts.append(f"{name}=-")
        else:
            texts.append(
                f"{name}={getattr(value.value, MEMBERS[value.valueType])}{unit}"
            )
    print(*texts)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    pause = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        print(error, file=sys.stderr)
        return 1
    devices = [
        pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())
    ]
    for turn in range(rounds):
        if turn > 0:
            time.sleep(pause / 1000)
        for i, device in enumerate(devices):
            sample(i, device)
    pynvml.nvmlShutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
