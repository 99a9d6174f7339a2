// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is in a folder. The standard library's iterator ends the program where there is no memory for it.
#pragma once

#include <string>
#include <vector>

#include "base/inner.hpp"

namespace lq::base {

// The names of all that is in it, ascending. 0, or the errno that stopped it: some names may be there then.
LQ_INNER int names_in(const std::string& folder, std::vector<std::string>& names);

}  // namespace lq::base
