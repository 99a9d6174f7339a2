// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What tests ask of the stand-in for a driver and its compiler beyond what these have.
#pragma once

#include <cstddef>
#include <cstdint>

struct LqStandInCounts {
  std::uint64_t calls;                      // that may fail
  std::uint64_t copies;                     // begun
  std::uint64_t bytes;                      // of them
  std::uint64_t strided;                    // calls that copied rows
  std::uint64_t copies_of_pageable_memory;  // whose host side is not page-locked
  std::uint64_t launches;                   // of kernels
  std::int64_t held;                        // streams, events and memory for who works for the program, that are there
};

extern "C" {
LqStandInCounts lq_stand_in_counts();
// The call number `call` from now on (1: the next) returns `result`; 0: none does.
void lq_stand_in_fail(std::uint64_t call, int result);
// Whether memory belongs to no context, as that of a pool.
void lq_stand_in_pool(int on);
// Whether the program has begun to use the driver (cuInit).
void lq_stand_in_begun(int on);
// As cudaDeviceReset: all that is there goes, and the next home has the handle of the former one.
void lq_stand_in_reset();
// Of the compiler: from now on nothing compiles, or all does; how often somebody tried.
void lq_stand_in_refuse(int on);
int lq_stand_in_compilations();
}
