// SPDX-License-Identifier: Apache-2.0
// Indexes recorded in the form in which NVIDIA and conda channels publish them, cut to what matters.
#include "codegen/fetch/index.hpp"

#include <gtest/gtest.h>

namespace nvmlab::codegen {
namespace {

constexpr std::string_view redistrib = R"({
  "release_date": "2026-01-01", "release_label": "13.3.0", "release_product": "cuda",
  "cuda_nvcc": {"name": "compiler", "version": "13.3.30", "linux-x86_64": {"relative_path": "cuda_nvcc/x.tar.xz", "sha256": "00"}},
  "cuda_nvml_dev": {
    "name": "headers", "license": "words", "license_path": "cuda_nvml_dev/LICENSE.txt", "version": "13.3.29",
    "linux-x86_64": {"relative_path": "cuda_nvml_dev/linux-x86_64/cuda_nvml_dev-linux-x86_64-13.3.29-archive.tar.xz", "sha256": "ab12", "md5": "", "size": "1"},
    "windows-x86_64": {"relative_path": "cuda_nvml_dev/windows-x86_64/x.zip", "sha256": "cd"}
  }
})";

TEST(Redistrib, OffersTheHeaderArchive) {
  const auto offers = offers_in_redistrib(redistrib, "r.json", "http://host/redist/");
  ASSERT_TRUE(offers) << offers.error().text();
  ASSERT_EQ(offers->size(), 1U);
  EXPECT_EQ(offers->front().version, "13.3.29");
  EXPECT_EQ(offers->front().key,
            "http://host/redist/cuda_nvml_dev/linux-x86_64/cuda_nvml_dev-linux-x86_64-13.3.29-archive.tar.xz");
  EXPECT_EQ(offers->front().sha256, "ab12");
}

TEST(Redistrib, MayHaveNoHeader) {
  EXPECT_TRUE(offers_in_redistrib(R"({"release_label": "1"})", "r.json", "http://h/")->empty());
  EXPECT_TRUE(
      offers_in_redistrib(R"({"cuda_nvml_dev": {"version": "1.0", "windows-x86_64": {}}})", "r.json", "http://h/")
          ->empty());
}

TEST(Redistrib, WrongOnesAreRefused) {
  EXPECT_TRUE(offers_in_redistrib("{\n  oops", "r.json", "")
                  .error()
                  .text()
                  .starts_with("r.json:2:3: not valid JSON; expected NVIDIA's"));
  for (const char* text : {"[]", "3", R"({"cuda_nvml_dev": 3})", R"({"cuda_nvml_dev": {"version": 13}})",
                           R"({"cuda_nvml_dev": {"version": "1.0", "linux-x86_64": {}}})",
                           R"({"cuda_nvml_dev": {"version": "1.0", "linux-x86_64": {"relative_path": 3}}})"}) {
    const auto offers = offers_in_redistrib(text, "r.json", "");
    EXPECT_FALSE(offers) << text;
  }
}

TEST(Redistrib, NamesAreFoundInAFoldersPage) {
  const std::string page =
      R"(<a href='redistrib_11.8.0.json'>redistrib_11.8.0.json</a> <a href="redistrib_13.3.0.json">x</a> redistrib_features.json
    redistrib_.json redistrib_1..2.json redistrib_12.0.0.json.sig redistrib_9)";
  EXPECT_EQ(redistrib_names(page),
            (std::vector<std::string>{"redistrib_11.8.0.json", "redistrib_13.3.0.json", "redistrib_12.0.0.json"}));
  EXPECT_TRUE(redistrib_names("").empty());
}

constexpr std::string_view repodata = R"({
  "info": {"subdir": "linux-64"},
  "packages": {
    "cuda-nvml-dev-11.8.86-0.tar.bz2": {"name": "cuda-nvml-dev", "version": "11.8.86", "build": "0", "sha256": "aa", "size": 1},
    "other-1.0-0.tar.bz2": {"name": "other", "version": "1.0", "sha256": "bb"}
  },
  "packages.conda": {"cuda-nvml-dev-12.9.79-h0_0.conda": {"name": "cuda-nvml-dev", "version": "12.9.79", "sha256": "cc"}}
})";

TEST(Conda, OffersBothFormsOfPackages) {
  const auto offers = offers_in_repodata(repodata, "repodata.json", "http://host/channel/linux-64/");
  ASSERT_TRUE(offers) << offers.error().text();
  ASSERT_EQ(offers->size(), 2U);
  EXPECT_EQ((*offers)[0].version, "12.9.79");
  EXPECT_EQ((*offers)[0].key, "http://host/channel/linux-64/cuda-nvml-dev-12.9.79-h0_0.conda");
  EXPECT_EQ((*offers)[0].sha256, "cc");
  EXPECT_EQ((*offers)[1].version, "11.8.86");
}

TEST(Conda, PackagesMayLieElsewhere) {
  const auto offers = offers_in_repodata(
      R"({"info": {"base_url": "http://else/linux-64/"}, "packages": {"a.conda": {"name": "cuda-nvml-dev", "version": "1.0"}}})",
      "repodata.json", "http://host/");
  EXPECT_EQ(offers->front().key, "http://else/linux-64/a.conda");
  EXPECT_EQ(offers->front().sha256, "") << "and is then not taken: fetch_source_test";
}

TEST(Conda, WrongOnesAreRefused) {
  EXPECT_TRUE(
      offers_in_repodata("{", "r.json", "").error().text().starts_with("r.json:1:2: not valid JSON; expected a conda"));
  for (const char* text : {"{}", "[]", R"({"packages": 3})", R"({"packages": {"a": {"version": "1"}}})",
                           R"({"packages": {"a": {"name": "cuda-nvml-dev"}}})"}) {
    EXPECT_FALSE(offers_in_repodata(text, "r.json", "")) << text;
  }
}

}  // namespace
}  // namespace nvmlab::codegen
