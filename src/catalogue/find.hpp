// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of a catalogue as entries.
#pragma once

#include <string>

#include <limequat/ensemble.hpp>

#include "catalogue/database.hpp"

namespace lq::catalogue {

ensemble::Found find(const Database& database, const std::string& expression,
                     const ensemble::CatalogueOptions& options);

}  // namespace lq::catalogue
