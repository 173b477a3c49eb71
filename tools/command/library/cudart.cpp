// SPDX-License-Identifier: Apache-2.0
#include "command/library/cudart.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "command/cli/output.hpp"
#include "command/library/environment.hpp"
#include "command/library/simulated.hpp"
#include "engine/store/driver_version.hpp"

namespace nvmlab::tool {

namespace fs = std::filesystem;

std::string take_cudart(const std::string& word, std::optional<std::string>& major) {
  if (word != "12" && word != "13")
    return fmt::format(
        "--cudart '{}': 12 or 13 was expected, the major version of the runtime that programs are linked to", word);
  major = word;
  return "";
}

int prepare_cudart(const std::optional<std::string>& major, const std::string& driver) {
  if (!major) return kGood;
  const auto folder = library_folder();
  if (!folder) return complain("{}", folder.error());
  const fs::path own = fs::path(*folder) / "cudart" / *major;
  const fs::path library = own / ("libcudart.so." + *major);
  std::error_code failed;
  if (!fs::exists(library, failed))
    return complain("--cudart {}: {} is missing; install nvmlab again", *major, library.string());
  prepend_path("LD_LIBRARY_PATH", own.string());
  prepend_path("LD_PRELOAD", library.string());
  if (driver_release(driver_row(driver.c_str())).cuda / 1000 < std::stoul(*major))
    complain(
        "driver {} is older than CUDA {}, so its programs say that the driver is insufficient (35); --driver {} is new "
        "enough",
        driver, *major, *major == "13" ? "580" : "525");
  return kGood;
}

}  // namespace nvmlab::tool
