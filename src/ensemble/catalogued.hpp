// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a catalogue knows of a folder, for whoever looks into that without it.
#pragma once

#include <string>
#include <vector>

namespace lq::ensemble {

struct Catalogued {
  std::string db;                  // the catalogue; empty: there is none
  std::vector<std::string> paths;  // its entries below the folder
};

// `folder`: as full_path() gives it. Of the catalogue in it or in the nearest folder above. Throws what is wrong with
// that.
Catalogued catalogued_below(const std::string& folder);

}  // namespace lq::ensemble
