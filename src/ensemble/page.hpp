// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A page of HTML about an ensemble: one file that asks no network for anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <limequat/ensemble.hpp>

#include "ensemble/database.hpp"

namespace lq::ensemble {

// JSON for an element <script>: nothing in it ends that.
std::string inside_script(std::string json);
std::string inside_html(std::string_view text);

// The page about the files of these folders; none: all.
std::string page_text(const Database& database, const std::vector<std::string>& folders, const std::string& title);

ensemble::PageReport write_page(const std::vector<std::string>& folders, const std::string& page,
                                const ensemble::CatalogueOptions& options);

}  // namespace lq::ensemble
