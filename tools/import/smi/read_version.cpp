// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi --version. Tests: tests/unit/import/session_test.cpp.
#include <algorithm>

#include "import/smi/rules.hpp"
#include "import/smi/versions.hpp"

namespace nvmlab::importer {

void observe_driver(SectionReader& reader, std::string_view driver, std::size_t line) {
  if (!capture::is_version(capture::without_remark(driver))) return;
  reader.observe_node("system.driver_version", capture::without_remark(driver), line);
}

void observe_cuda(SectionReader& reader, std::string_view version, std::size_t line) {
  const Rule rule{{}, {}, {}, PrintedForm::version, {}, 1};
  const auto read = read_printed(rule, version, {});
  if (read.kind == Reading::Kind::value) reader.observe_node("system.cuda_version", read.literal, line);
}

namespace {

void read_version(SectionReader& reader) {
  for (const auto& [text, line] : reader.section().lines()) {
    const auto colon = text.find(':');
    const auto label = trimmed(text.substr(0, colon));
    const auto value = trimmed(text.substr(std::min(colon, text.size() - 1) + 1));
    if (label == "DRIVER version" || label == "KMD version") observe_driver(reader, value, line);
    if (label == "CUDA Version" || label == "CUDA UMD version") observe_cuda(reader, value, line);
  }
}

bool starts_version(std::string_view line) { return line.starts_with("NVIDIA-SMI version"); }
bool continues_version(std::string_view line) {
  return !trimmed(line).empty() && line.find(':') != std::string_view::npos;
}

}  // namespace

constinit const ForeignFormat kVersionFormat{.name = "nvidia-smi --version",
                                             .recognises = starts_version,
                                             .read = read_section<read_version>,
                                             .continues = continues_version};

}  // namespace nvmlab::importer
