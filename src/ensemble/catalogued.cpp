// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/catalogued.hpp"

#include "ensemble/schema.hpp"
#include "ensemble/store.hpp"

namespace lq::ensemble {

Catalogued catalogued_below(const std::string& folder) {
  Catalogued known{.db = nearest_catalogue(folder), .paths = {}};
  if (known.db.empty()) return known;
  const Database database = open_existing(known.db);
  Statement files = database.prepare("SELECT path FROM files ORDER BY path");
  while (files.step()) {
    std::string path = files.text(0);
    if (is_below(path, folder)) known.paths.push_back(std::move(path));
  }
  return known;
}

}  // namespace lq::ensemble
