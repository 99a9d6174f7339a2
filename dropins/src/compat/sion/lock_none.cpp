// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The library of programs that do not ask for locks. The table of handles has one all the same.
#include "compat/sion/alias.hpp"
#include <sion_common.h>

extern "C" int sion_is_thread_safe(void) { return 0; }

LQ_ALSO_AS_LSION(sion_is_thread_safe);
