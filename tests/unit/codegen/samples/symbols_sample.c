/* SPDX-License-Identifier: Apache-2.0 */
/* Exports two names of NVML's and one that is not; imports one that must not count. */
extern int nvmlSampleImported(void) __attribute__((weak));

int nvmlSampleTwo(void) { return nvmlSampleImported ? nvmlSampleImported() : 0; }
int nvmlSampleOne(void) { return 1; }
int sample_other(void) { return 2; }
int nvmlSampleData = 3;
