// SPDX-License-Identifier: Apache-2.0
#include "drivers/cudart/images.hpp"

#include "drivers/cudart/symbol_table.hpp"
#include "engine/store/lock.hpp"

namespace nvmlab::cudart {

// One image in one context.
struct Loaded {
  CUcontext context;
  CUmodule module;
  Loaded* next;
};

struct Image {
  const void* wrapper;
  Symbol* symbols;
  Loaded* loaded;
};

namespace {

ThreadLock lock;
Blocks<Image> images;
Blocks<Symbol> symbols;
Blocks<Loaded> loads;
ByAddress<Symbol> by_host;

class Locked {
 public:
  Locked() { lock.lock(); }
  ~Locked() { lock.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

// The variable's memory becomes what the host's pointer shows; that of the first device, where there are several.
void show_managed(const Driver& below, const Image& image, CUmodule module) {
  for (Symbol* symbol = image.symbols; symbol != nullptr; symbol = symbol->next) {
    CUdeviceptr address = 0;
    if (symbol->kind != SymbolKind::managed || symbol->address != 0) continue;
    if (ask(below.cuModuleGetGlobal_v2, &address, nullptr, module, symbol->name) != cudaSuccess) continue;
    symbol->address = address;
    *static_cast<void**>(const_cast<void*>(symbol->host)) = pointer_to(address);
  }
}

// The module of an image in the current context.
cudaError_t module_of(const Driver& below, Image& image, CUcontext context, CUmodule* module) {
  for (const Loaded* each = image.loaded; each != nullptr; each = each->next) {
    if (each->context != context) continue;
    *module = each->module;
    return cudaSuccess;
  }
  if (const cudaError_t code = ask(below.cuModuleLoadData, module, image.wrapper); code != cudaSuccess) return code;
  Loaded* const made = loads.take();
  if (made == nullptr) return cudaErrorMemoryAllocation;
  *made = {context, *module, image.loaded};
  image.loaded = made;
  show_managed(below, image, *module);
  return cudaSuccess;
}

// Finds a symbol in the current context; under the lock.
cudaError_t locate(const Driver& below, Symbol& symbol) {
  CUcontext context = nullptr;
  if (const cudaError_t code = ask(below.cuCtxGetCurrent, &context); code != cudaSuccess) return code;
  if (symbol.context == context) return cudaSuccess;
  CUmodule module = nullptr;
  if (const cudaError_t code = module_of(below, *symbol.image, context, &module); code != cudaSuccess) return code;
  if (symbol.kind == SymbolKind::kernel) {
    const cudaError_t code = ask(below.cuModuleGetFunction, &symbol.function, module, symbol.name);
    if (code != cudaSuccess) return code == cudaErrorSymbolNotFound ? cudaErrorInvalidDeviceFunction : code;
  } else if (symbol.kind == SymbolKind::variable) {
    const cudaError_t code = ask(below.cuModuleGetGlobal_v2, &symbol.address, &symbol.bytes, module, symbol.name);
    if (code != cudaSuccess) return code == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : code;
  }
  symbol.context = context;
  return cudaSuccess;
}

// A managed variable is known by its memory too, which is all that a program shows of it.
Symbol* managed_at(const void* address) {
  Symbol* found = nullptr;
  symbols.for_each([&](Symbol& each) {
    if (each.kind == SymbolKind::managed && each.address != 0 && pointer_to(each.address) == address) found = &each;
  });
  return found;
}

void drop(Image& image, Loaded* each) {
  for (Symbol* symbol = image.symbols; symbol != nullptr; symbol = symbol->next) {
    if (symbol->context == each->context) symbol->context = nullptr;
    if (symbol->kind == SymbolKind::managed) symbol->address = 0;
  }
  loads.give_back(each);
}

}  // namespace

Image* register_image(const void* wrapper) {
  const Locked locked;
  Image* const made = images.take();
  if (made != nullptr) made->wrapper = wrapper;
  return made;
}

void unregister_image(Image* image) {
  const Locked locked;
  if (!images.has(image)) return;
  const Driver* below = image->loaded == nullptr ? nullptr : driver();
  while (Loaded* each = image->loaded) {
    image->loaded = each->next;
    if (below != nullptr) ask(below->cuModuleUnload, each->module);
    loads.give_back(each);
  }
  while (Symbol* each = image->symbols) {
    image->symbols = each->next;
    by_host.remove(each->host);
    symbols.give_back(each);
  }
  images.give_back(image);
}

Symbol* register_symbol(Image* image, SymbolKind kind, const void* host, const char* name, std::size_t bytes) {
  const Locked locked;
  if (!images.has(image) || host == nullptr || name == nullptr) return nullptr;
  Symbol* const made = symbols.take();
  if (made == nullptr || !by_host.put(host, made)) return nullptr;
  made->kind = kind;
  made->image = image;
  made->host = host;
  made->name = name;
  made->bytes = bytes;
  made->next = image->symbols;
  image->symbols = made;
  return made;
}

cudaError_t load_image(Image* image) {
  return with_context([&](const Driver& below) {
    const Locked locked;
    if (!images.has(image)) return cudaErrorInvalidResourceHandle;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    const cudaError_t code = ask(below.cuCtxGetCurrent, &context);
    return code == cudaSuccess ? module_of(below, *image, context, &module) : code;
  });
}

Symbol* find_symbol(const void* host) {
  const Locked locked;
  if (Symbol* known = by_host.find(host)) return known;
  return symbols.has(host) ? static_cast<Symbol*>(const_cast<void*>(host)) : nullptr;
}

cudaError_t function_of(const void* kernel, CUfunction* function) {
  return with_context([&](const Driver& below) {
    if (Symbol* symbol = find_symbol(kernel); symbol != nullptr && symbol->kind == SymbolKind::kernel) {
      const Locked locked;
      const cudaError_t code = locate(below, *symbol);
      *function = symbol->function;
      return code;
    }
    // What cudaLibraryGetKernel and cudaGetFuncBySymbol give is the driver's.
    int loaded = 0;
    *function = static_cast<CUfunction>(const_cast<void*>(kernel));
    return ask(below.cuFuncIsLoaded, &loaded, *function) == cudaSuccess ? cudaSuccess : cudaErrorInvalidDeviceFunction;
  });
}

cudaError_t variable_of(const void* host, CUdeviceptr* address, std::size_t* bytes) {
  return with_context([&](const Driver& below) {
    Symbol* symbol = find_symbol(host);
    const Locked locked;
    if (symbol == nullptr) symbol = managed_at(host);
    if (symbol == nullptr || symbol->kind == SymbolKind::kernel) return cudaErrorInvalidSymbol;
    const cudaError_t code = locate(below, *symbol);
    *address = symbol->address;
    *bytes = symbol->bytes;
    return code;
  });
}

const void* host_of(CUfunction function) {
  const Locked locked;
  const void* host = function;
  symbols.for_each([&](const Symbol& each) {
    if (each.kind == SymbolKind::kernel && each.context != nullptr && each.function == function) host = each.host;
  });
  return host;
}

void forget_loaded(CUcontext context) {
  const Locked locked;
  images.for_each([context](Image& image) {
    for (Loaded** at = &image.loaded; *at != nullptr;) {
      Loaded* const each = *at;
      if (each->context != context) {
        at = &each->next;
        continue;
      }
      *at = each->next;
      drop(image, each);
    }
  });
}

}  // namespace nvmlab::cudart
