// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures as PNG, drawn by the library cairo (libcairo2 in Debian). It is looked for when a PNG is wanted and not
// before: a program linked to it would start by half later, for every verb.
#pragma once

#include <string>

#include "cli/plot_picture.hpp"

namespace lq::cli {

// Local. At twice the size, which suits screens and print. unsupported: there is no cairo here.
void save_png(const Picture& picture, const std::string& path);

}  // namespace lq::cli
