// SPDX-License-Identifier: Apache-2.0
#include "codegen/validate/probe.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <system_error>

#include "base/temp_folder.hpp"
#include "codegen/io/files.hpp"
#include "codegen/io/process.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

std::string first_error_line(const std::string& messages) {
  const std::size_t error = messages.find("error:");
  if (error == std::string::npos) return messages.substr(0, messages.find('\n'));
  const std::size_t begin = messages.rfind('\n', error) == std::string::npos ? 0 : messages.rfind('\n', error) + 1;
  return messages.substr(begin, messages.find('\n', error) - begin);
}

Result<std::vector<std::uint64_t>> numbers(const std::string& lines) {
  std::vector<std::uint64_t> list;
  for (std::size_t at = 0; at < lines.size();) {
    char* end = nullptr;
    list.push_back(std::strtoull(lines.c_str() + at, &end, 10));
    const auto stop = static_cast<std::size_t>(end - lines.c_str());
    if (stop == at || stop >= lines.size() || lines[stop] != '\n')
      return fail("the probe printed something else than numbers");
    at = stop + 1;
  }
  return list;
}

}  // namespace

std::string probe_program(const fs::path& header, const std::vector<Question>& questions) {
  std::string text = fmt::format(
      "#define NVML_NO_UNVERSIONED_FUNC_DEFS\n#include \"{}\"\n#include <stddef.h>\n#include <stdio.h>\n"
      "static const unsigned long long answers[] = {{\n",
      header.string());
  for (const Question& question : questions) {
    fmt::format_to(std::back_inserter(text), "  (unsigned long long)({}),\n", question.expression);
  }
  text +=
      "};\nint main(void) {\n"
      "  for (size_t i = 0; i < sizeof answers / sizeof *answers; ++i) printf(\"%llu\\n\", answers[i]);\n"
      "  return 0;\n}\n";
  return text;
}

Result<std::vector<std::string>> wrong_answers(const Release& release, const fs::path& header,
                                               const std::string& compiler) {
  const TempFolder folder("nvmlgen-validate");
  if (folder.path().empty()) return fail("no temporary folder can be made");
  std::error_code code;
  const fs::path absolute = fs::absolute(header, code);
  const fs::path source = folder.path() / "probe.c";
  const fs::path program = folder.path() / "probe";
  const std::vector<Question> questions = questions_about(release);
  if (auto written = write_file(source, probe_program(absolute, questions)); !written)
    return std::unexpected(written.error());

  const auto compiled = run_program({compiler, "-std=gnu11", "-w", "-O0", source.string(), "-o", program.string()});
  if (!compiled) return std::unexpected(compiled.error());
  if (compiled->exit_code != 0) {
    return fail_at(
        header.string(), 0, 0,
        fmt::format("{} refuses what the facts say about it: {}", compiler, first_error_line(compiled->err)));
  }
  const auto ran = run_program({program.string()});
  if (!ran) return std::unexpected(ran.error());
  const auto answers = numbers(ran->out);
  if (!answers) return std::unexpected(answers.error());
  if (answers->size() != questions.size())
    return fail(fmt::format("{} questions, {} answers", questions.size(), answers->size()));

  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::uint64_t answer = (*answers)[i];
    if (answer == questions[i].expected) continue;
    const bool yes_or_no = questions[i].what.find(" is ") != std::string::npos;
    wrong.push_back(yes_or_no ? fmt::format("{}: {} says no", questions[i].what, compiler)
                              : fmt::format("{}: {} in the facts, {} says {}", questions[i].what, questions[i].expected,
                                            compiler, answer));
  }
  return wrong;
}

}  // namespace nvmlab::codegen
