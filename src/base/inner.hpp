// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// LQ_INNER marks non-public functions of the core that the component libraries (liblimequat_hdf5, liblimequat_ensemble)
// use. Only libraries of the same release can use them: the symbols have a version of their own that contains the
// number of the release, so the loader refuses components of other releases. Programs that compile in sources of these
// modules in addition to the library define LQ_INNER_IS_HIDDEN, so that no library binds to their copies.
#pragma once

#if defined(__GNUC__) && !defined(LQ_INNER_IS_HIDDEN)
#define LQ_INNER __attribute__((visibility("default")))
#else
#define LQ_INNER
#endif
