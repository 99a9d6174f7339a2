// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts in the texts that travel with a field: "key = value" lines, XML leaves. For display; nothing is
// computed from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <limequat/metadata.hpp>

#include "base/inner.hpp"

namespace lq::base {

struct Property {
  std::string key;     // "plaquette", "trajectory", "beta", ... ; spellings of known facts are unified
  std::string value;   // as the text has it, white space at the ends removed
  std::string source;  // name of the text
};

LQ_INNER std::vector<Property> properties_of(const Metadata& metadata);

}  // namespace lq::base
