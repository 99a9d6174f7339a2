// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Archives as a format (formats/squeezed.md): the fields of the original, read out of its tiles.
#pragma once

#include "format/format.hpp"

namespace lq::archive {

const format::Format& format();

}  // namespace lq::archive
