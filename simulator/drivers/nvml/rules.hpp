// SPDX-License-Identifier: Apache-2.0
// The rules of the engine that verdicts of model/meaning/ name with `derive`, for generated exports.
#pragma once

#include "engine/topics/ecc/ecc_rules.hpp"
#include "engine/topics/memory/memory_rules.hpp"
#include "engine/topics/mig/mig_rules.hpp"
#include "engine/topics/nvlink/nvlink_rules.hpp"
#include "engine/topics/pci/pci_address.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "engine/topics/unit/unit_rules.hpp"
#include "engine/topics/vgpu/license_rules.hpp"
