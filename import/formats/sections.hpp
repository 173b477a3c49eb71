// SPDX-License-Identifier: Apache-2.0
//
// The outputs of commands that stand in one text, alone or one after the other, each found by its own marks: a file
// that collects a whole session needs no treatment of its own. Logs (`nvidia-smi -q`, `-q -x`) are found by
// compiler/capture; this finds everything else. Tests: tests/unit/import/pieces_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::importer {

// In the order in which they are read: what names GPUs comes first.
enum class PieceKind : unsigned char {
  csv,           // nvidia-smi --query-gpu=... --format=csv
  device_query,  // CUDA's sample deviceQuery
  nccl,          // a topology file of NCCL
  table,         // nvidia-smi
  version,       // nvidia-smi --version
  gpu_list,      // nvidia-smi -L, nvlink --status, nvlink --capabilities
  topology,      // nvidia-smi topo -m
  mig,           // nvidia-smi mig -lgip, -lgipp, -lcip, -lgi, -lci
};

// What a user would call it, for messages and sources.
std::string_view command_of(PieceKind kind);

struct Line {
  std::string_view text;
  std::size_t number = 0;  // in the file, from 1
};

struct Piece {
  PieceKind kind;
  std::string_view text;  // of NCCL's XML; all of its lines otherwise
  std::size_t first_line = 0;
  std::string section;  // the heading above it: "idle :: query-gpu"

  std::vector<Line> lines() const;
};

// The pieces are views of `text`, which must outlive them.
std::vector<Piece> find_pieces(std::string_view text);

// "idle" of the heading "idle :: query (-q)"; empty where a heading names no state.
std::string_view state_of(std::string_view section);

// Without the codes by which terminals underline.
std::string without_escapes(std::string_view line);
std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words_of(std::string_view line);                // by blanks
inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }  // in any locale

}  // namespace nvmlab::importer
