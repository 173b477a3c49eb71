# SPDX-License-Identifier: Apache-2.0
"""Results of a client's kernels held against NumPy: `Checks` counts them, and tells of them as JSON when the script ends."""
import json

import numpy


class Checks:
    def __init__(self, version):
        self.told = {"version": version, "passed": 0, "failed": []}

    def equal(self, name, got, expected):
        """To the bit, and of the same shape."""
        self._count(name, got, expected, numpy.array_equal(got, expected))

    def close(self, name, got, expected, rtol=1e-5, atol=1e-6):
        got, expected = numpy.asarray(got), numpy.asarray(expected)
        self._count(name, got, expected, got.shape == expected.shape and numpy.allclose(got, expected, rtol=rtol, atol=atol, equal_nan=True))

    def holds(self, name, claim, seen=""):
        self._count(name, seen, "it to hold", bool(claim))

    def _count(self, name, got, expected, good):
        if good:
            self.told["passed"] += 1
        else:
            self.told["failed"].append(f"{name}: got {str(got)[:300]}, expected {str(expected)[:300]}")

    def attempt(self, name, what):
        """Whatever goes wrong in `what` is one failure, and the others are still tried."""
        try:
            what()
        except Exception as error:  # of any client
            self.told["failed"].append(f"{name}: {type(error).__name__}: {str(error)[:300]}")

    def tell(self, **more):
        print(json.dumps({**self.told, **more}))
