# SPDX-License-Identifier: Apache-2.0
"""What scripts/client-suites is made of."""
