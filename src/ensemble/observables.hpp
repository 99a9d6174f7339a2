// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Observables of the gauge fields of a catalogue: measured by index(), stored with its files, and columns of find().
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <limequat/ensemble.hpp>

#include "ensemble/database.hpp"

namespace lq::ensemble {

struct ObservableColumn {
  std::string_view name;
  std::string_view sql;  // over the table `files`; NULL if unknown for the current file
};

#define LQ_OBSERVABLE(name)                                                                       \
  ObservableColumn {                                                                              \
    name, "(SELECT value FROM observables WHERE file_id = files.id AND observables.name = '" name \
          "' AND observables.size = files.size AND observables.modified_ns = files.modified_ns)"  \
  }

// formats/catalogue.md 2
inline constexpr std::array observable_columns = {
    LQ_OBSERVABLE("wilson_1x1"),  LQ_OBSERVABLE("wilson_1x2"),  LQ_OBSERVABLE("wilson_2x2"),
    LQ_OBSERVABLE("polyakov_re"), LQ_OBSERVABLE("polyakov_im"), LQ_OBSERVABLE("charge"),
    LQ_OBSERVABLE("energy"),      LQ_OBSERVABLE("flow_time"),   LQ_OBSERVABLE("flow_charge"),
    LQ_OBSERVABLE("flow_energy"), LQ_OBSERVABLE("t0"),          LQ_OBSERVABLE("w0"),
};

#undef LQ_OBSERVABLE

// Provides the table for statements that read it: an empty one for this connection if the catalogue has none. Call it
// for each opened catalogue.
void require_observables_table(const Database& database);

// By path of the file: the known values, in the order of `observable_columns`.
using KnownObservables = std::unordered_map<std::string, std::vector<std::optional<double>>>;
KnownObservables known_observables(const Database& database);

// Measures the gauge fields below the folders (none: all) that have no values for this flow. Damaged files, and
// values that cannot be measured, are warnings of the report.
void measure_observables(const Database& database, const std::vector<std::string>& folders,
                         const CatalogueOptions& options, IndexReport& report);

}  // namespace lq::ensemble
