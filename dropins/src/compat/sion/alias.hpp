// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every function also under the name that the renamed edition of SIONlib gives it: lsion_x for sion_x.
#pragma once

#define LQ_ALSO_AS_LSION(name) extern "C" decltype(name) l##name __attribute__((alias(#name)))
