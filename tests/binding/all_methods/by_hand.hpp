// SPDX-License-Identifier: Apache-2.0
// Functions whose signature does not tell what their method answers, and the test by hand that holds it against what
// the C function wrote.
#pragma once

namespace nvml::all_methods {

struct ByHand {
  const char* function;
  const char* file;  // in tests/binding/
  const char* test;
};

inline constexpr ByHand kByHand[] = {
    {"nvmlDeviceClearFieldValues", "field_values_test.cpp", "FieldValues, CountersAreClearedOneByOne"},
    {"nvmlDeviceGetFieldValues", "field_values_test.cpp", "FieldValues, EachHasItsOwnAnswer"},
    {"nvmlDeviceGetNvLinkRemotePciInfo", "hand_methods_test.cpp", "HandMethods, AddressesOfThreeAges"},
    {"nvmlDeviceGetNvLinkTelemetrySamples_v1", "nvlink_telemetry_test.cpp", "NvlinkTelemetry, EachCounterHasItsAnswer"},
    {"nvmlDeviceGetPciInfo", "hand_methods_test.cpp", "HandMethods, AddressesOfThreeAges"},
    {"nvmlDeviceGetPciInfo_v2", "hand_methods_test.cpp", "HandMethods, AddressesOfThreeAges"},
    {"nvmlDeviceGetRetiredPages_v2", "samples_test.cpp", "Samples, RetiredPagesAreAddressesWithTimes"},
    {"nvmlDeviceGetSamples", "samples_test.cpp", "Samples, HaveTheTypeThatWasTold"},
    {"nvmlDeviceGetVgpuInstancesUtilizationInfo", "samples_test.cpp", "Samples, OfVgpus"},
    {"nvmlDeviceGetVgpuMetadata", "hand_methods_test.cpp", "HandMethods, BytesOfAGpuThatTakesVgpus"},
    {"nvmlDeviceGetVgpuTypeCreatablePlacements", "hand_methods_test.cpp", "HandMethods, PlacesThatAreStillFree"},
    {"nvmlDeviceGetVgpuTypeSupportedPlacements", "vgpu_lists_test.cpp", "VgpuLists, PlacementsAndTheirSize"},
    {"nvmlDeviceGetVgpuUtilization", "samples_test.cpp", "Samples, OfVgpus"},
    {"nvmlDeviceReadPRMCounters_v1", "records_test.cpp", "Records, CountersOfPorts"},
    {"nvmlDeviceReadWritePRM_v1", "records_test.cpp", "Records, ARegisterTakesNoMoreThanItHas"},
    {"nvmlDeviceSetMemoryLimits_v1", "memory_limits_test.cpp", "MemoryLimits, AreSetForAControlGroup"},
    {"nvmlDeviceSetMigMode", "methods_scalar_test.cpp", "ScalarMethod, AModeThatWaitsForAResetIsAnError"},
    {"nvmlErrorString", "methods_text_test.cpp", "TextMethod, TheLibrarysOwnTextOfACode"},
    {"nvmlEventSetFree", "owned_test.cpp", "Owned, FreedWithTheLastCopy"},
    {"nvmlEventSetGetContextData_v1", "hand_methods_test.cpp", "HandMethods, ContextOfAnEvent"},
    {"nvmlEventSetWait", "keyed_test.cpp", "Keyed, AnEventOfOldHasNoInstances"},
    {"nvmlEventSetWait_v2", "keyed_test.cpp", "Keyed, AnEventHasItsDevice"},
    {"nvmlGetVgpuCompatibility", "vgpu_lists_test.cpp", "VgpuLists, CompatibilityGetsBothBlocksWhole"},
    {"nvmlGpmMetricsGet", "records_test.cpp", "Records, MetricsOfGpm"},
    {"nvmlGpmSampleFree", "hand_methods_test.cpp", "HandMethods, ASampleIsFreedWithItsLastCopy"},
    {"nvmlGpuInstanceGetVgpuTypeCreatablePlacements", "hand_methods_test.cpp", "HandMethods, PlacesThatAreStillFree"},
    {"nvmlInit", "open_test.cpp", "Open, FlagsGoThroughInitWithFlags"},
    {"nvmlInitWithFlags", "open_test.cpp", "Open, FlagsGoThroughInitWithFlags"},
    {"nvmlInit_v2", "open_test.cpp", "Open, AFailedInitIsTheDriversAnswer"},
    {"nvmlShutdown", "library_test.cpp", "Library, ShutdownAnswersWhatNvmlDoes"},
    {"nvmlSystemEventSetCreate", "hand_methods_test.cpp", "HandMethods, EventsOfTheSystem"},
    {"nvmlSystemEventSetFree", "owned_test.cpp", "OwnedSystemEventSet, IsFreedThroughItsRequest"},
    {"nvmlSystemEventSetWait", "methods_record_test.cpp", "RecordMethod, SystemEventsComeAsAList"},
    {"nvmlSystemGetCPER_v1", "records_test.cpp", "Records, ErrorRecordsOneByOne"},
    {"nvmlSystemGetDriverBranch", "hand_methods_test.cpp", "HandMethods, TheBranchOfTheDriver"},
    {"nvmlSystemRegisterEvents", "hand_methods_test.cpp", "HandMethods, EventsOfTheSystem"},
    {"nvmlVgpuInstanceGetMetadata", "keyed_test.cpp", "Keyed, BytesBehindAStruct"},
    {"nvmlVgpuInstanceGetVmID", "methods_text_test.cpp", "TextMethod, AVirtualMachineHasANameAndItsKind"},
};

}  // namespace nvml::all_methods
