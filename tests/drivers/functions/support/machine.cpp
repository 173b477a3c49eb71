// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/functions/support/machine.hpp"
#include "engine/change/change.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "compiler/compile.hpp"
#include "compiler/paths.hpp"
#include "engine/topics/derived.hpp"
#include "tests/support/publish.hpp"

namespace nvmlab::driver_test {
namespace {

template <class T>
T& as(std::byte* at) {
  return *reinterpret_cast<T*>(at);
}

// Fields of a topic or record, numbered on.
void fill_fields(const Field* fields, std::uint32_t count, std::byte* base, std::uint32_t& number);

void fill_field(const Field& field, std::byte* at, std::uint32_t& number) {
  ++number;
  switch (field.type) {
    case FieldType::u32:
      as<Fact<std::uint32_t>>(at).set(number);
      break;
    case FieldType::flag:
      as<Fact<std::uint32_t>>(at).set(number & 1);
      break;
    case FieldType::i32:
      as<Fact<std::int32_t>>(at).set(-static_cast<std::int32_t>(number));
      break;
    case FieldType::u64:
      as<Fact<std::uint64_t>>(at).set(std::uint64_t{number} << 32 | number);
      break;
    case FieldType::text:
    case FieldType::bytes: {
      // Both have their length and code in the first eight bytes.
      const std::string text = "text " + std::to_string(number);
      const std::uint32_t size = static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), field.capacity - 1));
      std::memset(at, 0, field.size);
      if (field.type == FieldType::text) as<std::uint32_t>(at) = size;
      as<std::uint32_t>(at + 4) = kSuccess ^ kNotSupported;
      std::memcpy(at + 8, text.data(), size);
      break;
    }
    case FieldType::record:
      fill_fields(field.record->fields, field.record->field_count, at, number);
      break;
    case FieldType::list_u16:
    case FieldType::list_u32:
    case FieldType::list_u64:
    case FieldType::list_record: {
      as<std::uint32_t>(at) = 1;
      if (field.type == FieldType::list_u16) as<std::uint16_t>(at + 8) = static_cast<std::uint16_t>(number);
      if (field.type == FieldType::list_u32) as<std::uint32_t>(at + 8) = number;
      if (field.type == FieldType::list_u64) as<std::uint64_t>(at + 8) = number;
      if (field.type == FieldType::list_record)
        fill_fields(field.record->fields, field.record->field_count, at + 8, number);
      break;
    }
  }
}

void fill_fields(const Field* fields, std::uint32_t count, std::byte* base, std::uint32_t& number) {
  for (std::uint32_t i = 0; i < count; ++i)
    fill_field(fields[i], base + fields[i].offset, number);
}

}  // namespace

SharedMachine::SharedMachine(const std::string& profile, const std::string& driver, unsigned gpus) {
  compiler::CompileOptions options;
  options.driver = driver;
  if (gpus > 0) options.gpus = gpus;
  const auto machine = compiler::compile(profile, options);
  EXPECT_TRUE(machine) << (machine ? "" : compiler::describe(machine.error()));
  if (!machine) return;
  Image image;
  EXPECT_EQ(open_image(machine->image.data(), machine->image.size(), &image), ImageError::none);
  StorePath store{};
  EXPECT_FALSE(store_path("test", runtime_folder().c_str(), &store));
  const FileProblem created = create_store(store.text, image, image.header->gpu_count, "test");
  EXPECT_FALSE(created) << describe(created.error) << " " << created.number;
  const FileProblem attached = attach_store(store.text, &attached_);
  EXPECT_FALSE(attached) << describe(attached.error);
  environment_.reset(new Environment{{"NVMLAB_MACHINE", "test"}, {"NVMLAB_RUNTIME_DIR", runtime_folder().string()}});
}

SharedMachine::~SharedMachine() {
  if (attached_.store != nullptr) detach_store(&attached_);
}

Gpu SharedMachine::gpu(unsigned index) const {
  Gpu copy = consistent(store().gpus()[index], [](const Gpu& gpu) { return load(gpu); });
  derived::compute(copy);
  return copy;
}

Node SharedMachine::node() const {
  return consistent(store().node, [](const Node& node) { return load(node); });
}

void SharedMachine::change_gpu(unsigned index, const std::function<void(Gpu&)>& change) const {
  const WriteLock lock(&attached_.file);
  Gpu state = gpu(index);
  change(state);
  derived::store_residues(state);
  test::publish(store().gpus()[index], state);
}

void SharedMachine::change_node(const std::function<void(Node&)>& change) const {
  const WriteLock lock(&attached_.file);
  Node state = node();
  change(state);
  test::publish(store().node, state);
}

void SharedMachine::advance(std::chrono::nanoseconds by) const {
  MachineAccess whole{store(), attached_.file, true};
  EXPECT_EQ(apply(whole, make_change(MachinePart::clock, SetMachineClock{ClockMode::virtual_time, 0})).code,
            nvmlab::kSuccess);
  EXPECT_EQ(
      apply(whole, make_change(MachinePart::clock, AdvanceMachineClock{static_cast<std::uint64_t>(by.count())})).code,
      nvmlab::kSuccess);
}

void SharedMachine::fill_gpu(unsigned index) const {
  change_gpu(index, [](Gpu& gpu) {
    std::uint32_t number = 100;
    for (const Topic& topic : topics()) {
      if (topic.of_node) continue;
      fill_fields(topic.table.fields, topic.table.field_count, reinterpret_cast<std::byte*>(&gpu) + topic.offset,
                  number);
    }
    gpu.modes.drain.set(0);  // a process that starts does not see a GPU that drains
  });
}

void SharedMachine::fill_node(const std::string& wanted) const {
  change_node([&wanted](Node& node) {
    std::uint32_t number = 100;
    for (const Topic& topic : topics()) {
      if (!topic.of_node || wanted != topic.table.name) continue;
      fill_fields(topic.table.fields, topic.table.field_count, reinterpret_cast<std::byte*>(&node) + topic.offset,
                  number);
    }
  });
}

FieldPlace place_of(const std::string& path, void* gpu, void* node) {
  const auto found = compiler::find_field(path);
  EXPECT_TRUE(found) << (found ? "" : found.error());
  if (!found) return {};
  auto* owner = static_cast<std::byte*>(found->topic->of_node ? node : gpu);
  return {found->field, owner + found->offset, found->topic->of_node};
}

}  // namespace nvmlab::driver_test
