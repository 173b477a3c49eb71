// SPDX-License-Identifier: Apache-2.0
// The emitter of methods: what a generated class says, and what stops it.
#include "codegen/emit/nvml/methods.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/emit/nvml/docs.hpp"
#include "codegen/io/files.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

constexpr const char* kDevice = "binding/nvmlab/nvml/generated/device_methods.hpp";

Inputs inputs_of(const std::filesystem::path& root) {
  auto loaded = load_inputs(source_folder());
  EXPECT_TRUE(loaded) << loaded.error().text();
  loaded->root = root;
  return std::move(*loaded);
}

const std::map<std::string, std::string>& files() {
  static const auto made = [] {
    Output output;
    const auto emitted = emit_methods(inputs_of(source_folder()), output);
    EXPECT_TRUE(emitted) << emitted.error().text();
    return output.finish().value();
  }();
  return made;
}

// Whatever the emitter reads, in a folder that a test may spoil.
void copy_model(const std::filesystem::path& to) {
  for (const char* part : {"model/binding", "model/meaning", "model/state", "binding/nvmlab/nvml"})
    std::filesystem::copy(source_folder() / part, to / part, std::filesystem::copy_options::recursive);
}

// What the emitter says after `spoil` has edited one file.
std::string refusal(const std::string& path, const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "model");
  std::filesystem::create_directories(folder.path() / "binding" / "nvmlab");
  copy_model(folder.path());
  std::string text = read_file(folder.path() / path).value();
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at == std::string::npos) return {};
  text.replace(at, from.size(), to);
  folder.write(path, text);
  Output output;
  const auto emitted = emit_methods(inputs_of(folder.path()), output);
  return emitted ? "accepted" : emitted.error().message;
}

TEST(BindingMethods, AGetterIsInlineAndSaysWhatItIs) {
  const std::string& text = files().at(kDevice);
  EXPECT_NE(text.find("  /// C: nvmlDeviceGetPowerUsage\n"
                      "  [[nodiscard]] Result<Milliwatts> power_usage() const {\n"
                      "    return detail::scalar<Milliwatts, unsigned>(state(), "
                      "&Functions::nvmlDeviceGetPowerUsage, handle());\n  }\n"),
            std::string::npos);
}

TEST(BindingMethods, OtherMethodsAreCompiledOnce) {
  EXPECT_NE(files().at(kDevice).find("  [[nodiscard]] Result<std::string> name() const;\n"), std::string::npos);
  EXPECT_NE(files()
                .at("binding/nvmlab/nvml/generated/device_methods.cpp")
                .find("Result<std::string> DeviceMethods::name() const {\n  return detail::text<"),
            std::string::npos);
}

TEST(BindingMethods, EveryFunctionIsFoundByItsName) {
  std::string all;
  for (const auto& [path, text] : files())
    all += text;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "binding" / "nvmlab" / "nvml")) {
    if (entry.path().extension() == ".hpp") all += read_file(entry.path()).value();
  }
  for (const Function& function : inputs_of(source_folder()).newest.functions)
    EXPECT_NE(all.find("C: " + function.name), std::string::npos) << function.name;
}

TEST(BindingMethods, AFamilyNamesAllThatItAsks) {
  EXPECT_NE(files().at(kDevice).find("  /// C: nvmlDeviceGetGpuFabricInfo_v4, else nvmlDeviceGetGpuFabricInfoV, else "
                                     "nvmlDeviceGetGpuFabricInfo\n"),
            std::string::npos);
}

// Renamed, the verdicts say, so a library of before has it under its old name.
TEST(BindingMethods, ARenamedFunctionIsAskedByBothItsNames) {
  const std::string& text = files().at("binding/nvmlab/nvml/generated/library_methods.hpp");
  EXPECT_NE(text.find("  /// C: nvmlGetExcludedDeviceCount, else nvmlGetBlacklistDeviceCount\n"
                      "  [[nodiscard]] Result<unsigned> excluded_device_count() const {\n"
                      "    return detail::newest("),
            std::string::npos);
  EXPECT_NE(text.find("&Functions::nvmlGetBlacklistDeviceCount); });"), std::string::npos)
      << "the end of its arguments";
  const std::string& device = files().at(kDevice);
  EXPECT_NE(device.find("&Functions::nvmlDeviceGetCurrentClocksThrottleReasons, handle()); });"), std::string::npos);
}

TEST(BindingMethods, MacrosOfNvmlHDoNotReachBodies) {
  const std::string& text = files().at(kDevice);
  const auto off =
      text.find("#include \"nvmlab/loader/generated/nvml_h_macros_off.hpp\"\n\nnamespace nvml::inline v1 {");
  EXPECT_NE(off, std::string::npos);
  EXPECT_TRUE(text.ends_with("\n#include \"nvmlab/loader/generated/nvml_h_macros_on.hpp\"\n"));
}

TEST(BindingMethods, LinesOfCommentsEnd) {
  const std::string lines = methods::doc_lines(std::string(60, 'a') + " " + std::string(60, 'b'));
  EXPECT_EQ(lines, "  /// " + std::string(60, 'a') + "\n  /// " + std::string(60, 'b') + "\n");
  EXPECT_EQ(methods::doc_lines(""), "");
  EXPECT_EQ(methods::camel_case("ecc_mode"), "EccMode");
}

TEST(BindingMethods, AFunctionWithoutARowStopsTheGenerator) {
  const std::string path = "model/binding/functions/power.yaml";
  const std::string text = read_file(source_folder() / path).value();
  const auto begin = text.find("  nvmlDeviceGetPowerUsage:");
  const auto end = text.find("\n  nvml", begin) + 1;
  EXPECT_EQ(refusal(path, text.substr(begin, end - begin), ""),
            "nvmlDeviceGetPowerUsage has no row in model/binding/functions/: at least `says`, what it does in a "
            "sentence\n");
}

TEST(BindingMethods, AMemberOfAResultNeedsASentence) {
  EXPECT_NE(refusal("model/binding/functions/vgpu.yaml", "      ydim: \"In pixels.\"\n", "")
                .find("nvmlVgpuTypeGetResolution: ydim needs a sentence in `tells` of its row"),
            std::string::npos);
}

TEST(BindingMethods, WhatIsWrittenByHandMustBeThere) {
  EXPECT_NE(refusal("binding/nvmlab/nvml/vgpu_instance.hpp", "C: nvmlVgpuInstanceGetVmID", "C: none")
                .find("nvmlVgpuInstanceGetVmID is of shape hand, and no class of binding/nvmlab/nvml/*.hpp has"),
            std::string::npos);
}

TEST(BindingMethods, VersionsOfAFamilyMustAgree) {
  EXPECT_NE(
      refusal("model/binding/functions/system.yaml",
              "NVML comes with.\n    name: cuda_driver_version\n    units: {cudaDriverVersion: class CudaVersion}",
              "NVML comes with.\n    name: cuda_driver_version\n    units: {cudaDriverVersion: milliwatts}")
          .find("differ in what they take or answer"),
      std::string::npos);
}

}  // namespace
}  // namespace nvmlab::codegen::test
