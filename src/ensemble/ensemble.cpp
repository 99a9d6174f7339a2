// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public functions over a catalogue.
#include <limequat/ensemble.hpp>

#include "ensemble/assess.hpp"
#include "ensemble/find.hpp"
#include "ensemble/indexing.hpp"
#include "ensemble/page.hpp"
#include "ensemble/schema.hpp"
#include "ensemble/scrubbing.hpp"

namespace lq::ensemble {

IndexReport index(const std::vector<std::string>& folders, const CatalogueOptions& options) {
  const std::string place = ensemble::place_of(options.db);
  const ensemble::Database database = folders.empty() ? ensemble::open_existing(place) : ensemble::open_or_make(place);
  IndexReport report = ensemble::bring_up_to_date(database, folders, options);
  report.assessment = ensemble::assess(database);
  return report;
}

Found find(const std::string& expression, const CatalogueOptions& options) {
  return ensemble::find(ensemble::open_existing(ensemble::place_of(options.db)), expression, options);
}

ScrubReport scrub(const CatalogueOptions& options) {
  return ensemble::scrub(ensemble::open_existing(ensemble::place_of(options.db)), options);
}

Assessment assess(const CatalogueOptions& options) {
  return ensemble::assess(ensemble::open_existing(ensemble::place_of(options.db)));
}

PageReport report_page(const std::vector<std::string>& folders, const std::string& page,
                       const CatalogueOptions& options) {
  return ensemble::write_page(folders, page, options);
}

}  // namespace lq::ensemble
