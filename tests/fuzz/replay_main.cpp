// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzzer's function on files: FUZZER [--variants N] FILE_OR_FOLDER... A folder without an input is an error,
// since a corpus that got lost would otherwise pass. With --variants, each file is also tried in N damaged forms: cut,
// with bytes changed, with a piece of it doubled or left out. The same N gives the same forms, so a crash comes again.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/fuzzer.hpp"

namespace {

using Input = std::vector<char>;

void run(const Input& input) {
  // A copy of exactly this size: what reads beyond its end is found.
  const Input exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(exact.data()), exact.size());
}

Input damaged(Input input, std::minstd_rand& random) {
  const auto below = [&random](std::size_t bound) { return bound == 0 ? 0 : random() % bound; };
  const auto at = [&input](std::size_t place) { return input.begin() + static_cast<std::ptrdiff_t>(place); };
  for (std::size_t changes = 1 + below(3); changes > 0 && !input.empty(); --changes) {
    const std::size_t from = below(input.size());
    const std::size_t size = std::min(1 + below(32), input.size() - from);
    const Input piece(at(from), at(from + size));
    switch (below(5)) {
      case 0:
        input.resize(from);
        break;
      case 1:
        input[from] = static_cast<char>(random());
        break;
      case 2:
        input[from] = static_cast<char>(input[from] ^ (1 << below(8)));
        break;
      case 3:
        input.insert(at(below(input.size())), piece.begin(), piece.end());
        break;
      default:
        input.erase(at(from), at(from + size));
    }
  }
  return input;
}

std::vector<std::filesystem::path> files_of(char** begin, char** end) {
  std::vector<std::filesystem::path> files;
  for (; begin != end; ++begin) {
    if (!std::filesystem::is_directory(*begin)) {
      files.emplace_back(*begin);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(*begin))
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  int first = 1;
  long variants = 0;
  if (argc > 2 && std::strcmp(argv[1], "--variants") == 0) {
    variants = std::strtol(argv[2], nullptr, 10);
    first = 3;
  }
  const auto files = files_of(argv + first, argv + argc);
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const Input bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
      std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
      return 1;
    }
    std::fprintf(stderr, "%s\n", file.c_str());  // the last one named is the one that crashed
    run(bytes);
    std::minstd_rand random(static_cast<unsigned>(bytes.size()) + 1);
    for (long i = 0; i < variants; ++i)
      run(damaged(bytes, random));
  }
  std::printf("%zu inputs, each in %ld more forms\n", files.size(), variants);
  return files.empty() ? 1 : 0;
}
