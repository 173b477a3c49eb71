// SPDX-License-Identifier: Apache-2.0
// The commands in the order in which `nvmlab --help` lists them, one row each; each is defined in a file of its own.
#include "command/cli/application.hpp"

#define NVMLAB_COMMANDS(row)                                                                                           \
  row(kRun) row(kUp) row(kDown) row(kLs) row(kStatus) row(kGet) row(kSet) row(kRelease) row(kEvent) row(kFault)        \
      row(kHeal) row(kWatch) row(kLog) row(kCalls) row(kKernels) row(kClock) row(kDriver) row(kDriverRoot) row(kReset) \
          row(kLoad) row(kPlot) row(kPlay) row(kPs) row(kPsAdd) row(kPsRm) row(kPsLs) row(kVgpu) row(kVgpuLs)          \
              row(kVgpuTypesCommand) row(kVgpuHostCommand) row(kVgpuAdd) row(kVgpuRm) row(kSnapshot)                   \
                  row(kSnapshotSave) row(kSnapshotRestore) row(kSnapshotDiff) row(kDevices) row(kSmi) row(kProfiles)   \
                      row(kProfilesShow) row(kProfilesDiff) row(kDrivers) row(kValidate) row(kCompile) row(kImport)    \
                          row(kCompare) row(kRecord) row(kMock) row(kCompletion) row(kMan) row(kWords)

namespace nvmlab::tool {

#define NVMLAB_DECLARE(name) extern const Command name;
NVMLAB_COMMANDS(NVMLAB_DECLARE)

std::span<const Command* const> commands() {
#define NVMLAB_ADDRESS(name) &(name),
  static constexpr const Command* kTable[] = {NVMLAB_COMMANDS(NVMLAB_ADDRESS)};
  return kTable;
}

}  // namespace nvmlab::tool
