// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The question of <limequat/diagnose.hpp> to bytes anywhere.
#pragma once

#include <limequat/diagnose.hpp>

#include "base/byte_source.hpp"

namespace lq::diagnosis {

Diagnosis diagnose(base::ByteSource& file, const DiagnoseOptions& options);

}  // namespace lq::diagnosis
