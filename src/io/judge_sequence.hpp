// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites of a field that are not where its file has them, held against the sums that the file states.
#pragma once

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "io/judgement.hpp"

namespace lq::io {

// Local. `sites` has them one after the other, each as the payload of `entry` says, in its order.
Judgement judge_sequence(base::ByteSource& sites, const FieldEntry& entry);

}  // namespace lq::io
