// SPDX-License-Identifier: Apache-2.0
// Graphs as files of Graphviz, read by a strict parser: every statement is one of the language, every edge leads from
// and to nodes that are there, labels are records that are closed.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {
namespace {

struct Dot {
  std::map<std::string, std::string> nodes;  // their labels
  std::set<std::pair<std::string, std::string>> edges;
  int clusters = 0;
};

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}
  bool read(Dot* out) {
    out_ = out;
    if (!take("digraph") || word() != "dot" || !block()) return false;
    skip();
    if (at_ != text_.size()) return false;
    for (const auto& [from, to] : out->edges) {
      if (!out->nodes.contains(from) || !out->nodes.contains(to)) return false;
    }
    return true;
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
  }
  bool take(const std::string& what) {
    skip();
    if (text_.compare(at_, what.size(), what) != 0) return false;
    at_ += what.size();
    return true;
  }
  std::string word() {
    skip();
    std::string out;
    if (at_ < text_.size() && text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\') out += text_[at_++];
        if (at_ < text_.size()) out += text_[at_];
      }
      ++at_;
      return out;
    }
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      out += text_[at_++];
    return out;
  }
  static bool is_record(const std::string& label) {
    int depth = 0;
    for (std::size_t i = 0; i < label.size() && depth >= 0; ++i) {
      if (label[i] == '\\')
        ++i;
      else if (label[i] == '{')
        ++depth;
      else if (label[i] == '}')
        --depth;
    }
    return depth == 0 && label.starts_with("{") && label.ends_with("}");
  }
  bool attributes(std::map<std::string, std::string>* out) {
    while (!take("]")) {
      const std::string name = word();
      if (name.empty() || !take("=")) return false;
      (*out)[name] = word();
    }
    return true;
  }
  bool statement() {
    if (take("subgraph")) {
      ++out_->clusters;
      return word().starts_with("cluster_") && block();
    }
    const std::string name = word();
    if (name.empty()) return false;
    std::map<std::string, std::string> given;
    if (take("=")) return !word().empty() && take("graph[") && attributes(&given) && take(";");
    if (take("->")) {
      const std::string to = word();
      if (to.empty() || (take("[") && !attributes(&given)) || !take(";")) return false;
      return out_->edges.emplace(name, to).second;
    }
    if (!take("[") || !attributes(&given) || !take(";")) return false;
    return is_record(given["label"]) && out_->nodes.emplace(name, given["label"]).second;
  }
  bool block() {
    if (!take("{")) return false;
    while (!take("}")) {
      if (!statement()) return false;
    }
    return true;
  }

  std::string text_;
  std::size_t at_ = 0;
  Dot* out_ = nullptr;
};

bool read_dot(const std::string& path, Dot* out) {
  std::ifstream file(path);
  return Reader({std::istreambuf_iterator<char>(file), {}}).read(out);
}

using Print = int(void*, const char*, unsigned);

TEST(CudaGraphDot, IsWhatGraphvizReads) {
  std::string told;
  in_bench(
      [](const StreamBench& bench) {
        const Cuda& cuda = bench.cuda;
        Sum sum(bench);
        Graph child(bench);
        Graph graph(bench);
        void* node[8] = {};
        KernelNode asked = sum.node();
        AskedMemory memory;
        CUDA_STEP(1, kSuccess, child.kernel(&node[0], asked));
        CUDA_STEP(2, kSuccess,
                  cuda.call<AddEvent>("cuGraphAddMemAllocNode", &node[1], graph.graph, nullptr, 0,
                                      static_cast<void*>(&memory)));
        Fill fill{memory.address, 0, 7, 4, 16, 1};
        CUDA_STEP(3, kSuccess, graph.fill(&node[2], fill, node[1]));
        Copy3D copy = line(bench.at(0), memory.address, 64);
        copy.from.type = 2;
        CUDA_STEP(4, kSuccess, graph.copy(&node[3], copy, node[2]));
        CUDA_STEP(5, kSuccess, graph.kernel(&node[4], asked, node[3]));
        CUDA_STEP(6, kSuccess,
                  cuda.call<AddEvent>("cuGraphAddChildGraphNode", &node[5], graph.graph, &node[4], 1, child.graph));
        struct {
          void (*function)(void*) = [](void*) {};
          void* data = nullptr;
        } host;
        CUDA_STEP(
            7, kSuccess,
            cuda.call<AddEvent>("cuGraphAddHostNode", &node[6], graph.graph, &node[5], 1, static_cast<void*>(&host)));
        CUDA_STEP(8, kSuccess, graph.event("cuGraphAddEventRecordNode", &node[7], bench.event(), node[5]));
        const std::string path = "graph-" + std::to_string(::getpid()) + ".dot";
        unsigned id = 0;
        CUDA_STEP(9, kSuccess, cuda.call<int(void*, unsigned*)>("cuGraphGetId", graph.graph, &id));
        const std::string name = "graph_" + std::to_string(id) + "_node_";
        std::size_t shortest = 0;
        for (unsigned bit = 0; bit <= 18; ++bit) {
          const unsigned flags = bit == 18 ? 0 : 1U << bit;
          CUDA_STEP(10, kSuccess, cuda.call<Print>("cuGraphDebugDotPrint", graph.graph, path.c_str(), flags));
          Dot dot;
          CUDA_STEP(11, true, read_dot(path, &dot));
          CUDA_STEP(12, true, dot.nodes.size() == 8 && dot.clusters == 2);
          CUDA_STEP(13, 7u, dot.edges.size());  // six, and one into the child
          CUDA_STEP(14, true, dot.nodes[name + "3"].find("KERNEL") != std::string::npos);
          CUDA_STEP(15, true, dot.nodes[name + "3"].find("vector_add") != std::string::npos);
          CUDA_STEP(16, true, dot.nodes[name + "2"].find("DEVICE to UNIFIED") != std::string::npos);
          CUDA_STEP(17, true, dot.edges.contains({name + "0", name + "1"}));
          struct stat facts {};
          ::stat(path.c_str(), &facts);
          const auto size = static_cast<std::size_t>(facts.st_size);
          if (bit == 18) shortest = size;
          if (bit == 0) CUDA_STEP(18, true, dot.nodes[name + "3"].find("16 x 1 x 1") != std::string::npos);
        }
        CUDA_STEP(19, true, shortest > 200);
        CUDA_STEP(20, kInvalidValue, cuda.call<Print>("cuGraphDebugDotPrint", graph.graph, nullptr, 0u));
        CUDA_STEP(21, kInvalidValue, cuda.call<Print>("cuGraphDebugDotPrint", graph.graph, path.c_str(), 1U << 18));
        CUDA_STEP(22, kInvalidValue, cuda.call<Print>("cuGraphDebugDotPrint", node[0], path.c_str(), 0u));
        constexpr int kOperatingSystem = 304;
        for (const char* wrong : {"", "/nowhere/graph.dot", "/"})
          CUDA_STEP(23, kOperatingSystem, cuda.call<Print>("cuGraphDebugDotPrint", graph.graph, wrong, 0u));
        const std::string pipe = path + ".pipe";  // that nobody reads
        ::mkfifo(pipe.c_str(), 0600);
        const int waited = cuda.call<Print>("cuGraphDebugDotPrint", graph.graph, pipe.c_str(), 0u);
        ::unlink(pipe.c_str());
        ::unlink(path.c_str());
        return waited == kOperatingSystem ? 0 : 24;
      },
      &told);
  EXPECT_EQ(told, "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
