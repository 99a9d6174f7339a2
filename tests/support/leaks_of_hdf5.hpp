// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For programs that open damaged HDF5 files; included by one source of each. LeakSanitizer asks these: the HDF5 library
// loses memory where it fails on a damaged file (docs/formats/hdf5.md 12).
#pragma once

extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
