// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public functions over a catalogue.
#include <limequat/ensemble.hpp>

#include "catalogue/assess.hpp"
#include "catalogue/find.hpp"
#include "catalogue/indexing.hpp"
#include "catalogue/page.hpp"
#include "catalogue/schema.hpp"
#include "catalogue/scrubbing.hpp"

namespace lq::ensemble {

IndexReport index(const std::vector<std::string>& folders, const CatalogueOptions& options) {
  const std::string place = catalogue::place_of(options.db);
  const catalogue::Database database =
      folders.empty() ? catalogue::open_existing(place) : catalogue::open_or_make(place);
  IndexReport report = catalogue::bring_up_to_date(database, folders, options);
  report.assessment = catalogue::assess(database);
  return report;
}

Found find(const std::string& expression, const CatalogueOptions& options) {
  return catalogue::find(catalogue::open_existing(catalogue::place_of(options.db)), expression, options);
}

ScrubReport scrub(const CatalogueOptions& options) {
  return catalogue::scrub(catalogue::open_existing(catalogue::place_of(options.db)), options);
}

Assessment assess(const CatalogueOptions& options) {
  return catalogue::assess(catalogue::open_existing(catalogue::place_of(options.db)));
}

PageReport report_page(const std::vector<std::string>& folders, const std::string& page,
                       const CatalogueOptions& options) {
  return catalogue::write_page(folders, page, options);
}

}  // namespace lq::ensemble
