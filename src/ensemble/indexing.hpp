// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A catalogue brought up to date with what is in folders.
#pragma once

#include <string>
#include <vector>

#include <limequat/ensemble.hpp>

#include "ensemble/database.hpp"

namespace lq::ensemble {

// No folders: those that were indexed before. Without the assessment.
ensemble::IndexReport bring_up_to_date(const Database& database, const std::vector<std::string>& folders,
                                       const ensemble::CatalogueOptions& options);

}  // namespace lq::ensemble
