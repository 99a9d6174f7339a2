// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The libraries of programs that request no locks, and of those that do: the table of handles has POSIX ones in any
// case.
#include <sion_common.h>
#include "compat/sion/alias.hpp"

extern "C" int sion_is_thread_safe(void) { return LQ_THREAD_SAFE; }

LQ_ALSO_AS_LSION(sion_is_thread_safe);
