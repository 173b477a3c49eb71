// SPDX-License-Identifier: Apache-2.0

// A Go program that opens libnvidia-ml.so.1 through cgo, lazily bound, as Go's NVML bindings do.
package main

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

typedef int (*no_arguments)(void);
typedef int (*get_count)(unsigned*);
typedef int (*get_device)(unsigned, void**);
typedef int (*get_name)(void*, char*, unsigned);

static int call_no_arguments(void* f) { return ((no_arguments)f)(); }
static int call_get_count(void* f, unsigned* count) { return ((get_count)f)(count); }
static int call_get_device(void* f, unsigned index, void** device) { return ((get_device)f)(index, device); }
static int call_get_name(void* f, void* device, char* name, unsigned size) { return ((get_name)f)(device, name, size); }
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

var library unsafe.Pointer

func find(name string) unsafe.Pointer {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	function := C.dlsym(library, text)
	if function == nil {
		fmt.Fprintln(os.Stderr, C.GoString(C.dlerror()))
		os.Exit(1)
	}
	return function
}

func must(name string, code C.int) {
	if code != 0 {
		fmt.Fprintf(os.Stderr, "%s: %d\n", name, int(code))
		os.Exit(1)
	}
}

func main() {
	file := C.CString("libnvidia-ml.so.1")
	defer C.free(unsafe.Pointer(file))
	library = C.dlopen(file, C.RTLD_LAZY|C.RTLD_GLOBAL)
	if library == nil {
		fmt.Fprintln(os.Stderr, C.GoString(C.dlerror()))
		os.Exit(1)
	}
	var count C.uint
	// C memory: a library may not keep or be given pointers to Go's.
	device := (*unsafe.Pointer)(C.calloc(1, 8))
	name := (*C.char)(C.calloc(1, 96))
	must("nvmlInit_v2", C.call_no_arguments(find("nvmlInit_v2")))
	must("nvmlDeviceGetCount_v2", C.call_get_count(find("nvmlDeviceGetCount_v2"), &count))
	must("nvmlDeviceGetHandleByIndex_v2", C.call_get_device(find("nvmlDeviceGetHandleByIndex_v2"), 0, device))
	must("nvmlDeviceGetName", C.call_get_name(find("nvmlDeviceGetName"), *device, name, 96))
	must("nvmlShutdown", C.call_no_arguments(find("nvmlShutdown")))
	fmt.Printf("%d %s\n", uint(count), C.GoString(name))
}
