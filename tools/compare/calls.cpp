// SPDX-License-Identifier: Apache-2.0
#include "compare/calls.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/summary.hpp"

namespace nvmlab::compare {
namespace {

using Json = nlohmann::json;
using recording::Call;
using recording::Recording;

std::set<std::string, std::less<>> lacking(const Recording& recording) {
  std::set<std::string, std::less<>> functions;
  for (const Call& call : recording.calls) {
    if (call.lacking()) functions.insert(call.function);
  }
  return functions;
}

// "nvmlDeviceGetClockInfo(type=NVML_CLOCK_SM)", and "[link=3]" of what is a number.
struct Asked {
  std::string name;
  std::string label;  // in few words: "nvmlDeviceGetClockInfo(CLOCK_SM)"
  std::string which;
};

void add_index(std::vector<std::string>& numbers, std::string_view name, const std::optional<unsigned>& index) {
  if (index) numbers.push_back(fmt::format("{}={}", name, *index));
}

Asked asked(const Call& call) {
  std::vector<std::string> names;
  std::vector<std::string> said;
  std::vector<std::string> numbers;
  const auto& subject = call.subject;
  add_index(numbers, "unit", subject.unit);
  add_index(numbers, "gpu_instance", subject.gpu_instance);
  add_index(numbers, "compute_instance", subject.compute_instance);
  add_index(numbers, "mig", subject.mig);
  add_index(numbers, "peer", subject.peer);
  add_index(numbers, "vgpu_type", subject.vgpu_type);
  add_index(numbers, "vgpu", subject.vgpu);
  for (const auto& [name, value] : call.in.items()) {
    const bool text = value.is_string();
    const std::string given = text ? value.get<std::string>() : value.dump();
    // Which version of a struct was passed is not one of many alike; a text that is no C name is the unit's own.
    const bool chosen = text ? given.starts_with("NVML_") : !value.is_number() || name == "version";
    (chosen ? names : numbers).push_back(fmt::format("{}={}", name, given));
    if (chosen) said.push_back(text ? given.substr(5) : name == "version" ? "v" + given : given);
  }
  Asked out{call.function, {}, {}};
  out.label = call.function;
  if (!names.empty()) out.name += fmt::format("({})", fmt::join(names, ", "));
  if (!said.empty()) out.label += fmt::format("({})", fmt::join(said, ", "));
  if (!numbers.empty()) out.which = fmt::format("[{}]", fmt::join(numbers, ", "));
  return out;
}

struct Heading {
  std::string topic;
  std::string label;
};

// Field ids, metrics and counters have headings of their own, other calls that of the object that they ask.
Heading heading_of(const Call& call, const std::string& label) {
  struct Kind {
    const char* input;
    const char* topic;
    std::string_view prefix;  // that all names have
  };
  constexpr Kind kinds[] = {{"fieldId", "field ids", "NVML_FI_"},
                            {"metricId", "GPM metrics", "NVML_GPM_METRIC_"},
                            {"counterId", "PRM counters", "NVML_PRM_COUNTER_ID_"}};
  for (const auto& [input, topic, prefix] : kinds) {
    const auto id = call.in.find(input);
    if (id == call.in.end() || !id->is_string()) continue;
    const auto& name = id->get_ref<const std::string&>();
    return {topic, name.starts_with(prefix) ? name.substr(prefix.size()) : name};
  }
  for (const std::string_view object :
       {"nvmlSystem", "nvmlDevice", "nvmlUnit", "nvmlVgpu", "nvmlGpuInstance", "nvmlComputeInstance"}) {
    if (label.starts_with(object)) return {std::string(object), label.substr(object.size())};
  }
  return {"nvml", label};
}

class CallReader {
 public:
  void add(SideSubject& subject, const Call& call) {
    const Asked question = asked(call);
    const auto known = places_.try_emplace({&subject, question.name}, subject.statements.size());
    if (known.second) {
      Statement made;
      Heading heading = heading_of(call, question.label);
      made.topic = std::move(heading.topic);
      made.label = std::move(heading.label);
      made.name = question.name;
      made.shape = question.which.empty() ? StatementShape::record : StatementShape::list;
      subject.statements.push_back(std::move(made));
    }
    Statement& statement = subject.statements[known.first->second];
    ++statement.count;
    if (!call.succeeded()) {
      if (question.which.empty() && statement.parts.empty()) {
        statement.code = true;
        statement.text = call.code;
      } else {
        const bool of_unit = nature_of_output(call, "") == Nature::identifier;
        statement.parts.push_back(
            {question.which, call.code, of_unit ? Nature::identifier : Nature::steady, true, false});
      }
      return;
    }
    parts(statement, call, question.which, "", call.out);
  }

  // One output of one call is no record.
  static void settle(SideSubject& subject) {
    for (Statement& statement : subject.statements) {
      if (statement.shape != StatementShape::record || statement.code) continue;
      statement.count = 0;
      if (statement.parts.size() != 1) continue;
      const Part only = std::move(statement.parts.front());
      statement.parts.clear();
      statement.shape = only.number ? StatementShape::number : StatementShape::text;
      statement.text = only.text;
      statement.nature = only.nature;
    }
  }

 private:
  void parts(Statement& statement, const Call& call, const std::string& which, const std::string& path,
             const Json& value) {
    if (value.is_object()) {
      for (const auto& [name, member] : value.items())
        parts(statement, call, which, path.empty() ? name : fmt::format("{}.{}", path, name), member);
      return;
    }
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i)
        parts(statement, call, which, fmt::format("{}[{}]", path, i), value[i]);
      return;
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    const std::string separator = which.empty() || path.empty() ? "" : ".";
    statement.parts.push_back({which + separator + path, text, nature_of_output(call, path), false, value.is_number()});
  }

  std::map<std::pair<const SideSubject*, std::string>, std::size_t> places_;
};

// The first text that the function, in any of its versions, gives there.
std::string answer(const Recording& recording, unsigned gpu, std::string_view function, const char* where) {
  const Json::json_pointer at(where);
  for (const Call& call : recording.calls) {
    if (!call.function.starts_with(function) || !call.subject.of_gpu(gpu) || !call.out.contains(at)) continue;
    if (const Json& text = call.out.at(at); text.is_string() && !text.get_ref<const std::string&>().empty())
      return text.get<std::string>();
  }
  return "";
}

void name_gpus(Side& side, const Recording& recording) {
  std::vector<std::string> boards;
  for (unsigned i = 0; i < side.gpus.size(); ++i) {
    SideSubject& gpu = side.gpus[i];
    gpu.board = answer(recording, i, "nvmlDeviceGetName", "/name");
    boards.push_back(gpu.board);
    gpu.address = answer(recording, i, "nvmlDeviceGetPciInfo", "/pci/busId");
    gpu.uuid = answer(recording, i, "nvmlDeviceGetUUID", "/uuid");
    if (recording.header.masked || !is_real_uuid(gpu.uuid)) gpu.uuid.clear();
  }
  side.what = compiler::summary(boards, recording.header.driver);
}

using Functions = std::set<std::string, std::less<>>;

Side side_of(const Recording& recording, const Functions& lacks, const Functions& other_lacks, bool same_header) {
  Side side;
  side.gpus.resize(recording.header.gpus);
  for (const std::string& function : lacks) {
    Statement made;
    made.topic = kExports;
    made.name = function;
    made.code = true;
    made.text = "FUNCTION_NOT_FOUND";
    side.node.statements.push_back(std::move(made));
  }
  for (const std::string& function : other_lacks) {
    // A recorder that knew other functions could not say.
    if (lacks.contains(function) || !same_header) continue;
    Statement made;
    made.topic = kExports;
    made.name = function;
    made.text = "exported";
    side.node.statements.push_back(std::move(made));
  }
  CallReader reader;
  for (const Call& call : recording.calls) {
    if (call.lacking() || other_lacks.contains(call.function)) continue;
    if (!call.subject.gpu) {
      reader.add(side.node, call);
    } else if (*call.subject.gpu < side.gpus.size()) {
      reader.add(side.gpus[*call.subject.gpu], call);
    }
  }
  CallReader::settle(side.node);
  for (SideSubject& gpu : side.gpus)
    CallReader::settle(gpu);
  name_gpus(side, recording);
  return side;
}

}  // namespace

std::pair<Side, Side> calls_of(const Recording& a, const Recording& b) {
  const Functions lacks_a = lacking(a);
  const Functions lacks_b = lacking(b);
  const bool same_header = a.header.header == b.header.header;
  return {side_of(a, lacks_a, lacks_b, same_header), side_of(b, lacks_b, lacks_a, same_header)};
}

}  // namespace nvmlab::compare
