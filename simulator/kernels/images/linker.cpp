// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/linker.hpp"

#include <algorithm>

#include "kernels/images/device_runtime.hpp"
#include "kernels/images/fatbin.hpp"
#include "kernels/ptx/parser.hpp"

namespace nvmlab::kernels {
namespace {

constexpr int kUnknown = 999;  // what drivers answer where a link fails

ImageFailure of_problem(const ptx::Problem& problem, const std::string& name) {
  return {problem.too_new ? kUnsupportedPtxVersion : kInvalidPtx, (name.empty() ? "" : name + ": ") + problem.told()};
}

std::expected<ptx::Module, ImageFailure> read_module(const std::string& text, const ImageTarget& target,
                                                     const std::string& name) {
  auto module = ptx::parse(text, target.newest_ptx);
  if (!module) return std::unexpected(of_problem(module.error(), name));
  if (module->target > target.capability)
    return failure(kInvalidPtx, (name.empty() ? "" : name + ": ") + "this PTX is for sm_" +
                                    std::to_string(module->target) + ", and the device is sm_" +
                                    std::to_string(target.capability) + "; build for that or an older one");
  return std::move(*module);
}

}  // namespace

std::expected<ptx::Module, ImageFailure> read_modules(std::vector<std::string> texts, const ImageTarget& target,
                                                      const std::vector<std::string>& names) {
  if (texts.size() == 1 && names.empty()) return read_module(texts.front(), target, "");
  std::vector<ptx::LinkInput> inputs;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string name = i < names.size() ? names[i] : "input " + std::to_string(i + 1);
    auto module = read_module(texts[i], target, name);
    if (!module) return std::unexpected(module.error());
    inputs.push_back({name, std::move(*module)});
  }
  auto linked = ptx::link(std::move(inputs));
  if (!linked) return failure(kUnknown, linked.error());
  return std::move(*linked);
}

std::expected<PtxTexts, ImageFailure> LinkSession::texts_of(std::uint32_t kind, std::string_view data) const {
  constexpr std::uint32_t kAsCubin = 0;
  constexpr std::uint32_t kAsPtx = 1;
  constexpr std::uint32_t kAsFatbin = 2;
  if (kind > kAsFatbin)
    return failure(kNoBinaryForGpu, std::string("objects and libraries hold code of real GPUs; ") + kHowToBuild);
  if (kind == kAsPtx) {
    const std::size_t end = data.find('\0');
    return PtxTexts{{std::string(data.substr(0, end))}};
  }
  if (is_fatbin(data)) return ptx_in_fatbin(data, target_);
  if (kind == kAsCubin) return failure(kNoBinaryForGpu, std::string("a cubin is code of a real GPU; ") + kHowToBuild);
  return failure(kInvalidImage, "this input is no fatbin");
}

std::expected<std::size_t, ImageFailure> LinkSession::take(PtxTexts read, const std::string& name) {
  std::size_t functions = 0;
  for (const std::string& each : read.texts) {
    const auto module = read_module(each, target_, name);
    if (!module) return std::unexpected(module.error());
    functions += module->functions.size();
  }
  for (std::string& each : read.texts) {
    names_.push_back(name);
    linked_.texts.push_back(std::move(each));
  }
  if (read.most_registers != 0)
    linked_.most_registers =
        linked_.most_registers == 0 ? read.most_registers : std::min(linked_.most_registers, read.most_registers);
  return functions;
}

std::expected<std::string, ImageFailure> LinkSession::add_device_runtime(const std::string& name) {
  if (!has_device_runtime_) {
    const auto taken = take({{std::string(device_runtime())}}, "the device runtime");
    if (!taken) return std::unexpected(taken.error());
    has_device_runtime_ = true;
  }
  return name + ": the device runtime of nvmlab takes its place";
}

std::expected<std::string, ImageFailure> LinkSession::add(std::uint32_t kind, std::string_view data,
                                                          const std::string& name) {
  constexpr std::uint32_t kLibrary = 4;
  if (kind == kLibrary && is_device_runtime(data)) return add_device_runtime(name);
  auto read = texts_of(kind, data);
  if (!read) return std::unexpected(ImageFailure{read.error().code, name + ": " + read.error().text});
  const auto functions = take(std::move(*read), name);
  if (!functions) return std::unexpected(functions.error());
  return name + ": " + std::to_string(*functions) + " functions were read";
}

std::expected<std::string_view, ImageFailure> LinkSession::finish() {
  if (linked_.texts.empty()) return failure(kInvalidImage, "nothing was added to be linked");
  if (has_device_runtime_ && std::ranges::any_of(linked_.texts, launches)) {
    const auto taken = take({{std::string(device_launches()), std::string(device_copies())}}, "the device runtime");
    if (!taken) return std::unexpected(taken.error());
  }
  const auto module = read_modules(linked_.texts, target_, names_);
  if (!module) return std::unexpected(module.error());
  image_ = linked_fatbin(linked_, module->target);
  return image_;
}

}  // namespace nvmlab::kernels
