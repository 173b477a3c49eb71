// SPDX-License-Identifier: Apache-2.0
//! A Rust program that opens libnvidia-ml.so.1 by the C library's dlopen, without any crate.
use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_int, c_uint};

#[link(name = "dl")]
extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

const RTLD_NOW: c_int = 2;

/// The function of that name; `F` is its C signature.
unsafe fn find<F: Copy>(library: *mut c_void, name: &str) -> F {
    let text = CString::new(name).unwrap();
    let function = dlsym(library, text.as_ptr());
    assert!(!function.is_null(), "{} is not exported", name);
    std::mem::transmute_copy(&function)
}

fn must(name: &str, code: c_int) {
    assert_eq!(code, 0, "{}", name);
}

fn main() {
    unsafe {
        let file = CString::new("libnvidia-ml.so.1").unwrap();
        let library = dlopen(file.as_ptr(), RTLD_NOW);
        assert!(!library.is_null(), "libnvidia-ml.so.1 does not load");
        let init: extern "C" fn() -> c_int = find(library, "nvmlInit_v2");
        let shutdown: extern "C" fn() -> c_int = find(library, "nvmlShutdown");
        let get_count: extern "C" fn(*mut c_uint) -> c_int = find(library, "nvmlDeviceGetCount_v2");
        let get_device: extern "C" fn(c_uint, *mut *mut c_void) -> c_int =
            find(library, "nvmlDeviceGetHandleByIndex_v2");
        let get_name: extern "C" fn(*mut c_void, *mut c_char, c_uint) -> c_int = find(library, "nvmlDeviceGetName");

        let mut count: c_uint = 0;
        let mut device: *mut c_void = std::ptr::null_mut();
        let mut name = [0 as c_char; 96];
        must("nvmlInit_v2", init());
        must("nvmlDeviceGetCount_v2", get_count(&mut count));
        must("nvmlDeviceGetHandleByIndex_v2", get_device(0, &mut device));
        must("nvmlDeviceGetName", get_name(device, name.as_mut_ptr(), name.len() as c_uint));
        println!("{} {}", count, CStr::from_ptr(name.as_ptr()).to_str().unwrap());
        must("nvmlShutdown", shutdown());
        dlclose(library);
    }
}
