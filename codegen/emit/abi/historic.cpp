// SPDX-License-Identifier: Apache-2.0
// historic.hpp: layouts that a name had once, for functions that still take them (nvmlDeviceGetComputeRunningProcesses)
// and for clients that were built then. A field whose type was laid out anew as well has the type of that time.
#include <fmt/format.h>

#include <optional>
#include <set>

#include "codegen/emit/abi.hpp"
#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen::abi {
namespace {

class HistoricWriter {
 public:
  HistoricWriter(const std::vector<Release>& views, const Release& newest)
      : views_(views), newest_(newest), replaced_(replaced_layouts(views)) {}

  Result<std::string> body() {
    for (const ReplacedLayout& layout : replaced_)
      write(layout);
    if (problem_) return fail(*problem_);
    return std::move(text_);
  }

  std::string asserts() const {
    std::string text;
    for (const ReplacedLayout& layout : replaced_) {
      if (!is_present(layout)) text += size_asserts(name_of(layout), layout.record);
    }
    return text;
  }

 private:
  static std::string name_of(const ReplacedLayout& layout) {
    return fmt::format("{}_before_{}", layout.name, identifier_of(layout.replaced_in));
  }

  // A layout that came back is the one of types.hpp.
  bool is_present(const ReplacedLayout& layout) const {
    const Record* now = resolve_record(newest_, layout.name);
    return now != nullptr && !laid_out_differently(*now, layout.record);
  }

  void write(const ReplacedLayout& layout) {
    if (is_present(layout) || !written_.insert(name_of(layout)).second) return;
    // What is made of older layouts needs those first.
    std::string fields;
    for (const Field& field : layout.record.fields)
      fields += field_text(field, layout.last_release, "  ");
    text_ += fmt::format("// {} to {}{}, {} bytes\n{} {} {{\n{}}};\n\n", layout.first_release, layout.last_release,
                         layout.gone ? ", then gone" : "", layout.record.size,
                         layout.record.is_union ? "union" : "struct", name_of(layout), fields);
  }

  std::string field_text(const Field& field, const std::string& release, const std::string& indent) {
    if (field.nested.empty())
      return fmt::format("{}{};\n", indent, declarator(field, type_text(field.type, release), nullptr));
    const Record& nested = field.nested.front();
    std::string text = fmt::format("{}{} {{\n", indent, nested.is_union ? "union" : "struct");
    for (const Field& inner : nested.fields)
      text += field_text(inner, release, indent + "  ");
    return text +
           (field.name.empty() ? indent + "};\n" : fmt::format("{}{};\n", indent, declarator(field, "}", nullptr)));
  }

  std::string type_text(Type type, const std::string& release) {
    if (const ReplacedLayout* layout = layout_at(replaced_, type.base, release);
        layout != nullptr && !is_present(*layout)) {
      write(*layout);
      type.base = name_of(*layout);
    } else if (type.base.starts_with("nvml")) {
      type.base = present_name(type.base, release);
    }
    return type.text();
  }

  // An enum or scalar that the newest release does not know is spelled as what it is made of.
  std::string present_name(const std::string& name, const std::string& release) {
    if (find(newest_.records, name) || find(newest_.typedefs, name) || find(newest_.enums, name) ||
        find(newest_.handles, name))
      return name;
    const auto then = std::ranges::find(views_, release, &Release::version);
    if (then != views_.end()) {
      if (const Enum* entry = find(then->enums, name)) return entry->underlying;
      if (const Typedef* entry = find(then->typedefs, name)) return entry->target.text();
    }
    problem_ = fmt::format("type {} of release {} is unknown", name, release);
    return name;
  }

  const std::vector<Release>& views_;
  const Release& newest_;
  std::vector<ReplacedLayout> replaced_;
  std::set<std::string> written_;
  std::string text_;
  std::optional<std::string> problem_;
};

}  // namespace

Result<std::string> historic(const Inputs& inputs) {
  const auto views = all_views(inputs.registry);
  if (!views) return std::unexpected(views.error());
  HistoricWriter writer(*views, inputs.newest);
  const auto body = writer.body();
  if (!body) return std::unexpected(body.error());
  return header_text("Layouts that a type's name no longer means: NAME_before_RELEASE was NAME until that release.",
                     "#include \"nvmlab/abi/generated/types.hpp\"\n",
                     "namespace historic {\n\n" + *body + writer.asserts() + "\n}  // namespace historic\n");
}

}  // namespace nvmlab::codegen::abi
