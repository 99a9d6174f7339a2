// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which section of which format page explains a record.
#pragma once

#include "format/lime/explain.hpp"

namespace lq::format::scidac {

lime::Meaning meaning_of(const Record& record);

}  // namespace lq::format::scidac
