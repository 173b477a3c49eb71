// SPDX-License-Identifier: Apache-2.0
//
// What CUDA's driver API tells of each device, under the labels by which NVIDIA's deviceQuery sample prints the same,
// so that its output on a real board can be held against ours. Opens libcuda.so.1 as any program does. Written from the
// labels that captures show.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

void* library = nullptr;

// Calls the function of this name with these arguments.
template <class Signature, class... Arguments>
int call(const char* name, Arguments... arguments) {
  void* const found = dlsym(library, name);
  if (found == nullptr) {
    fprintf(stderr, "%s is missing\n", name);
    std::exit(3);
  }
  return reinterpret_cast<Signature*>(found)(arguments...);
}

int attribute(int id, int device) {
  int value = 0;
  int code = call<int(int*, int, int)>("cuDeviceGetAttribute", &value, id, device);
  if (code != 0) {
    fprintf(stderr, "attribute %d: %d\n", id, code);
    std::exit(4);
  }
  return value;
}

void yes_no(const char* label, int id, int device) { printf("%s: %s\n", label, attribute(id, device) ? "Yes" : "No"); }

void number(const char* label, int id, int device, const char* unit) {
  printf("%s: %d%s\n", label, attribute(id, device), unit);
}

void limits(int device) {
  printf("Maximum Texture Dimension Size (x,y,z): 1D=(%d), 2D=(%d, %d), 3D=(%d, %d, %d)\n", attribute(21, device),
         attribute(22, device), attribute(23, device), attribute(24, device), attribute(25, device),
         attribute(26, device));
  printf("Maximum Layered 1D Texture Size, (num) layers: 1D=(%d), %d layers\n", attribute(42, device),
         attribute(43, device));
  printf("Maximum Layered 2D Texture Size, (num) layers: 2D=(%d, %d), %d layers\n", attribute(27, device),
         attribute(28, device), attribute(29, device));
  number("Total amount of constant memory", 9, device, " bytes");
  number("Total amount of shared memory per block", 8, device, " bytes");
  number("Total shared memory per multiprocessor", 81, device, " bytes");
  number("Total number of registers available per block", 12, device, "");
  number("Warp size", 10, device, "");
  number("Maximum number of threads per multiprocessor", 39, device, "");
  number("Maximum number of threads per block", 1, device, "");
  printf("Max dimension size of a thread block (x,y,z): (%d, %d, %d)\n", attribute(2, device), attribute(3, device),
         attribute(4, device));
  printf("Max dimension size of a grid size (x,y,z): (%d, %d, %d)\n", attribute(5, device), attribute(6, device),
         attribute(7, device));
  number("Maximum memory pitch", 11, device, " bytes");
  number("Texture alignment", 14, device, " bytes");
}

void features(int device) {
  printf("Concurrent copy and kernel execution: %s with %d copy engine(s)\n", attribute(15, device) ? "Yes" : "No",
         attribute(40, device));
  yes_no("Run time limit on kernels", 17, device);
  yes_no("Integrated GPU sharing Host Memory", 18, device);
  yes_no("Support host page-locked memory mapping", 19, device);
  yes_no("Alignment requirement for Surfaces", 30, device);
  printf("Device has ECC support: %s\n", attribute(32, device) ? "Enabled" : "Disabled");
  yes_no("Device supports Unified Addressing (UVA)", 41, device);
  yes_no("Device supports Managed Memory", 83, device);
  yes_no("Device supports Compute Preemption", 90, device);
  yes_no("Supports Cooperative Kernel Launch", 95, device);
  yes_no("Supports MultiDevice Co-op Kernel Launch", 96, device);
  printf("Device PCI Domain ID / Bus ID / location ID: %d / %d / %d\n", attribute(50, device), attribute(33, device),
         attribute(34, device));
  printf("Compute Mode: %d\n", attribute(20, device));
}

void describe(int device) {
  char name[256];
  std::size_t memory = 0;
  int release = 0;
  call<int(char*, int, int)>("cuDeviceGetName", name, int{sizeof name}, device);
  call<int(std::size_t*, int)>("cuDeviceTotalMem_v2", &memory, device);
  call<int(int*)>("cuDriverGetVersion", &release);
  printf("Device %d: \"%s\"\n", device, name);
  printf("CUDA Driver Version: %d.%d\n", release / 1000, release % 100 / 10);
  printf("CUDA Capability Major/Minor version number: %d.%d\n", attribute(75, device), attribute(76, device));
  printf("Total amount of global memory: %.0f MBytes (%zu bytes)\n", static_cast<double>(memory) / 1048576, memory);
  number("Multiprocessors", 16, device, "");
  printf("GPU Max Clock rate: %.0f MHz\n", attribute(13, device) * 1e-3);
  printf("Memory Clock rate: %.0f Mhz\n", attribute(36, device) * 1e-3);
  number("Memory Bus Width", 37, device, "-bit");
  number("L2 Cache Size", 38, device, " bytes");
  limits(device);
  features(device);
}

void peers(int count) {
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      int can = 0;
      if (from == to || call<int(int*, int, int)>("cuDeviceCanAccessPeer", &can, from, to) != 0) continue;
      printf("Peer access GPU%d -> GPU%d: %s\n", from, to, can ? "Yes" : "No");
    }
  }
}

}  // namespace

int main() {
  int count = 0;
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  int code = call<int(unsigned)>("cuInit", 0u);
  if (code != 0) {
    printf("cuInit: %d\n", code);
    return 1;
  }
  call<int(int*)>("cuDeviceGetCount", &count);
  for (int device = 0; device < count; ++device)
    describe(device);
  peers(count);
  return 0;
}
