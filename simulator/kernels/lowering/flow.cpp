// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/flow.hpp"

#include <algorithm>

namespace nvmlab::kernels {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;
constexpr std::uint32_t kNone = 0xFFFFFFFF;

// Nodes in the order in which a depth-first search from `root` leaves them, without recursion. `first` names for each
// node one more successor, which is visited before the others; kNone: none.
std::vector<std::uint32_t> leaving_order(const Graph& graph, std::uint32_t root,
                                         const std::vector<std::uint32_t>& first) {
  struct Step {
    std::uint32_t node;
    std::uint32_t next;
  };
  std::vector<std::uint32_t> left;
  std::vector<bool> seen(graph.size(), false);
  std::vector<Step> path{{root, 0}};
  seen[root] = true;
  while (!path.empty()) {
    Step& top = path.back();
    const std::uint32_t node = top.node;
    const std::uint32_t at = top.next++;
    std::uint32_t to = kNone;
    if (at == 0) {
      to = first.empty() ? kNone : first[node];
    } else if (at <= graph[node].size()) {
      to = graph[node][at - 1];
    } else {
      left.push_back(node);
      path.pop_back();
    }
    if (to == kNone || seen[to]) continue;
    seen[to] = true;
    path.push_back({to, 0});
  }
  return left;
}

// The immediate post-dominator of each block, by the iteration of Cooper, Harvey and Kennedy over the reversed graph.
std::vector<std::uint32_t> post_dominators(const Graph& successors) {
  const auto count = static_cast<std::uint32_t>(successors.size());
  const std::uint32_t exit = count;
  Graph reversed(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const std::uint32_t to : successors[i])
      reversed[to].push_back(i);
    if (successors[i].empty()) reversed[exit].push_back(i);
  }
  const std::vector<std::uint32_t> left = leaving_order(reversed, exit, {});
  std::vector<std::uint32_t> rank(count + 1, kNone);  // higher: nearer to the exit
  for (std::uint32_t i = 0; i < left.size(); ++i)
    rank[left[i]] = i;
  std::vector<std::uint32_t> nearest(count + 1, kNone);
  nearest[exit] = exit;
  const auto common = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (rank[a] < rank[b])
        a = nearest[a];
      while (rank[b] < rank[a])
        b = nearest[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = left.size() - 1; i-- > 0;) {
      const std::uint32_t node = left[i];
      std::uint32_t found = successors[node].empty() ? exit : kNone;
      for (const std::uint32_t to : successors[node]) {
        if (nearest[to] == kNone) continue;
        found = found == kNone ? to : common(found, to);
      }
      if (found == nearest[node]) continue;
      nearest[node] = found;
      changed = true;
    }
  }
  for (std::uint32_t& each : nearest)
    each = each == exit ? kNone : each;
  nearest.pop_back();
  return nearest;
}

}  // namespace

std::vector<std::uint32_t> order_of(const Graph& successors) {
  if (successors.empty()) return {};
  std::vector<std::uint32_t> order = leaving_order(successors, 0, post_dominators(successors));
  std::ranges::reverse(order);
  return order;
}

}  // namespace nvmlab::kernels
