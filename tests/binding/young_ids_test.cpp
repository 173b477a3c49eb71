// SPDX-License-Identifier: Apache-2.0
// Fields and metrics that came with a driver: what is refused by an older one says which driver is needed and which is
// here, and what a driver of their time refuses says nothing of drivers. Which that is comes from the facts: the header
// release that first has the name, and the first driver with such a header.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>
#include <map>
#include <set>

#include "codegen/model/driver_releases.hpp"
#include "codegen/model/registry_file.hpp"
#include "nvmlab/loader/driver_release.hpp"
#include "nvmlab/nvml/generated/field_id.hpp"
#include "nvmlab/nvml/generated/gpm_metric_id.hpp"
#include "tests/binding/support/fake_objects.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::binding_test {
namespace {

using namespace nvml;
namespace abi = nvml::abi;

struct Facts {
  codegen::Registry registry;
  std::vector<codegen::DriverRelease> drivers;  // by age
};

const Facts& facts() {
  static const Facts loaded = [] {
    const auto model = test::source_folder() / "model";
    Facts made{codegen::load_registry(model / "facts" / "nvml.json").value(), {}};
    const auto measured = codegen::load_drivers(model / "facts" / "drivers.json").value();
    made.drivers = codegen::load_driver_releases(model / "drivers.yaml", made.registry, measured).value();
    return made;
  }();
  return loaded;
}

// The place among the drivers of the first that knows a name.
std::size_t first_with(const std::string& since, unsigned first_id) {
  const auto& drivers = facts().drivers;
  if (since == facts().registry.releases.front().version) return 0;
  const auto knows = [&](const codegen::DriverRelease& each) {
    return (!each.header.empty() && codegen::compare_versions(each.header, since) >= 0) ||
           std::ranges::find(each.field_ids, first_id) != each.field_ids.end();
  };
  return static_cast<std::size_t>(std::ranges::find_if(drivers, knows) - drivers.begin());
}

// Of each id the place of its first driver.
std::map<unsigned, std::size_t> first_drivers_of_fields() {
  std::map<unsigned, std::size_t> all;
  for (const auto& [name, spans] : facts().registry.macros) {
    const codegen::Macro& newest = codegen::newest_definition(spans);
    if (!name.starts_with("NVML_FI_") || name == "NVML_FI_MAX" || !spans.back().until.empty()) continue;
    if (newest.text.starts_with("NVML_")) continue;  // another name of one
    all[static_cast<unsigned>(newest.value.value().bits)] =
        first_with(spans.front().since, static_cast<unsigned>(spans.front().definition.value.value().bits));
  }
  return all;
}

std::map<unsigned, std::size_t> first_drivers_of_metrics() {
  std::map<unsigned, std::size_t> all;
  for (const auto& [name, spans] : facts().registry.enumerators) {
    if (name.starts_with("NVML_GPM_METRIC_") && name != "NVML_GPM_METRIC_MAX" && spans.back().until.empty())
      all[static_cast<unsigned>(codegen::newest_definition(spans).value)] = first_with(spans.front().since, 0);
  }
  return all;
}

// "535.98" as an error writes it, which leaves out what a branch begins with.
std::string shown(const std::string& release) {
  const std::uint32_t number = detail::driver_release(release);
  const std::string branch = std::to_string(number >> 16);
  return (number & 0xFFFF) == 0 ? branch : branch + "." + std::to_string(number & 0xFFFF);
}

std::string needs(std::size_t first, const std::string& here) {
  return "needs driver " + shown(facts().drivers[first].from) + " or newer; this is driver " + shown(here);
}

char version_told[32] = "";
abi::nvmlReturn_t refusal = abi::NVML_ERROR_NOT_SUPPORTED;

// A driver of some release that refuses everything, in one of the two ways.
class YoungIds : public testing::TestWithParam<abi::nvmlReturn_t> {
 protected:
  YoungIds() { refusal = GetParam(); }

  Fake driver(const codegen::DriverRelease& row) {
    here_ = row.release.empty() ? row.from : row.release;
    std::strcpy(version_told, here_.c_str());
    Fake fake;
    fake.set<&Functions::nvmlSystemGetDriverVersion>([](char* text, unsigned) {
      std::strcpy(text, version_told);
      return abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlDeviceGetFieldValues>([](abi::nvmlDevice_t, int count, abi::nvmlFieldValue_t* values) {
      for (int i = 0; i < count; ++i)
        values[i].nvmlReturn = refusal;
      return abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlGpmMetricsGet>([](abi::nvmlGpmMetricsGet_t* asked) {
      for (unsigned i = 0; i < asked->numMetrics; ++i)
        asked->metrics[i].nvmlReturn = refusal;
      return abi::NVML_SUCCESS;
    });
    return fake;
  }

  void check(const Error& error, std::size_t first, std::size_t row) {
    if (row < first) {
      EXPECT_EQ(error.advice(), needs(first, here_)) << error;
      ++named_;
    } else {
      EXPECT_EQ(error.advice(), "") << error;
    }
  }

  std::string here_;
  unsigned named_ = 0;
};

TEST_P(YoungIds, OfFieldsNameTheDriverThatIsNeeded) {
  const auto firsts = first_drivers_of_fields();
  std::vector<Field> fields;
  for (const auto& [id, first] : firsts)
    fields.push_back({static_cast<FieldId>(id), 0});
  ASSERT_GT(fields.size(), 300U);
  for (std::size_t row = 0; row < facts().drivers.size(); ++row) {
    const Fake fake = driver(facts().drivers[row]);
    SCOPED_TRACE("driver " + here_);
    const auto values = device_of(fake).field_values(fields);
    ASSERT_TRUE(values) << values.error();
    for (const FieldValue& each : *values)
      check(each.value.error(), firsts.at(static_cast<unsigned>(each.field.id)), row);
  }
  std::cout << fields.size() << " fields, " << facts().drivers.size() << " drivers: " << named_
            << " errors name the driver that is needed\n";
  EXPECT_GT(named_, 1000U);
}

TEST_P(YoungIds, OfMetricsNameTheDriverThatIsNeeded) {
  const auto firsts = first_drivers_of_metrics();
  std::vector<GpmMetricId> metrics;
  for (const auto& [id, first] : firsts)
    metrics.push_back(static_cast<GpmMetricId>(id));
  ASSERT_GT(metrics.size(), 400U);
  for (std::size_t row = 0; row < facts().drivers.size(); ++row) {
    const Fake fake = driver(facts().drivers[row]);
    SCOPED_TRACE("driver " + here_);
    const GpmSample sample{fake.library().library(), nullptr};
    const auto values = fake.library().gpm_metrics(sample, sample, metrics);
    ASSERT_TRUE(values) << values.error();
    for (const GpmMetric& each : *values)
      check(each.value.error(), firsts.at(static_cast<unsigned>(each.id)), row);
  }
  std::cout << metrics.size() << " metrics, " << facts().drivers.size() << " drivers: " << named_
            << " errors name the driver that is needed\n";
  EXPECT_GT(named_, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Refused, YoungIds,
                         testing::Values(abi::NVML_ERROR_NOT_SUPPORTED, abi::NVML_ERROR_INVALID_ARGUMENT));

TEST(YoungMetrics, NameTheDriverWhereOneOfThemHasAllRefused) {
  Fake fake;
  fake.set<&Functions::nvmlSystemGetDriverVersion>([](char* text, unsigned) {
    std::strcpy(text, "535.261.03");
    return abi::NVML_SUCCESS;
  });
  const GpmSample sample{fake.library().library(), nullptr};
  fake.set_answer<&Functions::nvmlGpmMetricsGet>(Return{abi::NVML_ERROR_INVALID_ARGUMENT});
  const auto metrics = fake.library().gpm<GpmMetricId::sm_util, GpmMetricId::nvlink_l71_tx_per_sec>(sample, sample);
  EXPECT_EQ(metrics.get<GpmMetricId::sm_util>().error().advice(), "");
  EXPECT_TRUE(metrics.get<GpmMetricId::nvlink_l71_tx_per_sec>().error().advice().starts_with("needs driver "));
}

// What is a fault of the device, or was left to nobody, is none of the driver's age.
TEST(YoungFields, SayNothingOfDriversWhereThatIsNotWhy) {
  Fake fake;
  const Device device = device_of(fake);
  fake.set_answer<&Functions::nvmlDeviceGetFieldValues>(Return{abi::NVML_ERROR_NOT_SUPPORTED});
  EXPECT_EQ(device.field<FieldId::power_instant>().error().advice(), "") << "the driver does not say its release";
  fake.set<&Functions::nvmlSystemGetDriverVersion>([](char* text, unsigned) {
    std::strcpy(text, "470.256.02");
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(device.field<FieldId::power_instant>().error().advice(),
            "needs driver 535.43 or newer; this is driver 470.256");
  fake.set_answer<&Functions::nvmlDeviceGetFieldValues>(Return{abi::NVML_ERROR_GPU_IS_LOST});
  EXPECT_EQ(device.field<FieldId::power_instant>().error().advice().find("driver"), std::string::npos);
}

// Every driver that is built, on its machine: what it answers it knows, and what it refuses it may be too old for.
TEST(YoungFields, AreThoseThatNoOlderDriverAnswers) {
  const auto libraries = libraries_of_drivers();
  if (libraries.size() < 20) GTEST_SKIP() << "the libraries of drivers are not built";
  const auto firsts = first_drivers_of_fields();
  unsigned answered = 0;
  std::set<unsigned> refused;
  for (const auto& file : libraries) {
    const auto library = Library::open({.path = file.string()});
    ASSERT_TRUE(library) << library.error();
    const std::string here = library->driver_version().value();
    SCOPED_TRACE("driver " + here);
    const Device device = library->device(0).value();
    for (const auto& [id, first] : firsts) {
      const bool young =
          detail::driver_release(here) < detail::driver_release(facts().drivers[first].from) && first > 0;
      const auto value = device.field_values(static_cast<FieldId>(id));
      if (value) {
        EXPECT_FALSE(young) << "field " << id;
        ++answered;
      } else if (value.error().origin() == Origin::driver) {
        EXPECT_EQ(value.error().advice(), young ? needs(first, here) : "") << value.error();
        if (young) refused.insert(id);
      }
    }
  }
  std::cout << answered << " answers of " << libraries.size() << " drivers; " << refused.size()
            << " fields refused by drivers that are too old\n";
  EXPECT_GT(answered, 1000U);
  EXPECT_GT(refused.size(), 100U);
}

}  // namespace
}  // namespace nvmlab::binding_test
