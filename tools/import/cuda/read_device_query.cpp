// SPDX-License-Identifier: Apache-2.0
//
// deviceQuery of NVIDIA's CUDA samples. What NVML has a getter for goes where nvidia-smi's values go; the rest is the
// topic `cuda`. The clocks that CUDA calls highest are boost clocks on some boards, not what nvidia-smi calls highest:
// they are kept as CUDA's, and stand in for nvidia-smi's only where no input has those (infer_cuda()).
// Tests: tests/unit/import/device_query_test.cpp.
#include <array>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "import/formats/section_reader.hpp"
#include "import/formats/sections.hpp"

namespace nvmlab::importer {
namespace {

enum class Form : unsigned char {
  number,   // the first number: "49152 bytes", "384-bit"
  mega,     // the first number, a thousand of the field's units: "2520 MHz (2.52 GHz)"
  bracket,  // the number in brackets: "24210 MBytes (25386352640 bytes)"
  truth,    // Yes, No, Enabled, Disabled
  numbers,  // all in the brackets: "(1024, 1024, 64)"
};

struct QueryRow {
  std::string_view label;
  std::string_view field;
  Form form;
};

constexpr QueryRow kQueryRows[] = {
    {"Total amount of global memory", "cuda.total_memory_bytes", Form::bracket},
    {"GPU Max Clock rate", "cuda.clock_rate_khz", Form::mega},
    {"GPU Clock rate", "cuda.clock_rate_khz", Form::mega},
    {"Memory Clock rate", "cuda.memory_clock_rate_khz", Form::mega},
    {"Memory Bus Width", "memory.bus_width_bits", Form::number},
    {"L2 Cache Size", "cuda.l2_cache_size_bytes", Form::number},
    {"Total amount of constant memory", "cuda.total_constant_memory_bytes", Form::number},
    {"Total amount of shared memory per block", "cuda.max_shared_memory_per_block_bytes", Form::number},
    {"Total shared memory per multiprocessor", "cuda.max_shared_memory_per_multiprocessor_bytes", Form::number},
    {"Total number of registers available per block", "cuda.max_registers_per_block", Form::number},
    {"Warp size", "cuda.warp_size", Form::number},
    {"Maximum number of threads per multiprocessor", "cuda.max_threads_per_multiprocessor", Form::number},
    {"Maximum number of threads per block", "cuda.max_threads_per_block", Form::number},
    {"Max dimension size of a thread block (x,y,z)", "cuda.max_block_dim", Form::numbers},
    {"Max dimension size of a grid size    (x,y,z)", "cuda.max_grid_dim", Form::numbers},
    {"Maximum memory pitch", "cuda.max_pitch_bytes", Form::number},
    {"Texture alignment", "cuda.texture_alignment_bytes", Form::number},
    {"Concurrent copy and kernel execution", "cuda.gpu_overlap", Form::truth},
    {"Run time limit on kernels", "cuda.kernel_exec_timeout", Form::truth},
    {"Integrated GPU sharing Host Memory", "cuda.integrated", Form::truth},
    {"Support host page-locked memory mapping", "cuda.can_map_host_memory", Form::truth},
    {"Alignment requirement for Surfaces", "cuda.surface_alignment_required", Form::truth},
    {"Device has ECC support", "cuda.ecc_enabled", Form::truth},
    {"Device supports Unified Addressing (UVA)", "cuda.unified_addressing", Form::truth},
    {"Device supports Managed Memory", "cuda.managed_memory", Form::truth},
    {"Device supports Compute Preemption", "cuda.compute_preemption_supported", Form::truth},
    {"Supports Cooperative Kernel Launch", "cuda.cooperative_launch", Form::truth},
    {"Supports MultiDevice Co-op Kernel Launch", "cuda.cooperative_multi_device_launch", Form::truth},
};

// The whole numbers of a text, in order. None where one is out of range.
std::vector<std::uint64_t> numbers_in(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end]))
      ++end;
    const auto number = whole_number(text.substr(at, end - at));
    if (!number) return {};
    numbers.push_back(*number);
    at = end;
  }
  return numbers;
}

std::string_view brackets(std::string_view text) {
  const auto open = text.find('(');
  const auto close = text.find(')', open == std::string_view::npos ? 0 : open);
  return close == std::string_view::npos ? std::string_view() : text.substr(open + 1, close - open - 1);
}

// None when the text is not of that form.
std::optional<compiler::Literal> read_form(Form form, std::string_view said) {
  switch (form) {
    case Form::number:
    case Form::mega: {
      const auto numbers = numbers_in(said);
      if (numbers.empty() || !is_digit(said.front())) return std::nullopt;
      return form == Form::number ? numbers.front() : numbers.front() % 10'000'000 * 1000;
    }
    case Form::bracket: {
      const auto numbers = numbers_in(brackets(said));
      return numbers.size() == 1 ? std::optional<compiler::Literal>(numbers.front()) : std::nullopt;
    }
    case Form::numbers: {
      const auto numbers = numbers_in(brackets(said));
      return numbers.empty() ? std::nullopt : std::optional<compiler::Literal>(numbers);
    }
    case Form::truth:
      if (said.starts_with("Yes") || said.starts_with("Enabled")) return true;
      if (said.starts_with("No") || said.starts_with("Disabled")) return false;
      return std::nullopt;
  }
  return std::nullopt;
}

class DeviceReader {
 public:
  explicit DeviceReader(SectionReader& reader) : reader_(reader) {}

  void run() {
    std::optional<std::uint64_t> detected;
    std::size_t last = reader_.section().first_line;
    for (const auto& line : reader_.section().lines()) {
      const auto said = trimmed(line.text);
      if (said.empty()) continue;
      last = line.number;
      if (line.text.starts_with("Detected ")) {
        detected = numbers_in(said).empty() ? 0 : numbers_in(said).front();
      } else if (line.text.starts_with("Device ")) {
        finish();
        start(line);
      } else if (!line.text.starts_with('>')) {
        lines_.push_back({said, line.number});
      }
    }
    finish();
    if (devices_ == 0 || (detected && devices_ < *detected) || !complete_) {
      reader_.wrong(last, fmt::format("the output of deviceQuery is cut short: {} of {} devices are whole",
                                      complete_ ? devices_ : devices_ - 1, detected.value_or(devices_)));
    }
  }

 private:
  void start(const Line& line) {
    open_ = true;
    ++devices_;
    first_line_ = line.number;
    const auto quote = line.text.find('"');
    const auto close = line.text.rfind('"');
    name_ = close > quote ? line.text.substr(quote + 1, close - quote - 1) : std::string_view();
    index_ = numbers_in(line.text.substr(0, quote)).empty() ? 0 : numbers_in(line.text.substr(0, quote)).front();
  }

  // Which GPU it is shows at the end of what is printed of it, so its lines wait for that.
  void finish() {
    const auto lines = std::move(lines_);
    lines_.clear();
    if (!open_) return;
    open_ = false;
    constexpr std::string_view label = "Device PCI Domain ID / Bus ID / location ID:";
    std::string address;
    complete_ = false;
    for (const Line& line : lines) {
      if (!line.text.starts_with(label)) continue;
      const auto parts = numbers_in(line.text.substr(label.size()));
      if (parts.size() == 3 && parts[0] <= 0xFFFFFFFF && parts[1] <= 0xFF && parts[2] <= 0x1F)
        address = fmt::format("{:08X}:{:02X}:{:02X}.0", parts[0], parts[1], parts[2]);
      if (address.empty()) reader_.wrong(line.number, "this is no PCI address");
      complete_ = true;
    }
    if (!complete_) return;
    if (name_.find(" MIG ") != std::string_view::npos) {
      reader_.note(first_line_, fmt::format("{} is a part of a GPU and is left out", in_quotes(name_)));
      return;
    }
    const auto gpu = reader_.gpu({index_, {}, address}, first_line_);
    if (!gpu) return;
    reader_.observe_text(*gpu, "identity.name", name_, first_line_);
    for (const Line& line : lines)
      read(*gpu, line);
  }

  void read(std::size_t gpu, const Line& line) {
    for (const QueryRow& row : kQueryRows) {
      if (!line.text.starts_with(row.label)) continue;
      auto said = trimmed(line.text.substr(row.label.size()));
      if (!said.starts_with(':')) continue;
      said = trimmed(said.substr(1));
      const auto value = said.empty() ? std::nullopt : read_form(row.form, said);
      if (!value) return reader_.wrong(line.number, fmt::format("{} is no value of {}", in_quotes(said), row.label));
      reader_.observe(gpu, row.field, *value, line.number);
      if (row.field == "cuda.gpu_overlap") copy_engines(gpu, said, line.number);
      return;
    }
    special(gpu, line);
  }

  void copy_engines(std::size_t gpu, std::string_view said, std::size_t line) {  // Yes with 2 copy engine(s)
    if (const auto count = numbers_in(said); count.size() == 1)
      reader_.observe(gpu, "cuda.async_engine_count", count.front(), line);
  }

  void special(std::size_t gpu, const Line& line) {
    const auto rest = [&](std::string_view label) { return numbers_in(line.text.substr(label.size())); };
    constexpr std::string_view versions = "CUDA Driver Version / Runtime Version";
    constexpr std::string_view capability = "CUDA Capability Major/Minor version number:";
    if (line.text.starts_with(versions)) {  // 12.4 / 11.8
      const auto parts = rest(versions);
      if (parts.size() == 4 && parts[0] < 1000 && parts[1] < 100)
        reader_.observe_node("system.cuda_version", parts[0] * 1000 + parts[1] * 10, line.number);
    } else if (line.text.starts_with(capability)) {
      const auto parts = rest(capability);
      if (parts.size() != 2) return;
      reader_.observe(gpu, "identity.compute_capability_major", parts[0], line.number);
      reader_.observe(gpu, "identity.compute_capability_minor", parts[1], line.number);
    } else if (line.text.find(" Multiprocessors, (") !=
               std::string_view::npos) {  // (058) ..., (128) CUDA Cores/MP: 7424
      const auto parts = numbers_in(line.text);
      if (parts.size() < 3) return;
      reader_.observe(gpu, "cuda.multiprocessor_count", parts[0], line.number);
      reader_.observe(gpu, "identity.core_count", parts[2], line.number);
    } else if (line.text.starts_with("Maximum ") && line.text.find("Texture") != std::string_view::npos) {
      textures(gpu, line);
    } else if (line.text.starts_with('<')) {
      compute_mode(gpu, line);
    }
  }

  // 1D=(131072), 2D=(131072, 65536), 3D=(16384, 16384, 16384); 1D=(32768), 2048 layers
  void textures(std::size_t gpu, const Line& line) {
    const bool layered = line.text.find("Layered") != std::string_view::npos;
    for (const auto& [mark, name] : {std::pair{"1D=(", "1d"}, std::pair{"2D=(", "2d"}, std::pair{"3D=(", "3d"}}) {
      const auto at = line.text.find(mark);
      if (at == std::string_view::npos) continue;
      auto sizes = numbers_in(brackets(line.text.substr(at)));
      if (layered) {
        const auto layers = numbers_in(line.text.substr(std::min(line.text.find(')', at), line.text.size())));
        sizes.insert(sizes.end(), layers.begin(), layers.end());
      }
      reader_.observe(gpu, fmt::format("cuda.maximum_texture{}{}", name, layered ? "_layered" : ""), sizes,
                      line.number);
    }
  }

  void compute_mode(std::size_t gpu, const Line& line) {  // < Default (multiple host threads ...) >
    constexpr std::array modes{std::pair{"< Default", "default"}, std::pair{"< Exclusive Process", "exclusive_process"},
                               std::pair{"< Exclusive", "exclusive_thread"}, std::pair{"< Prohibited", "prohibited"}};
    for (const auto& [said, mode] : modes) {
      if (line.text.starts_with(said))
        return reader_.observe(gpu, "modes.compute_mode", compiler::Label{mode}, line.number);
    }
  }

  SectionReader& reader_;
  std::vector<Line> lines_;  // of the device so far
  bool open_ = false;
  bool complete_ = true;
  std::size_t devices_ = 0;
  std::size_t first_line_ = 0;
  std::string_view name_;
  std::uint64_t index_ = 0;
};

bool names_a_device(std::string_view line) {  // Device 0: "NVIDIA L4"
  return line.starts_with("Device ") && line.size() > 7 && is_digit(line[7]) &&
         line.find(": \"") != std::string_view::npos;
}
bool counts_devices(std::string_view line) {
  return line.starts_with("Detected ") && line.find(" CUDA Capable device") != std::string_view::npos;
}
bool starts_device_query(std::string_view line) { return names_a_device(line) || counts_devices(line); }
bool continues_device_query(std::string_view line) {
  return trimmed(line).empty() || line.front() == ' ' || line.front() == '\t' || line.starts_with('>');
}
bool joins_device_query(std::string_view line) { return !counts_devices(line); }

void read_device_query(SectionReader& reader) { DeviceReader(reader).run(); }

}  // namespace

constinit const ForeignFormat kDeviceQueryFormat{.name = "deviceQuery",
                                                 .recognises = starts_device_query,
                                                 .read = read_section<read_device_query>,
                                                 .continues = continues_device_query,
                                                 .joins = joins_device_query};

}  // namespace nvmlab::importer
