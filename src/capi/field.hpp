// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq_field to the fields of C++.
#pragma once

#include <limequat/field.hpp>

#include <limequat.h>

#include "base/inner.hpp"

namespace lq::capi {

// invalid_argument for members that describe no field.
LQ_INNER Field readable(const lq_field& field);
LQ_INNER MutableField writable(const lq_field& field);

}  // namespace lq::capi
