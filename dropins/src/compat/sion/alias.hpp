// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Also defines functions under the names of the renamed edition of SIONlib: lsion_x for sion_x.
#pragma once

// For each of up to 27 names; every expansion handles one.
#define LQ_ALSO_AS_LSION(...) LQ_EXPAND_9(LQ_EXPAND_9(LQ_EXPAND_9(LQ_LSION(__VA_ARGS__))))
#define LQ_EXPAND_9(...) LQ_EXPAND_3(LQ_EXPAND_3(LQ_EXPAND_3(__VA_ARGS__)))
#define LQ_EXPAND_3(...) LQ_EXPAND(LQ_EXPAND(LQ_EXPAND(__VA_ARGS__)))
#define LQ_EXPAND(...) __VA_ARGS__
#define LQ_LSION(name, ...)                                       \
  extern "C" decltype(name) l##name __attribute__((alias(#name))) \
  __VA_OPT__(; LQ_LSION_AGAIN LQ_NO_ARGUMENTS(__VA_ARGS__))
#define LQ_LSION_AGAIN() LQ_LSION
#define LQ_NO_ARGUMENTS ()
