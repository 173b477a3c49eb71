# SPDX-License-Identifier: Apache-2.0
"""cookbook_scrapes.py ADDRESS: what an exporter answers there, whether it answers the same again, and what another path
answers. tests/clients/cookbook_test.cpp calls it."""
import sys
import urllib.error
import urllib.request


def scrape(address):
    with urllib.request.urlopen(address, timeout=300) as reply:
        return reply.read().decode()


address = sys.argv[1]
first = scrape(address)
print(first == scrape(address), first, sep="\n", end="")
try:
    scrape(address.replace("metrics", "other"))
except urllib.error.HTTPError as error:
    print(error.code)
