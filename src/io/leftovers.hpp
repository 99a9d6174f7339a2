// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Temporary files that an interrupted writer left behind (base/path.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/inner.hpp"

namespace lq::io {

// Paths, in order of name; empty where the directory cannot be read.
LQ_INNER std::vector<std::string> leftovers_of(const std::string& path);
// Those that the file does not need. Of files that belong together some may not have their names yet: they are part of
// it.
LQ_INNER std::vector<std::string> unneeded_leftovers(const Catalog& catalog);
// Is this itself the name of a temporary file?
LQ_INNER bool is_leftover(std::string_view path);

}  // namespace lq::io
