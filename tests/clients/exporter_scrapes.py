# SPDX-License-Identifier: Apache-2.0
# Scrapes an exporter of a machine with a virtual clock once a minute of its time, and prints the series as a unit test of
# promtool has them: exporter_scrapes.py URL NVMLAB MACHINE MINUTES METRIC...
import subprocess
import sys
import time
import urllib.request

url, nvmlab, machine, minutes, wanted = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5:]


def scrape():
    for _ in range(3000):  # it may not listen yet; a deadline of 300 s
        try:
            return urllib.request.urlopen(url, timeout=300).read().decode()
        except OSError:
            time.sleep(0.1)
    sys.exit("exporter_scrapes.py: nobody answers at " + url)


series = {name: [] for name in wanted}
for minute in range(minutes + 1):
    if minute > 0:
        subprocess.run([nvmlab, "clock", "--machine", machine, "advance", "1m"], check=True)
    found = {}
    for line in scrape().splitlines():
        name = line.split("{")[0].split(" ")[0]
        if name in series:
            found[name] = line.rsplit(" ", 1)[1]
    for name in wanted:
        series[name].append(found.get(name, "_"))
for name in wanted:
    print("      - series: '%s{uuid=\"gpu\"}'" % name)
    print("        values: '%s'" % " ".join(series[name]))
