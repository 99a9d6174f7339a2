// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a catalogue (docs/formats/catalogue.md), and where its file is.
#pragma once

#include <string>

#include "ensemble/database.hpp"

namespace lq::ensemble {

inline constexpr const char* usual_name = "lq-catalogue.db";

// The path that the options mean: `db`, or the usual name in this folder or the nearest one above that has it; in this
// folder where none has.
std::string place_of(const std::string& db);

// The catalogue of the usual name in a folder or the nearest one above; empty: there is none.
std::string nearest_catalogue(const std::string& folder);

// An existing catalogue: not_found says how to make one; malformed: it is another program's; unsupported: it was made
// by a later version.
Database open_existing(const std::string& path);
// The same, made where there is none.
Database open_or_make(const std::string& path);
Database make_in_memory();
Database make_in_memory(const Database& contents);
// Brings one that an earlier version made to the tables of this one, before anything is written to it.
void migrate(const Database& database);

}  // namespace lq::ensemble
