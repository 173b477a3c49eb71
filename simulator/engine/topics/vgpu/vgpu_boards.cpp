// SPDX-License-Identifier: Apache-2.0
//
// Boards whose vGPU types are published, with the numbers of their types. Names, device and subsystem ids are those by
// which NVIDIA's open kernel modules know guests (g_nv_name_released.h of 595.45), the numbers of types in GPU
// instances those of their table of such types (g_vgpu_resman_specific.h). The numbers of types that share time are
// listed in public documentation of vgpuConfig.xml of driver 510.47 for boards up to Ampere, and in listings of hosts
// for the L40S. Where they are not public (compute types of the L40S, all of Hopper and later, L4, L40), the types are
// missing here; a profile can list them (vgpu.types).
#include "engine/topics/vgpu/vgpu_type.hpp"

namespace nvmlab {
namespace {

template <std::uint32_t F, std::uint32_t N>
constexpr VgpuBoard board(std::uint32_t device_id, std::uint32_t subsystem, std::uint32_t gib, bool sriov,
                          const char (&family)[F], const VgpuTypeRun (&runs)[N]) {
  VgpuBoard made{device_id, subsystem, gib, sriov, {}, N, {}};
  for (std::uint32_t i = 0; i < F; ++i)
    made.family[i] = family[i];
  for (std::uint32_t i = 0; i < N; ++i)
    made.runs[i] = runs[i];
  return made;
}

constexpr VgpuTypeRun kT4[] = {
    {222, 0x1309, "B", "1 2"},        {224, 0x130B, "B4", "2"}, {225, 0x1311, "A", "1 2 4 8 16"},
    {230, 0x130C, "Q", "1 2 4 8 16"}, {252, 0x1345, "B4", "1"}, {319, 0x139A, "C", "4 8"},
    {321, 0x1375, "C", "16"},
};
constexpr VgpuTypeRun kA100X[] = {
    {457, 0x1474, "C", "4 5 8 10 20 40"},
    {463, 0x146F, "C", "1-5 2-10 3-20 4-20 7-40"},
    {704, 0x160C, "CME", "1-5"},
    {1056, 0x1840, "C", "1-10"},
};
constexpr VgpuTypeRun kA100Dx[] = {
    {615, 0x1528, "C", "4 8 10 16 20 40 80"},
    {622, 0x1523, "C", "1-10 2-20 3-40 4-40 7-80"},
    {705, 0x160D, "CME", "1-10"},
    {1057, 0x1841, "C", "1-20"},
};
constexpr VgpuTypeRun kA100D[] = {
    {692, 0x1596, "C", "4 8 10 16 20 40 80"},
    {699, 0x1591, "C", "1-10 2-20 3-40 4-40 7-80"},
    {707, 0x160F, "CME", "1-10"},
    {1054, 0x183E, "C", "1-20"},
};
constexpr VgpuTypeRun kA30[] = {
    {684, 0x158C, "C", "4 6 8 12 24"},
    {689, 0x1589, "C", "1-6 2-12 4-24"},
    {708, 0x1610, "CME", "1-6"},
    {1052, 0x183C, "CME", "2-12"},
};
constexpr VgpuTypeRun kA100[] = {
    {468, 0x1498, "C", "4 5 8 10 20 40"},
    {474, 0x1493, "C", "1-5 2-10 3-20 4-20 7-40"},
    {706, 0x160E, "CME", "1-5"},
    {1053, 0x183D, "C", "1-10"},
};
constexpr VgpuTypeRun kRtxA6000[] = {
    {522, 0x14FA, "B", "1 2"},
    {524, 0x14FC, "Q", "1 2 3 4 6 8 12 16 24 48"},
    {534, 0x1506, "A", "1 2 3 4 6 8 12 16 24 48"},
    {548, 0x1514, "C", "4 6 8 12 16 24 48"},
};
constexpr VgpuTypeRun kRtxA5000[] = {
    {657, 0x1562, "B", "1 2"},
    {659, 0x1564, "Q", "1 2 3 4 6 8 12 24"},
    {667, 0x156C, "A", "1 2 3 4 6 8 12 24"},
    {675, 0x1578, "C", "4 6 8 12 24"},
};
constexpr VgpuTypeRun kRtxA5500[] = {
    {771, 0x165C, "B", "1 2"},
    {773, 0x165E, "Q", "1 2 3 4 6 8 12 24"},
    {781, 0x1666, "A", "1 2 3 4 6 8 12 24"},
    {793, 0x1672, "C", "4 6 8 12 24"},
};
constexpr VgpuTypeRun kA40[] = {
    {555, 0x14D5, "B", "1 2"},
    {557, 0x14D7, "Q", "1 2 3 4 6 8 12 16 24 48"},
    {567, 0x14E1, "A", "1 2 3 4 6 8 12 16 24 48"},
    {581, 0x14F3, "C", "4 6 8 12 16 24 48"},
};
constexpr VgpuTypeRun kA10[] = {
    {588, 0x14B6, "B", "1 2"},
    {590, 0x14B8, "Q", "1 2 3 4 6 8 12 24"},
    {598, 0x14C0, "A", "1 2 3 4 6 8 12 24"},
    {610, 0x14D0, "C", "4 6 8 12 24"},
};
constexpr VgpuTypeRun kA16[] = {
    {709, 0x159D, "B", "1 2"},        {711, 0x159F, "Q", "1"},      {712, 0x1600, "Q", "2 4 8 16"},
    {716, 0x1604, "A", "1 2 4 8 16"}, {721, 0x1609, "C", "4 8 16"},
};
constexpr VgpuTypeRun kA2[] = {
    {742, 0x1646, "B", "1 2"},
    {744, 0x1648, "Q", "1 2 4 8 16"},
    {749, 0x164D, "A", "1 2 4 8 16"},
    {754, 0x1655, "C", "4 8 16"},
};
constexpr VgpuTypeRun kL40S[] = {
    {1145, 0x1889, "B", "1 2"},
    {1147, 0x188B, "Q", "1 2 3 4 6 8 12 16 24 48"},
    {1157, 0x1895, "A", "1 2 3 4 6 8 12 16 24 48"},
    {2164, 0x21FE, "B", "3"},
};
constexpr VgpuTypeRun kH100L[] = {
    {1061, 0x1853, "CME", "1-12"},
    {1062, 0x1854, "C", "1-12 1-24 2-24 3-47 4-47 7-94"},
};
constexpr VgpuTypeRun kH100Xm[] = {
    {1130, 0x187A, "CME", "1-10"},
    {1131, 0x187B, "C", "1-10 1-20 2-20 3-40 4-40 7-80"},
};
constexpr VgpuTypeRun kH100[] = {
    {821, 0x16D3, "C", "1-10 2-20 3-40 4-40 7-80"},
    {993, 0x17F0, "CME", "1-10"},
    {1059, 0x1844, "C", "1-20"},
};
constexpr VgpuTypeRun kH200X[] = {
    {1413, 0x206E, "CME", "1-18"},
    {1414, 0x206F, "C", "1-18 1-35 2-35 3-71 4-71 7-141"},
};
constexpr VgpuTypeRun kH200[] = {
    {1429, 0x2081, "CME", "1-18"},
    {1430, 0x2082, "C", "1-18 1-35 2-35 3-71 4-71 7-141"},
};
constexpr VgpuTypeRun kGh200[] = {
    {1196, 0x18C2, "CME", "1-12"},
    {1197, 0x18C3, "C", "1-12 1-24 2-24 3-48 4-48 7-96"},
};
constexpr VgpuTypeRun kB200X[] = {
    {2151, 0x21D7, "CME", "1-23"},
    {2152, 0x21D8, "C", "1-23 1-45 2-45 3-90 4-90 7-180"},
};

constexpr VgpuBoard kBoards[] = {
    board(0x1EB8, 0, 16, false, "GRID T4", kT4),
    board(0x20B0, 0, 40, true, "GRID A100X", kA100X),
    board(0x20B2, 0, 80, true, "GRID A100DX", kA100Dx),
    board(0x20B5, 0, 80, true, "GRID A100D", kA100D),
    board(0x20B7, 0, 24, true, "NVIDIA A30", kA30),
    board(0x20F1, 0, 40, true, "GRID A100", kA100),
    board(0x2230, 0, 48, true, "NVIDIA RTXA6000", kRtxA6000),
    board(0x2231, 0, 24, true, "NVIDIA RTXA5000", kRtxA5000),
    board(0x2233, 0, 24, true, "NVIDIA RTXA5500", kRtxA5500),
    board(0x2235, 0, 48, true, "NVIDIA A40", kA40),
    board(0x2236, 0, 24, true, "NVIDIA A10", kA10),
    board(0x25B6, 0x14A9, 16, true, "NVIDIA A16", kA16),
    board(0x25B6, 0x157E, 16, true, "NVIDIA A2", kA2),
    board(0x26B9, 0, 48, true, "NVIDIA L40S", kL40S),
    board(0x2321, 0, 94, true, "NVIDIA H100L", kH100L),
    board(0x2330, 0, 80, true, "NVIDIA H100XM", kH100Xm),
    board(0x2331, 0, 80, true, "NVIDIA H100", kH100),
    board(0x2335, 0, 141, true, "NVIDIA H200X", kH200X),
    board(0x233B, 0, 141, true, "NVIDIA H200", kH200),
    board(0x2342, 0, 96, true, "NVIDIA GH200", kGh200),
    board(0x2901, 0, 180, true, "NVIDIA B200X", kB200X),
};

}  // namespace

const VgpuBoard* find_vgpu_board(std::uint32_t device_id, std::uint32_t subsystem_id) {
  for (const VgpuBoard& each : kBoards) {
    if (each.device_id == device_id >> 16 && (each.subsystem == 0 || each.subsystem == subsystem_id >> 16))
      return &each;
  }
  return nullptr;
}

}  // namespace nvmlab
