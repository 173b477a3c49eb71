// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs/graph_dot.hpp"

#include <cstring>

#include "drivers/cuda/graphs/conditions.hpp"
#include "drivers/cuda/graphs/node_work.hpp"
#include "drivers/cuda/modules/kernel_work.hpp"
#include "drivers/cuda/modules/modules.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {
namespace {

constexpr std::uint32_t kAll = 1;
constexpr std::uint32_t kKernels = 1U << 2;
constexpr std::uint32_t kCopies = 1U << 3;
constexpr std::uint32_t kFills = 1U << 4;
constexpr std::uint32_t kHosts = 1U << 5;
constexpr std::uint32_t kEvents = 1U << 6;
constexpr std::uint32_t kHandles = 1U << 10;
constexpr std::uint32_t kAllocations = 1U << 11;
constexpr std::uint32_t kFrees = 1U << 12;
constexpr std::uint32_t kWords = 1U << 13;
constexpr std::uint32_t kEdges = 1U << 14;

const char* name_of(std::uint32_t type) {
  constexpr const char* kNames[] = {"KERNEL",    "MEMCPY",     "MEMSET",       "HOST",           "GRAPH",
                                    "EMPTY",     "WAIT_EVENT", "EVENT_RECORD", "EXT_SEM_SIGNAL", "EXT_SEM_WAIT",
                                    "MEM_ALLOC", "MEM_FREE",   "BATCH_MEM_OP", "CONDITIONAL"};
  return type < sizeof kNames / sizeof kNames[0] ? kNames[type] : "UNKNOWN";
}

const char* side_of(int type) {
  constexpr const char* kSides[] = {"?", "HOST", "DEVICE", "ARRAY", "UNIFIED"};
  return type > 0 && type < 5 ? kSides[type] : kSides[0];
}

// A row of a label: its name and what it is.
template <class T>
void row(GrowingText& out, const char* name, T value) {
  out << "|{" << name << "|" << value << "}";
}
void shape(GrowingText& out, const char* name, const unsigned* of) {
  out << "|{" << name << "|" << std::uint64_t{of[0]} << " x " << std::uint64_t{of[1]} << " x " << std::uint64_t{of[2]}
      << "}";
}

class Node {
 public:
  Node(GraphNodeState& node, std::uint32_t flags, GrowingText& out) : node_(node), flags_(flags), out_(out) {}
  void write() {
    switch (static_cast<WorkType>(node_.type)) {
      case WorkType::kernel:
        return kernel();
      case WorkType::copy:
        return copy();
      case WorkType::fill:
        return fill();
      case WorkType::host:
        return host();
      case WorkType::wait:
      case WorkType::record:
        return event();
      case WorkType::allocate:
        return allocation();
      case WorkType::release:
        return release();
      case WorkType::words:
        return words();
      default:
        return;
    }
  }

 private:
  bool asked(std::uint32_t flag) const { return (flags_ & (flag | kAll)) != 0; }

  void kernel() {
    CUDA_KERNEL_NODE_PARAMS of{};
    if (tell_kernel(node_, &of) != CUDA_SUCCESS) return;  // its module is gone
    nvmlab_kernel_facts facts{};
    kernels()->describe(find_function(of.launch.func)->kernel, &facts);
    out_ << "|";
    out_.quoted(facts.name);
    if (asked(kHandles)) row(out_, "function", static_cast<const void*>(of.launch.func));
    if (!asked(kKernels)) return;
    shape(out_, "grid", &of.launch.gridDimX);
    shape(out_, "block", &of.launch.blockDimX);
    row(out_, "shared bytes", std::uint64_t{of.launch.sharedMemBytes});
  }
  void end(const char* name, int type, const void* address, std::uint64_t pitch) {
    out_ << "|{" << name << "|" << side_of(type) << "|" << address << "|pitch " << pitch << "}";
  }
  void copy() {
    CUDA_MEMCPY3D of{};
    if (tell_copy(node_, &of) != CUDA_SUCCESS) return;
    out_ << "|" << side_of(of.srcMemoryType) << " to " << side_of(of.dstMemoryType);
    if (!asked(kCopies)) return;
    const auto device = [](CUdeviceptr address) { return reinterpret_cast<const void*>(address); };
    end("from", of.srcMemoryType, of.srcMemoryType == kHostEnd ? of.srcHost : device(of.srcDevice), of.srcPitch);
    end("to", of.dstMemoryType, of.dstMemoryType == kHostEnd ? of.dstHost : device(of.dstDevice), of.dstPitch);
    row(out_, "bytes of a row", std::uint64_t{of.WidthInBytes});
    row(out_, "rows", std::uint64_t{of.Height});
    row(out_, "slices", std::uint64_t{of.Depth});
  }
  void fill() {
    CUDA_MEMSET_NODE_PARAMS of{};
    if (!asked(kFills) || tell_fill(node_, &of) != CUDA_SUCCESS) return;
    row(out_, "address", reinterpret_cast<const void*>(of.dst));
    row(out_, "value", std::uint64_t{of.value});
    row(out_, "bytes of an element", std::uint64_t{of.elementSize});
    row(out_, "elements of a row", std::uint64_t{of.width});
    row(out_, "rows", std::uint64_t{of.height});
  }
  void host() {
    CUDA_HOST_NODE_PARAMS of{};
    if (!asked(kHosts) || tell_host(node_, &of) != CUDA_SUCCESS) return;
    row(out_, "function", reinterpret_cast<const void*>(of.fn));
    row(out_, "data", static_cast<const void*>(of.userData));
  }
  void event() {
    CUevent of = nullptr;
    if (!asked(kEvents) || tell_event(node_, static_cast<WorkType>(node_.type), &of) != CUDA_SUCCESS) return;
    row(out_, "event", static_cast<const void*>(of));
  }
  void allocation() {
    CUDA_MEM_ALLOC_NODE_PARAMS of{};
    if (!asked(kAllocations) || tell_allocation(node_, &of) != CUDA_SUCCESS) return;
    row(out_, "address", reinterpret_cast<const void*>(of.dptr));
    row(out_, "bytes", std::uint64_t{of.bytesize});
    row(out_, "device", static_cast<std::uint64_t>(of.poolProps.location.id));
  }
  void release() {
    CUdeviceptr of = 0;
    if (asked(kFrees) && tell_free(node_, &of) == CUDA_SUCCESS) row(out_, "address", reinterpret_cast<const void*>(of));
  }
  void words() {
    CUDA_BATCH_MEM_OP_NODE_PARAMS of{};
    if (!asked(kWords) || tell_words(node_, &of) != CUDA_SUCCESS) return;
    for (unsigned i = 0; i < of.count; ++i) {
      const CUstreamBatchMemOpParams& each = of.paramArray[i];
      out_ << "|{operation " << std::uint64_t{each.operation} << "|" << reinterpret_cast<const void*>(each.word.address)
           << "|" << std::uint64_t{each.word.value} << "}";
    }
  }

  GraphNodeState& node_;
  std::uint32_t flags_;
  GrowingText& out_;
};

GrowingText& name_node(GrowingText& out, const GraphNodeState& node) {
  return out << "\"graph_" << std::uint64_t{find_graph(node.graph)->id} << "_node_" << std::uint64_t{node.local_id}
             << "\"";
}

void write_node(GraphNodeState& node, CUgraphNode handle, std::uint32_t flags, GrowingText& out) {
  name_node(out, node) << "[style=\"solid\" shape=\"record\" label=\"{{" << std::uint64_t{node.local_id} << "|"
                       << name_of(node.type) << "}";
  if ((flags & (kHandles | kAll)) != 0) row(out, "node", static_cast<const void*>(handle));
  Node(node, flags, out).write();
  out << "}\"];\n";
}

void write_edges(const GraphNodeState& node, std::uint32_t flags, GrowingText& out) {
  std::uint64_t number = 0;
  for (std::uint64_t each = node.out; each != 0; each = find_edge(each)->next_out) {
    const GraphEdgeState& edge = *find_edge(each);
    name_node(out, node) << " -> ";
    name_node(out, *find_node(edge.to));
    if ((flags & (kEdges | kAll)) != 0 || !is_plain(edge.data))
      out << "[label=\"" << number << ": port " << std::uint64_t{edge.data.from_port} << ", type "
          << std::uint64_t{edge.data.type} << "\"]";
    out << ";\n";
    ++number;
  }
}

void write_cluster(CUgraph graph, std::uint32_t flags, GrowingText& out);

// A child graph, or a body, is a cluster within that of its parent, and a dashed edge leads there.
void write_inner(const GraphNodeState& node, CUgraph inner, std::uint32_t flags, GrowingText& out) {
  write_cluster(inner, flags, out);
  const CUgraphNode first = find_graph(inner)->first;
  if (first == nullptr) return;
  name_node(out, node) << " -> ";
  name_node(out, *find_node(first)) << "[style=\"dashed\"];\n";
}

void write_cluster(CUgraph graph, std::uint32_t flags, GrowingText& out) {
  const std::uint64_t id = find_graph(graph)->id;
  out << "subgraph \"cluster_" << id << "\" {\nlabel=\"graph_" << id << "\" graph[style=\"dashed\"];\n";
  for (CUgraphNode each = find_graph(graph)->first; each != nullptr; each = find_node(each)->next) {
    GraphNodeState& node = *find_node(each);
    write_node(node, each, flags, out);
    if (node.child != nullptr) write_inner(node, node.child, flags, out);
    if (node.type != static_cast<std::uint32_t>(WorkType::conditional)) continue;
    for (std::uint32_t i = 0; i < body_count(*node.item); ++i)
      write_inner(node, reinterpret_cast<CUgraph>(bodies_of(*node.item)[i]), flags, out);
  }
  for (CUgraphNode each = find_graph(graph)->first; each != nullptr; each = find_node(each)->next)
    write_edges(*find_node(each), flags, out);
  out << "}\n";
}

}  // namespace

GrowingText::~GrowingText() {
  if (text_ != nullptr) sys::unmap(text_, room_);
}

void GrowingText::put(char c) {
  constexpr std::uint64_t kFirst = 1 << 16;
  if (size_ == room_ && good_) {
    const std::uint64_t larger = room_ == 0 ? kFirst : 2 * room_;
    auto* const place = static_cast<char*>(sys::map_private(larger));
    good_ = place != nullptr;
    if (!good_) return;
    if (text_ != nullptr) {
      std::memcpy(place, text_, size_);
      sys::unmap(text_, room_);
    }
    text_ = place;
    room_ = larger;
  }
  if (good_) text_[size_++] = c;
}

GrowingText& GrowingText::operator<<(const char* text) {
  for (; *text != '\0'; ++text)
    put(*text);
  return *this;
}

GrowingText& GrowingText::operator<<(std::uint64_t number) {
  char digits[24];
  std::uint32_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0)
    put(digits[--count]);
  return *this;
}

GrowingText& GrowingText::operator<<(const void* pointer) {
  *this << "0x";
  const auto number = reinterpret_cast<std::uint64_t>(pointer);
  int shift = 60;
  while (shift > 0 && number >> shift == 0)
    shift -= 4;
  for (; shift >= 0; shift -= 4)
    put("0123456789abcdef"[number >> shift & 15]);
  return *this;
}

GrowingText& GrowingText::quoted(const char* text) {
  for (; *text != '\0'; ++text) {
    if (std::strchr("\"\\{}|<>", *text) != nullptr) put('\\');
    put(static_cast<unsigned char>(*text) < ' ' ? ' ' : *text);
  }
  return *this;
}

void write_dot(CUgraph graph, std::uint32_t flags, GrowingText& out) {
  out << "digraph dot {\n";
  write_cluster(graph, flags, out);
  out << "}\n";
}

}  // namespace nvmlab::cuda
