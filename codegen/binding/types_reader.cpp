// SPDX-License-Identifier: Apache-2.0
#include "codegen/binding/types_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/meaning/id_rows.hpp"
#include "codegen/model/abi_names.hpp"
#include "codegen/model/layouts.hpp"
#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen {
namespace {

using yaml::Node;

std::vector<std::string> texts(const Node& node) {
  if (node.is_scalar()) return {node.scalar};
  std::vector<std::string> all;
  all.reserve(node.items.size());
  for (const Node& item : node.items)
    all.push_back(item.scalar);
  return all;
}

Result<MemberRow> member_row(const Node& node) {
  MemberRow row;
  if (node.is_scalar()) {  // `total: bytes`
    row.kind = node.scalar;
    return row;
  }
  for (const auto& [key, value] : node.entries) {
    if (key.scalar == "name") {
      row.name = value.scalar;
    } else if (key.scalar == "is") {
      row.kind = value.scalar;
    } else if (key.scalar == "nothing") {
      row.nothing = value.scalar;
    } else if (key.scalar == "says") {
      row.says = value.scalar;
    } else if (key.scalar == "count_of") {
      row.count_of = texts(value);
    } else if (key.scalar == "also") {
      row.also = texts(value);
    } else if (key.scalar == "otherwise") {
      row.otherwise = value.scalar;
    } else {
      return fail_at(key,
                     "'" + key.scalar +
                         "' is no attribute of a member; one of name, is, nothing, says, count_of, also, otherwise");
    }
  }
  return row;
}

bool is_struct(const Release& newest, const std::string& stem) {
  return std::ranges::any_of(newest.records, [&](const Record& each) { return derived_type_name(each.name) == stem; });
}

// The version word that a caller puts into a layout's first member. A layout of the past has the
// word of the struct that has taken its place under a name of its own (nvmlGpuFabricInfoV_t was what _v2_t is).
std::string version_word(const Release& newest, const std::string& name, const Record& record) {
  if (!record.has_version()) return {};
  for (const Macro& macro : newest.macros) {
    const auto version = struct_version_of(macro);
    const Record* versioned = version ? find(newest.records, version->record) : nullptr;
    if (versioned == nullptr || versioned->size != record.size) continue;
    if (versioned->name == name || derived_type_name(versioned->name) == name)
      return fmt::format("abi::version_of<abi::{}>", versioned->name);
  }
  // Two structs of an older habit: a plain number.
  const Macro* plain = nullptr;
  if (record.name == "nvmlGpmMetricsGet_t") plain = find(newest.macros, "NVML_GPM_METRICS_GET_VERSION");
  if (record.name == "nvmlGpmSupport_t") plain = find(newest.macros, "NVML_GPM_SUPPORT_VERSION");
  return plain == nullptr ? std::string{} : fmt::format("abi::{}", abi::constant_name(plain->name));
}

// Of two layouts of one struct, the one that knows more comes first: by the version in the name, then by size.
bool newer(const CLayout& a, const CLayout& b) {
  const auto version = [](const CLayout& layout) {
    const auto at = layout.name.rfind("_v");
    const bool past = layout.name.starts_with("historic::");
    return past ? -1 : at == std::string::npos ? 0 : static_cast<int>(number_of(layout.name.substr(at + 2)));
  };
  return version(a) != version(b) ? version(a) > version(b) : a.record.size > b.record.size;
}

}  // namespace

Result<BindingTypes> BindingTypes::load(const Inputs& inputs) { return TypesReader(inputs).read(); }

Result<void> TypesReader::read_enums(const Node& rows, const std::string& topic, std::string_view section) {
  for (const auto& [name, content] : rows.entries) {
    EnumRow row;
    row.topic = topic;
    if (section == "masks") row.set = name.scalar;
    if (section == "pseudo_enums") row.name = name.scalar;
    for (const auto& [key, value] : content.entries) {
      if (key.scalar == "name" || key.scalar == "flag") {
        row.name = value.scalar;
      } else if (key.scalar == "set") {
        row.set = value.scalar;
      } else if (key.scalar == "prefix") {
        row.prefixes = texts(value);
      } else if (key.scalar == "except") {
        row.except = texts(value);
      } else if (key.scalar == "digit") {
        row.digit = value.scalar;
      } else if (key.scalar == "says") {
        row.says = value.scalar;
      } else if (key.scalar == "type") {
        row.number = value.scalar;
      } else if (key.scalar == "header") {
        row.topic = value.scalar;
      } else if (key.scalar == "values") {
        for (const auto& [cpp, number] : value.entries)
          row.values.push_back({cpp.scalar, number_of(number.scalar)});
      } else if (key.scalar == "names") {
        for (const auto& [c_name, cpp] : value.entries)
          row.names[c_name.scalar] = cpp.scalar;
      } else {
        return fail_at(key, "'" + key.scalar +
                                "' is no attribute of an enum; one of name, flag, set, prefix, except, digit, says, "
                                "type, header, values, names");
      }
    }
    if (section == "enums") {
      if (find(inputs_.newest.enums, name.scalar) == nullptr)
        return fail_at(name, "'" + name.scalar + "' is no enum of the newest header");
      c_enums_[name.scalar] = std::move(row);
    } else {
      if (row.name.empty() || row.number.empty() || (row.prefixes.empty() && row.values.empty()))
        return fail_at(name, name.scalar + " needs `prefix` and `type`, and a mask `flag` as well");
      if (row.number.starts_with("nvml")) row.c_type = row.number;
      groups_.push_back(std::move(row));
    }
  }
  return {};
}

Result<void> TypesReader::read_structs(const Node& rows, const std::string& topic) {
  for (const auto& [name, content] : rows.entries) {
    TypedStruct made;
    made.name = name.scalar;
    made.topic = topic;
    std::vector<std::string> of{"nvml" + name.scalar + "_t"};
    for (const auto& [key, value] : content.entries) {
      if (key.scalar == "of") {
        of = texts(value);
      } else if (key.scalar == "says") {
        made.says = value.scalar;
      } else if (key.scalar == "shape") {
        made.shape = value.scalar;
      } else if (key.scalar == "header") {
        made.header = value.scalar;
      } else if (key.scalar == "members") {
        for (const auto& [member, attributes] : value.entries) {
          auto row = member_row(attributes);
          if (!row) return std::unexpected(row.error());
          made.rows[member.scalar] = std::move(*row);
        }
      } else {
        return fail_at(key,
                       "'" + key.scalar + "' is no attribute of a struct; one of of, says, shape, header, members");
      }
    }
    for (const std::string& c_name : of) {
      const std::string stem = derived_type_name(c_name);
      if (!is_struct(inputs_.newest, stem))
        return fail_at(name, c_name + " is no struct of the newest header, in no version");
      if (!owner_.try_emplace(stem, name.scalar).second) return fail_at(name, "a second row for " + c_name);
    }
    if (!structs_.try_emplace(name.scalar, std::move(made)).second)
      return fail_at(name, "a second row for " + name.scalar);
  }
  return {};
}

Result<void> TypesReader::read_enumerators(const Node& rows) {
  for (const auto& [name, sentences] : rows.entries) {
    if (!sentences.is_mapping()) return fail_at(sentences, name.scalar + " needs a mapping");
    told_.emplace_back(name, sentences);
  }
  return {};
}

Result<void> TypesReader::read_file(const std::filesystem::path& path) {
  auto root = yaml::parse_file(path);
  if (!root) return std::unexpected(root.error());
  const std::string topic = path.stem().string();
  for (const auto& [section, content] : root->entries) {
    Result<void> read;
    if (section.scalar == "enums" || section.scalar == "pseudo_enums" || section.scalar == "masks") {
      const bool mask = section.scalar == "masks";
      read = read_enums(content, mask ? "masks" : "enums", section.scalar);
    } else if (section.scalar == "structs") {
      read = read_structs(content, topic);
    } else if (section.scalar == "enumerators") {
      read = read_enumerators(content);
    } else if (section.scalar != "topic") {
      return fail_at(section, "'" + section.scalar +
                                  "' is no section; one of topic, enums, pseudo_enums, masks, enumerators, structs");
    }
    if (!read) return read;
  }
  return {};
}

Result<void> TypesReader::make_enums() {
  for (const Enum& each : inputs_.newest.enums) {
    if (each.name == kYesOrNo) continue;
    const auto row = c_enums_.find(each.name);
    auto made = enum_from_c(each, row == c_enums_.end() ? nullptr : &row->second);
    if (!made) return std::unexpected(made.error());
    types_.enums_.push_back(std::move(*made));
  }
  for (const EnumRow& row : groups_) {
    auto made = enum_from_macros(inputs_.newest, row);
    if (!made) return std::unexpected(made.error());
    types_.enums_.push_back(std::move(*made));
  }
  std::ranges::sort(types_.enums_, {}, &TypedEnum::name);
  return tell_enumerators();
}

Result<void> TypesReader::make_structs() {
  const auto add = [&](const std::string& c_name, const std::string& family, const Record& record) {
    const std::string stem = derived_type_name(family);
    const auto owner = owner_.find(stem);
    TypedStruct& made = structs_[owner == owner_.end() ? stem : owner->second];
    if (made.name.empty()) {
      made.name = stem;
      made.topic = "other";
    }
    const bool past = c_name.starts_with("historic::");
    made.layouts.push_back({c_name, version_word(inputs_.newest, past ? stem : record.name, record), record});
  };
  for (const Record& record : inputs_.newest.records)
    add(record.name, record.name, record);
  const auto views = all_views(inputs_.registry);
  if (!views) return std::unexpected(views.error());
  for (const ReplacedLayout& layout : replaced_layouts(*views)) {
    const Record* now = resolve_record(inputs_.newest, layout.name);
    const Macro* renamed = find(inputs_.newest.macros, layout.name);
    if (now != nullptr && !laid_out_differently(*now, layout.record)) continue;  // what it means again
    if (now == nullptr && renamed != nullptr) now = resolve_record(inputs_.newest, renamed->text);
    const std::string name = fmt::format("historic::{}_before_{}", layout.name, abi::identifier_of(layout.replaced_in));
    add(name, now == nullptr ? layout.name : now->name, layout.record);
  }
  for (auto& [name, made] : structs_) {
    if (made.layouts.empty())
      return fail(fmt::format("model/binding/types/{}.yaml: no C struct is a {}", made.topic, name));
    std::ranges::stable_sort(made.layouts, newer);
    types_.structs_.push_back(std::move(made));
  }
  return {};
}

Result<BindingTypes> TypesReader::read() {
  types_.newest_ = inputs_.newest;
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(inputs_.root / "model" / "binding" / "types", failed)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (failed) return fail("model/binding/types: " + failed.message());
  std::ranges::sort(files);
  for (const auto& file : files) {
    if (auto read = read_file(file); !read) return std::unexpected(read.error());
  }
  if (auto made = make_enums(); !made) return std::unexpected(made.error());
  if (auto made = make_structs(); !made) return std::unexpected(made.error());
  return std::move(types_);
}

}  // namespace nvmlab::codegen
