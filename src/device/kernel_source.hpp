// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// site_job.h and site_kernels.cu as text (CMakeLists.txt).
#pragma once

namespace lq::device {

extern const char* const kernel_source;

}  // namespace lq::device
