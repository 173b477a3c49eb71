// SPDX-License-Identifier: Apache-2.0
// Verdicts of what a number or a handle of its own names: what can be read of it, and every way in which that can be
// wrong, with its place.
#include "codegen/meaning/subjects.hpp"

#include <gtest/gtest.h>

#include "codegen/emit/export_bodies.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

constexpr const char* kHeads = "nvmlVgpuTypeGetNumDisplayHeads";
constexpr const char* kType =
    "  type:\n    made: VgpuType\n    by: nvmlVgpuTypeId_t\n    members: {display_heads: u32, name: text}\n";
constexpr const char* kVgpu = "  vgpu: {items: vgpu.instances, by: nvmlVgpuInstance_t}\n";

const Inputs& inputs() {
  static const auto loaded = load_inputs(source_folder());
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

const Vocabulary& vocabulary() {
  static const auto loaded = load_vocabulary(source_folder() / "model" / "state");
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

// The export that comes of a row, or what is said of it, without the folder.
std::string exported(const std::string& subjects, const std::string& name, const std::string& verdict) {
  const TemporaryFolder folder;
  folder.write("own.yaml", "topic: own\nsubjects:\n" + subjects + "functions:\n  " + name + ": " + verdict + "\n");
  const auto verdicts = load_verdicts(folder.path(), {name}, inputs().registry, vocabulary());
  if (!verdicts) return verdicts.error().text();
  const auto text = export_text(inputs(), vocabulary(), *verdicts, name);
  return text ? *text : text.error().text();
}

void expect_in(const std::string& said, const std::string& part) {
  EXPECT_NE(said.find(part), std::string::npos) << said << "\nlacks " << part;
}

TEST(Subjects, AreLookedUpByTheParameterOfTheirType) {
  const std::string heads = exported(kType, kHeads, "{of: type, read: display_heads}");
  expect_in(heads,
            "return read_thing<Fn::nvmlVgpuTypeGetNumDisplayHeads, VgpuType>(args(vgpuTypeId, numDisplayHeads), "
            "required(numDisplayHeads), keys(vgpuTypeId), scalar(numDisplayHeads, Made<&VgpuType::display_heads>()));");
  expect_in(heads, "keys(vgpuTypeId)");
  expect_in(heads, "scalar(numDisplayHeads, Made<&VgpuType::display_heads>())");
  expect_in(exported(kType, "nvmlVgpuTypeGetName", "{of: type, read: {vgpuTypeName: name}}"),
            "sized_text(vgpuTypeName, size, Made<&VgpuType::name>())");
  expect_in(exported(kType, "nvmlVgpuTypeGetMaxInstancesPerGpuInstance",
                     "{of: {type: pMaxInstance.vgpuTypeId}, read: {pMaxInstance.maxInstancePerGI: display_heads}}"),
            "keys(pMaxInstance->vgpuTypeId)");
}

TEST(Subjects, AreAskedBeforeTheirOutputs) {
  expect_in(exported(kType, kHeads, "{of: type, enabled: display_heads, read: display_heads}"),
            "enabled(Made<&VgpuType::display_heads>())");
  expect_in(exported(kType, "nvmlVgpuTypeGetResolution",
                     "{of: type, below: {displayIndex: display_heads}, read: {xdim: display_heads, ydim: "
                     "display_heads}}"),
            "below(displayIndex, Made<&VgpuType::display_heads>())");
  expect_in(exported(kType, kHeads, "{of: type, unsupported: nobody knows}"),
            "return read_thing<Fn::nvmlVgpuTypeGetNumDisplayHeads, VgpuType>(args(vgpuTypeId, numDisplayHeads), "
            "required(numDisplayHeads), keys(vgpuTypeId), refusal(Fn::nvmlVgpuTypeGetNumDisplayHeads, "
            "NVML_ERROR_NOT_SUPPORTED));");
}

TEST(Subjects, MayBeItemsOfTheState) {
  expect_in(
      exported(kVgpu, "nvmlVgpuInstanceGetFbUsage", "{of: vgpu, read: used_bytes}"),
      "return read_thing<Fn::nvmlVgpuInstanceGetFbUsage, Vgpu::Instance>(args(vgpuInstance, fbUsage), "
      "required(fbUsage, nonzero(vgpuInstance)), keys(vgpuInstance), scalar<&Vgpu::Instance::used_bytes>(fbUsage));");
  expect_in(exported(kVgpu, "nvmlVgpuInstanceGetFbUsage", "{of: vgpu, read: unused_bytes}"),
            "'unused_bytes' is not a field of 'instance' in model/state/vgpu.yaml");
}

TEST(Subjects, StandBeforeAListOfTheirOwn) {
  const std::string pids =
      exported(kVgpu, "nvmlVgpuInstanceGetAccountingPids",
               "{of: vgpu, enabled: accounting, list: vgpu.processes, where: {vgpu: vgpuInstance}, "
               "read: {pids: pid}, count: count, protocol: A}");
  const auto looked_up = pids.find("const nvmlReturn_t code = answer_of<Vgpu::Instance>(");
  EXPECT_LT(looked_up, pids.find("list<Protocol::a>(")) << pids;
  expect_in(pids,
            "return call<Fn::nvmlVgpuInstanceGetAccountingPids>(args(vgpuInstance, count, pids), [&](Store& node) {");
  expect_in(pids,
            "return call<Fn::nvmlVgpuInstanceGetAccountingPids>(args(vgpuInstance, count, pids), [&](Store& node) {");
  expect_in(
      exported("  lender: {made: Lender, members: {gpu: u32}}\n", "nvmlDeviceGetActiveVgpus",
               "{of: lender, list: vgpu.instances, where: {gpu: device}, read: {vgpuInstances: id}, "
               "count: vgpuCount, protocol: A}"),
      "return call<Fn::nvmlDeviceGetActiveVgpus>(args(device, vgpuCount, vgpuInstances), [&](const Device& gpu) {");
}

TEST(Subjects, TakeWordsAndComparisons) {
  expect_in(
      exported(kVgpu, "nvmlVgpuInstanceGetVmDriverVersion", "{of: vgpu, read: {field: guest_driver, or: None yet}}"),
      ", \"None yet\")");
  expect_in(exported(kVgpu, "nvmlVgpuInstanceGetLicenseStatus", "{of: vgpu, read: {field: license_state, is: 5}}"),
            "return read_thing<Fn::nvmlVgpuInstanceGetLicenseStatus, Vgpu::Instance>(args(vgpuInstance, licensed), "
            "required(licensed, nonzero(vgpuInstance)), keys(vgpuInstance), scalar(licensed, "
            "equals<5>(field<&Vgpu::Instance::license_state>)));");
}

TEST(Subjects, AreRefusedWithTheirPlace) {
  const std::string read = "{of: type, read: display_heads}";
  expect_in(exported(kType, kHeads, "{of: type, read: heads}"),
            "own.yaml:8:52: 'heads' is not a member of type; one of display_heads, name");
  expect_in(exported(kType, kHeads, "{of: type, enabled: heads, read: display_heads}"),
            "own.yaml:8:55: 'heads' is not a member of type");
  expect_in(exported(kType, kHeads, "{of: kind, read: display_heads}"),
            "own.yaml:8:40: 'kind' is none of this file's `subjects`");
  expect_in(exported(kType, kHeads, "{of: {type: number}, read: display_heads}"), "'number' is not a parameter");
  expect_in(exported(kType, kHeads, "{of: type, read: {field: display_heads, or: 0}}"), "always has a value");
  expect_in(exported(std::string(kType) + kVgpu, kHeads, read), "no function is of the subject 'vgpu'");
  expect_in(exported(kVgpu, kHeads, "{of: vgpu, read: used_bytes}"),
            "no parameter is of nvmlVgpuInstance_t; say {vgpu: parameter}");
  expect_in(exported("  type: {made: VgpuType}\n", kHeads, read), "own.yaml:3:3: the subject 'type' needs `items`");
  expect_in(exported("  type: {made: VgpuType, members: {name: words}}\n", kHeads, read),
            "'words' is no type of a member; one of u32, u64, text, handle");
  expect_in(exported("  type: {made: VgpuType, colour: red}\n", kHeads, read), "'colour' is not part of a subject");
  expect_in(exported("  type: {items: vgpu.typos}\n", kHeads, read), "'vgpu.typos' is not a field of");
}

}  // namespace
}  // namespace nvmlab::codegen::test
