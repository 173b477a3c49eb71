# SPDX-License-Identifier: Apache-2.0
"""power_cap WATTS [ROUNDS]: a daemon that keeps the GPUs of a node within a budget, a round each second, until it is
interrupted or has made ROUNDS. It leaves the boards' own limits behind."""
import signal
import sys
import threading
from dataclasses import dataclass

import pynvml


@dataclass
class Share:
    device: object
    least: int
    most: int
    draws: int
    limit: int


def look_at(device):
    least, most = pynvml.nvmlDeviceGetPowerManagementLimitConstraints(device)
    return Share(device, least, most, pynvml.nvmlDeviceGetPowerUsage(device), least)


def divide(shares, budget):
    """Everybody has at least what the board needs; the rest goes to those who draw most, as far as they may have it."""
    left = max(0, budget - sum(share.least for share in shares))
    draw = sum(share.draws for share in shares)
    for share in sorted(shares, key=lambda share: -share.draws):
        wanted = left * share.draws // draw if draw > 0 else 0
        more = min(wanted, share.most - share.least)
        share.limit = share.least + more
        left -= more
        draw -= share.draws


def share_out(devices, budget):
    shares = []
    for device in devices:
        try:
            shares.append(look_at(device))
        except pynvml.NVMLError as error:
            print(error, file=sys.stderr)
    divide(shares, budget)
    for share in shares:
        try:
            pynvml.nvmlDeviceSetPowerManagementLimit(share.device, share.limit)
        except pynvml.NVMLError as error:
            print(error, file=sys.stderr)


def restore(devices):
    for device in devices:
        try:
            limit = pynvml.nvmlDeviceGetPowerManagementDefaultLimit(device)
            pynvml.nvmlDeviceSetPowerManagementLimit(device, limit)
        except pynvml.NVMLError:
            pass


def all_devices():
    for i in range(pynvml.nvmlDeviceGetCount()):
        try:
            yield pynvml.nvmlDeviceGetHandleByIndex(i)
        except pynvml.NVMLError as error:
            print(error, file=sys.stderr)


def number(index, otherwise):
    if len(sys.argv) <= index:
        return otherwise
    return int(sys.argv[index]) if sys.argv[index].isdecimal() else 0


def main():
    watts, rounds = number(1, 0), number(2, sys.maxsize)
    if not 0 < watts <= 1_000_000:
        print(
            "power_cap WATTS [ROUNDS]: WATTS is the budget of all GPUs together",
            file=sys.stderr,
        )
        return 2
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        print(error, file=sys.stderr)
        return 1
    stop = threading.Event()
    for number_of_signal in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number_of_signal, lambda *_: stop.set())
    devices = list(all_devices())
    for turn in range(rounds):
        if turn > 0 and stop.wait(1):
            break
        share_out(devices, watts * 1000)
    for device in devices:
        try:
            print(pynvml.nvmlDeviceGetPowerManagementLimit(device) // 1000, "W")
        except pynvml.NVMLError:
            pass
    restore(devices)
    pynvml.nvmlShutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
