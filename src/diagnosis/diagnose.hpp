// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The question of <limequat/diagnose.hpp> to bytes anywhere.
#pragma once

#include <limequat/diagnose.hpp>

#include "base/byte_source.hpp"
#include "storage/transport.hpp"

namespace lq::diagnosis {

// `files`: where the others are if the field lies in several, or not site after site; nullptr: such a field is
// unsupported.
Diagnosis diagnose(base::ByteSource& file, const DiagnoseOptions& options, storage::Transport* files = nullptr);

}  // namespace lq::diagnosis
