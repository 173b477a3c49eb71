// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a capture that is imported: a profile that compiles, or a refusal that says why.
#include "compiler/compile.hpp"
#include "import/importer.hpp"
#include "tests/fuzz/fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvmlab;
  const importer::Input input{"input", {reinterpret_cast<const char*>(data), size}};
  const auto imported = importer::import_captures({&input, 1}, "input");
  if (imported && imported->yaml.empty()) fuzz::wrong("imported nothing");
  if (imported && !compiler::compile_text(imported->yaml, "input.yaml", "input"))
    fuzz::wrong("imported a profile that does not compile");
  if (!imported && (imported.error().empty() || imported.error().front().empty()))
    fuzz::wrong("refused without a word");
  return 0;
}
