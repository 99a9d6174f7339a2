// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of all classes of SIONlib.
#ifndef SION_CXX_COMMON_HPP_
#define SION_CXX_COMMON_HPP_

#include "sion.h"
#include "sion_cxx_base.hpp"

#endif
