// SPDX-License-Identifier: Apache-2.0
// Kernels in this process, without a driver: modules from text, memory of the host, launches.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernels_api.h"

namespace nvmlab::kernels_test {

inline std::string kernel_file(const std::string& name) {
  std::ifstream file(std::string(NVMLAB_KERNELS_FOLDER) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What kernels of this process may reach.
struct Reachable {
  std::uint64_t begin;
  std::uint64_t end;
};
inline std::vector<Reachable>& reachable_memory() {
  static std::vector<Reachable> all;
  return all;
}

// Textures and surfaces that they may use, by handle.
inline std::map<std::uint64_t, nvmlab_texture>& textures_of_process() {
  static std::map<std::uint64_t, nvmlab_texture> all;
  return all;
}

template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count, T value = T{}) : items_(count, value) { publish(); }
  explicit Buffer(std::vector<T> items) : items_(std::move(items)) { publish(); }
  ~Buffer() {
    std::erase_if(reachable_memory(), [this](const Reachable& each) { return each.begin == address(); });
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(items_.data()); }
  T& operator[](std::size_t i) { return items_[i]; }
  std::size_t size() const { return items_.size(); }

 private:
  void publish() { reachable_memory().push_back({address(), address() + items_.size() * sizeof(T)}); }
  std::vector<T> items_;
};

class Module {
 public:
  explicit Module(const std::string& text, std::uint32_t target = 90, std::uint32_t cuda = 0,
                  std::uint32_t most_registers = 0) {
    nvmlab_load request{};
    request.size = sizeof request;
    request.image = text.c_str();
    request.target = target;
    request.cuda = cuda;
    request.most_registers = most_registers;
    request.user = this;
    request.allocate = [](void* user, std::uint64_t bytes) {
      auto& memory = static_cast<Module*>(user)->memory_;
      memory = std::make_unique<Buffer<std::uint64_t>>(bytes / 8 + 1);
      return memory->address();
    };
    code_ = table().load(&request);
    message_ = request.message;
    module_ = request.module;
  }
  ~Module() {
    if (module_ != nullptr) table().unload(module_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  static const nvmlab_kernels& table() { return *nvmlab_kernels_table(); }
  int code() const { return code_; }
  const std::string& message() const { return message_; }

  // Parameters are of 8 bytes, or a smaller last one. What went wrong; code -1: no such kernel.
  nvmlab_fault launch(const char* name, std::uint32_t blocks, std::uint32_t threads,
                      const std::vector<std::uint64_t>& parameters = {}, std::uint32_t dynamic_shared = 0,
                      bool cooperative = false) const {
    return launch_grid(name, {{blocks, 1, 1}, threads, {}, dynamic_shared, cooperative}, parameters);
  }

  struct Shape {
    std::uint32_t grid[3];
    std::uint32_t threads;
    std::uint32_t cluster[3];  // 0: as the kernel is declared
    std::uint32_t dynamic_shared = 0;
    bool cooperative = false;
  };
  nvmlab_fault launch_grid(const char* name, const Shape& shape, const std::vector<std::uint64_t>& parameters) const {
    nvmlab_fault fault{};
    const std::int64_t index = module_ == nullptr ? -1 : table().find_kernel(module_, name);
    fault.code = -1;
    if (index < 0) return fault;
    nvmlab_launch request{};
    request.size = sizeof request;
    request.kernel = table().nth_kernel(module_, static_cast<std::uint32_t>(index));
    for (int i = 0; i < 3; ++i) {
      request.grid[i] = shape.grid[i];
      request.block[i] = 1;
      request.cluster[i] = shape.cluster[i];
    }
    request.block[0] = shape.threads;
    request.dynamic_shared_bytes = shape.dynamic_shared;
    request.parameters = parameters.data();
    request.stack_bytes = 1024;
    request.multiprocessors = 132;
    request.find = [](void*, std::uint64_t address, std::uint64_t* begin, std::uint64_t* end) {
      for (const Reachable& each : reachable_memory()) {
        if (address < each.begin || address >= each.end) continue;
        *begin = each.begin;
        *end = each.end;
        return 1;
      }
      return 0;
    };
    request.texture = [](void*, std::uint64_t handle, nvmlab_texture* out) {
      const auto found = textures_of_process().find(handle);
      if (found == textures_of_process().end()) return 0;
      *out = found->second;
      return 1;
    };
    request.cooperative = shape.cooperative ? 1 : 0;
    const int code = table().launch(&request, &fault);
    if (fault.code == 0) fault.code = code;
    return fault;
  }

  nvmlab_kernel_facts facts(const char* name) const {
    nvmlab_kernel_facts found{};
    const std::int64_t index = module_ == nullptr ? -1 : table().find_kernel(module_, name);
    if (index >= 0) table().describe(table().nth_kernel(module_, static_cast<std::uint32_t>(index)), &found);
    return found;
  }

  nvmlab_variable variable(const char* name) const {
    nvmlab_variable found{};
    table().find_variable(module_, name, &found);
    return found;
  }

 private:
  nvmlab_module* module_ = nullptr;
  int code_ = -1;
  std::string message_;
  std::unique_ptr<Buffer<std::uint64_t>> memory_;
};

}  // namespace nvmlab::kernels_test
