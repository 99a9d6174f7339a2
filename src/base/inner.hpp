// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// LQ_INNER marks what the component libraries (liblimequat_hdf5, liblimequat_ensemble) use of the core without being
// public. The core shows it to libraries of the same release only: its symbols carry a version of their own, with the
// number of the release, so that the loader refuses a component of another one. Programs that carry sources of rooms
// beside the library define LQ_INNER_IS_HIDDEN for them: no library may take theirs for the core's.
#pragma once

#if defined(__GNUC__) && !defined(LQ_INNER_IS_HIDDEN)
#define LQ_INNER __attribute__((visibility("default")))
#else
#define LQ_INNER
#endif
