// SPDX-License-Identifier: Apache-2.0
#include "kernels/ptx/link.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace nvmlab::ptx {
namespace {

std::string quoted(const std::string& name) { return "'" + name + "'"; }

template <class Visit>
void each_operand(Operand& operand, const Visit& visit) {
  visit(operand);
  for (Operand& item : operand.items)
    each_operand(item, visit);
}

// The sizes of what a function takes or gives.
std::vector<std::uint64_t> sizes_of(const Function& function, const std::vector<std::uint32_t>& values) {
  std::vector<std::uint64_t> sizes;
  for (const std::uint32_t each : values)
    sizes.push_back(function.register_parameters ? size_of(function.registers[each].type)
                                                 : function.variables[each].bytes);
  return sizes;
}

// A result may be declared where none is given: for compilers of Python every function has one.
bool agrees(const Function& declared, const Function& defined) {
  return declared.entry == defined.entry &&
         sizes_of(declared, declared.parameters) == sizes_of(defined, defined.parameters) &&
         (defined.results.empty() || sizes_of(declared, declared.results) == sizes_of(defined, defined.results));
}

class ModuleLinker {
 public:
  explicit ModuleLinker(std::vector<LinkInput>& inputs) : inputs_(inputs) {}

  std::expected<Module, std::string> run() {
    part_private_names();
    for (LinkInput& each : inputs_)
      take_in(each);
    choose(made_.functions, functions_from_, [](const Function& f) { return f.has_body; });
    choose(made_.variables, variables_from_, [](const Variable& v) { return v.linkage != Linkage::external; });
    if (problem_.empty()) check_declarations();
    if (problem_.empty()) check_definitions();
    if (!problem_.empty()) return std::unexpected(problem_);
    drop_superfluous();
    return std::move(made_);
  }

 private:
  void complain(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
  }

  // A name of one module's own that another one has as well gets a number behind it.
  void part_private_names() {
    std::map<std::string, std::set<std::size_t>> users;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (const Function& each : inputs_[i].module.functions)
        users[each.name].insert(i);
      for (const Variable& each : inputs_[i].module.variables)
        users[each.name].insert(i);
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      std::map<std::string, std::string, std::less<>> names;
      const auto consider = [&](const std::string& name, Linkage linkage) {
        if (linkage == Linkage::own && users[name].size() > 1) names[name] = name + "$" + std::to_string(i + 1);
      };
      for (const Function& each : inputs_[i].module.functions) {
        if (!each.entry) consider(each.name, each.linkage);
      }
      for (const Variable& each : inputs_[i].module.variables)
        consider(each.name, each.linkage);
      if (!names.empty()) rename(inputs_[i].module, names);
    }
  }

  void rename(Module& module, const std::map<std::string, std::string, std::less<>>& names) {
    const auto change = [&names](std::string& name) {
      if (const auto found = names.find(name); found != names.end()) name = found->second;
    };
    for (Variable& each : module.variables) {
      change(each.name);
      for (Relocation& part : each.relocations)
        change(part.symbol);
    }
    std::map<std::string, std::string> aliases;
    for (auto [alias, target] : module.aliases) {
      change(target);
      aliases[alias] = target;
    }
    module.aliases = std::move(aliases);
    for (Function& function : module.functions) {
      change(function.name);
      for (Instruction& instruction : function.instructions) {
        for (Operand& operand : instruction.operands)
          each_operand(operand, [&](Operand& part) {
            if (part.kind != OperandKind::symbol) return;
            if (const auto found = names.find(part.word); found != names.end()) part.word = kept(found->second);
          });
      }
    }
  }

  // Words look into texts that live as long as the module.
  std::string_view kept(const std::string& word) {
    made_.linked.push_back(std::make_shared<const std::string>(word));
    return *made_.linked.back();
  }

  void take_in(LinkInput& input) {
    Module& module = input.module;
    made_.version = std::max(made_.version, module.version);
    made_.target = std::max(made_.target, module.target);
    made_.linked.push_back(module.text);
    made_.linked.insert(made_.linked.end(), module.linked.begin(), module.linked.end());
    for (Function& each : module.functions) {
      functions_from_.push_back(&input.name);
      made_.functions.push_back(std::move(each));
    }
    for (Variable& each : module.variables) {
      variables_from_.push_back(&input.name);
      made_.variables.push_back(std::move(each));
    }
    made_.aliases.merge(module.aliases);
  }

  // The definition of each name; a weak one gives way.
  template <class Item, class Defines>
  void choose(const std::vector<Item>& items, const std::vector<const std::string*>& from, const Defines& defines) {
    const auto yields = [](Linkage linkage) { return linkage == Linkage::weak || linkage == Linkage::common; };
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!defines(items[i])) continue;
      auto& chosen = places<Item>()[items[i].name];
      if (chosen == 0 || (yields(items[chosen - 1].linkage) && !yields(items[i].linkage))) {
        chosen = i + 1;
      } else if (!yields(items[i].linkage)) {
        complain(quoted(items[i].name) + " is defined in " + *from[chosen - 1] + " and in " + *from[i] +
                 "; make one of them .extern, or .weak");
      }
    }
  }

  template <class Item>
  std::map<std::string, std::size_t>& places() {
    if constexpr (std::is_same_v<Item, Function>)
      return function_places_;
    else
      return variable_places_;
  }

  void check_declarations() {
    for (std::size_t i = 0; i < made_.functions.size(); ++i) {
      const Function& each = made_.functions[i];
      const auto found = function_places_.find(each.name);
      if (found != function_places_.end() && !agrees(each, made_.functions[found->second - 1]))
        complain(quoted(each.name) + " has other parameters or results in " + *functions_from_[i] + " than in " +
                 *functions_from_[found->second - 1] + ", which defines it");
    }
    for (std::size_t i = 0; i < made_.variables.size(); ++i) {
      const Variable& each = made_.variables[i];
      const auto found = variable_places_.find(each.name);
      if (found == variable_places_.end()) continue;
      const Variable& defined = made_.variables[found->second - 1];
      if (each.space != defined.space || (!each.unsized && !defined.unsized && each.bytes != defined.bytes))
        complain(quoted(each.name) + " has another size or space in " + *variables_from_[i] + " than in " +
                 *variables_from_[found->second - 1] + ", which defines it");
    }
  }

  // What the driver itself supplies, or refuses when a kernel that calls it is launched.
  static bool is_supplied(const std::string& name) {
    constexpr std::string_view kSupplied[] = {"vprintf", "__assertfail", "malloc", "free"};
    return std::ranges::find(kSupplied, name) != std::end(kSupplied) || name.starts_with("cuda");
  }

  void check_definitions() {
    std::set<std::string_view> used;
    for (Function& function : made_.functions) {
      for (Instruction& instruction : function.instructions) {
        for (Operand& operand : instruction.operands)
          each_operand(operand, [&used](const Operand& part) {
            if (part.kind == OperandKind::symbol) used.insert(part.word);
          });
      }
    }
    const auto missing = [&](const std::string& name, const std::string& from) {
      complain("undefined reference to " + quoted(name) + " in " + from + "; add the input that defines it");
    };
    for (std::size_t i = 0; i < made_.functions.size(); ++i) {
      const std::string& name = made_.functions[i].name;
      if (!function_places_.contains(name) && used.contains(name) && !is_supplied(name))
        missing(name, *functions_from_[i]);
    }
    for (std::size_t i = 0; i < made_.variables.size(); ++i) {
      const Variable& each = made_.variables[i];
      if (!variable_places_.contains(each.name) && each.space != Space::shared) missing(each.name, *variables_from_[i]);
    }
  }

  // Declarations of what is defined, and definitions that gave way.
  void drop_superfluous() {
    drop(made_.functions);
    drop(made_.variables);
  }
  template <class Item>
  void drop(std::vector<Item>& items) {
    std::vector<Item> left;
    std::set<std::string> declared;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto found = places<Item>().find(items[i].name);
      const bool stays = found == places<Item>().end() ? declared.insert(items[i].name).second : found->second == i + 1;
      if (stays) left.push_back(std::move(items[i]));
    }
    items = std::move(left);
  }

  std::vector<LinkInput>& inputs_;
  Module made_;
  std::vector<const std::string*> functions_from_;
  std::vector<const std::string*> variables_from_;
  std::map<std::string, std::size_t> function_places_;  // 1 + index
  std::map<std::string, std::size_t> variable_places_;
  std::string problem_;
};

}  // namespace

std::expected<Module, std::string> link(std::vector<LinkInput> inputs) { return ModuleLinker(inputs).run(); }

}  // namespace nvmlab::ptx
