// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of tests are compiled without optimisation, which saves more than it costs; but for what makes millions of
// bytes or numbers.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#define LQ_QUICK __attribute__((optimize("O2")))
#else
#define LQ_QUICK
#endif
