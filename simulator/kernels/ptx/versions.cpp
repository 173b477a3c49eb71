// SPDX-License-Identifier: Apache-2.0
#include "kernels/ptx/versions.hpp"

#include <iterator>

namespace nvmlab::ptx {
namespace {

struct Release {
  std::uint32_t cuda;
  std::uint32_t ptx;
};

constexpr Release kReleases[] = {
    {6000, 40},  {6050, 42},  {7000, 42},  {7050, 43},  {8000, 50},  {9000, 60},  {9010, 61},  {9020, 62},
    {10000, 63}, {10010, 64}, {10020, 65}, {11000, 70}, {11010, 71}, {11020, 72}, {11030, 73}, {11040, 74},
    {11050, 75}, {11060, 76}, {11070, 77}, {11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83},
    {12040, 84}, {12050, 85}, {12060, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91},
};

}  // namespace

std::uint32_t newest_version(std::uint32_t cuda) {
  std::uint32_t newest = kReleases[0].ptx;
  for (const Release& each : kReleases) {
    if (each.cuda <= cuda) newest = each.ptx;
  }
  return cuda == 0 || cuda / 10 * 10 > kReleases[std::size(kReleases) - 1].cuda ? 0 : newest;
}

}  // namespace nvmlab::ptx
