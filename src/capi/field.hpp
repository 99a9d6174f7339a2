// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq_field to the fields of C++.
#pragma once

#include <limequat/field.hpp>

#include <limequat.h>

namespace lq::capi {

// invalid_argument for members that describe no field.
Field readable(const lq_field& field);
MutableField writable(const lq_field& field);

}  // namespace lq::capi
