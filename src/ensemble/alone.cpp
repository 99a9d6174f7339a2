// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replacement for builds without SQLite: every call throws the same error.
#include <limequat/ensemble.hpp>

#include <limequat/error.hpp>

#include "ensemble/folder.hpp"

namespace lq {

ensemble::Catalogued ensemble::catalogued_below(const std::string&) { return {}; }

namespace ensemble {
namespace {

[[noreturn]] void refuse() {
  throw Error(Code::unsupported,
              "this Limequat was built without SQLite, which stores catalogues: build it on a machine with libsqlite3 "
              "and sqlite3.h (libsqlite3-dev on Debian)");
}

}  // namespace

IndexReport index(const std::vector<std::string>&, const CatalogueOptions&) { refuse(); }
Found find(const std::string&, const CatalogueOptions&) { refuse(); }
ScrubReport scrub(const CatalogueOptions&) { refuse(); }
std::vector<std::pair<std::string, double>> catalogued_observables(const std::string&) { return {}; }
Assessment assess(const CatalogueOptions&) { refuse(); }
PageReport report_page(const std::vector<std::string>&, const std::string&, const CatalogueOptions&) { refuse(); }

}  // namespace ensemble
}  // namespace lq
