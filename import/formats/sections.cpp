// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sections.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "import/formats/section_reader.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::string_view kNcclEnd = "</system>";

// "GPU 0: NVIDIA L4 (UUID: GPU-...)"
bool lists_a_gpu(std::string_view line) {
  return line.starts_with("GPU ") && line.size() > 4 && is_digit(line[4]) &&
         line.find(": ") != std::string_view::npos && line.find("(UUID: ") != std::string_view::npos;
}

// "GPU  0 Profile ID 19 Placements: {0,1}:1"
bool lists_placements(std::string_view line) {
  return line.starts_with("GPU ") && line.find(" Profile ID ") != std::string_view::npos &&
         line.find("Placement") != std::string_view::npos;
}

bool heads_a_mig_table(std::string_view line) {
  if (!line.starts_with('|')) return false;
  const auto said = trimmed(line.substr(1));
  for (const std::string_view title :
       {"GPU instance profiles:", "Compute instance profiles:", "GPU instances:", "Compute instances:"}) {
    if (said.starts_with(title)) return true;
  }
  return false;
}

bool heads_a_matrix(std::string_view line) {
  if (line.empty() || (line.front() != '\t' && line.front() != ' ' && line.front() != '\x1b')) return false;
  if (line.find(" Affinity") == std::string_view::npos) return false;
  const std::string plain = without_escapes(line);
  const auto first = trimmed(plain);
  return first.starts_with("GPU") && first.size() > 3 && is_digit(first[3]);
}

bool names_a_device(std::string_view line) {  // Device 0: "NVIDIA L4"
  return line.starts_with("Device ") && line.size() > 7 && is_digit(line[7]) &&
         line.find(": \"") != std::string_view::npos;
}
bool counts_devices(std::string_view line) {
  return line.starts_with("Detected ") && line.find(" CUDA Capable device") != std::string_view::npos;
}

bool heads_nccl(std::string_view line) {
  const auto said = trimmed(line);
  return said.starts_with("<system") && (said.size() == 7 || said[7] == ' ' || said[7] == '>');
}

std::optional<PieceKind> starts(std::string_view line) {
  if (lists_a_gpu(line)) return PieceKind::gpu_list;
  if (heads_a_mig_table(line) || lists_placements(line)) return PieceKind::mig;
  if (heads_a_matrix(line)) return PieceKind::topology;
  if (line.starts_with("| NVIDIA-SMI ")) return PieceKind::table;
  if (line.starts_with("NVIDIA-SMI version")) return PieceKind::version;
  if (names_a_device(line) || counts_devices(line)) return PieceKind::device_query;
  if (heads_nccl(line)) return PieceKind::nccl;
  if (heads_csv(line)) return PieceKind::csv;
  return std::nullopt;
}

// Whether a line that starts nothing new still belongs to the piece above it.
bool goes_on(PieceKind kind, std::string_view line) {
  const auto said = trimmed(line);
  const bool indented = !line.empty() && (line.front() == ' ' || line.front() == '\t');
  switch (kind) {
    case PieceKind::csv:
      return !said.empty() && !said.starts_with('#');
    case PieceKind::device_query:
      return said.empty() || indented || line.starts_with('>');
    case PieceKind::nccl:
      return true;  // to its end, which find_pieces() looks for
    case PieceKind::table:
      return said.empty() || line.starts_with('|') || line.starts_with('+');
    case PieceKind::version:
      return !said.empty() && line.find(':') != std::string_view::npos;
    case PieceKind::gpu_list:
      return !said.empty() && !said.starts_with('#');
    case PieceKind::topology:
      return !said.empty() && !said.starts_with('#');
    case PieceKind::mig:
      return line.starts_with('|') || line.starts_with('+');
  }
  return false;
}

// One line's start may go on in the piece of its kind: several GPUs make one list.
bool joins(PieceKind open, PieceKind fresh, std::string_view line) {
  if (open != fresh) return false;
  switch (fresh) {
    case PieceKind::gpu_list:
      return true;
    case PieceKind::device_query:
      return !counts_devices(line);
    case PieceKind::mig:
      return lists_placements(line);
    default:
      return false;
  }
}

// A heading that names a state: "# idle :: query (-q)".
std::optional<std::string> heading(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  const auto said = trimmed(line.substr(std::min(line.find_first_not_of('#'), line.size())));
  if (said.find(" :: ") == std::string_view::npos) return std::nullopt;
  return std::string(said.substr(0, 200));
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = std::min(text.find_first_not_of(blanks), text.size());
  const auto end = text.find_last_not_of(blanks);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line)).empty()) {
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::string without_escapes(std::string_view line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\x1b') {
      plain += line[at];
      continue;
    }
    if (at + 1 < line.size() && line[at + 1] == '[') ++at;
    while (at + 1 < line.size() && std::isalpha(static_cast<unsigned char>(line[at + 1])) == 0 && line[at + 1] != '\t')
      ++at;
    if (at + 1 < line.size() && line[at + 1] != '\t') ++at;
  }
  return plain;
}

std::string_view state_of(std::string_view section) {
  const auto mark = section.find(" :: ");
  return mark == std::string_view::npos ? std::string_view() : trimmed(section.substr(0, mark));
}

std::string_view command_of(PieceKind kind) {
  switch (kind) {
    case PieceKind::csv:
      return "nvidia-smi --query-gpu";
    case PieceKind::device_query:
      return "deviceQuery";
    case PieceKind::nccl:
      return "topology of NCCL";
    case PieceKind::table:
      return "nvidia-smi";
    case PieceKind::version:
      return "nvidia-smi --version";
    case PieceKind::gpu_list:
      return "nvidia-smi -L or nvlink";
    case PieceKind::topology:
      return "nvidia-smi topo -m";
    case PieceKind::mig:
      return "nvidia-smi mig";
  }
  return "";
}

std::vector<Line> Piece::lines() const {
  std::vector<Line> lines;
  std::string_view rest = text;
  for (std::size_t number = first_line; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size());
    lines.push_back({rest.substr(0, end), number});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

std::vector<Piece> find_pieces(std::string_view text) {
  std::vector<Piece> pieces;
  bool open = false;
  std::string section;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    const auto begin = at;
    at = std::min(end + 1, text.size());
    constexpr std::size_t longest = 65536;  // a line of no tool; XML may be one line as a whole
    const bool in_xml = open && pieces.back().kind == PieceKind::nccl;
    if (line.size() > longest && !in_xml && !heads_nccl(line)) {
      open = false;
      continue;
    }
    if (auto said = heading(line)) section = std::move(*said);
    if (in_xml) {
      // nothing inside it starts a piece
    } else if (const auto fresh = starts(line)) {
      if (!open || !joins(pieces.back().kind, *fresh, line))
        pieces.push_back({*fresh, text.substr(begin, 0), number, section});
      open = true;
    } else if (open) {
      open = goes_on(pieces.back().kind, line);
    }
    if (!open) continue;
    Piece& piece = pieces.back();
    piece.text = text.substr(static_cast<std::size_t>(piece.text.data() - text.data()),
                             at - static_cast<std::size_t>(piece.text.data() - text.data()));
    if (piece.kind == PieceKind::nccl && line.find(kNcclEnd) != std::string_view::npos) open = false;
  }
  return pieces;
}

}  // namespace nvmlab::importer
