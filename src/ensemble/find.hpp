// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of a catalogue as entries.
#pragma once

#include <string>

#include <limequat/ensemble.hpp>

#include "ensemble/database.hpp"

namespace lq::ensemble {

ensemble::Found find(const Database& database, const std::string& expression,
                     const ensemble::CatalogueOptions& options);

}  // namespace lq::ensemble
