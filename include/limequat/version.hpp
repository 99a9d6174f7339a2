// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one version number; the build, the C API, the tool and the package read it from here.
#pragma once

#define LQ_VERSION_MAJOR 1
#define LQ_VERSION_MINOR 0
#define LQ_VERSION_PATCH 0

#if defined(__GNUC__)
#define LQ_API __attribute__((visibility("default")))
#else
#define LQ_API
#endif

#ifdef __cplusplus
namespace lq {

// Local. "MAJOR.MINOR.PATCH" of the library that is linked.
LQ_API const char* version() noexcept;

}  // namespace lq
#endif
