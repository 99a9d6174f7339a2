// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/staging/source_contents.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "base/read_twice.hpp"
#include "comm/agree.hpp"
#include "format/format.hpp"
#include "io/catalog_codec.hpp"
#include "io/judgement.hpp"
#include "io/verdict.hpp"
#include "io/verify.hpp"
#include "sets/checkpoint/repair.hpp"

namespace lq::sets {

Catalog contents_of(storage::Transport& place, const std::string& path, const Communicator& communicator) {
  Catalog catalog;
  io::broadcast(communicator.engine(), [&]() -> Catalog& {
    if (!communicator.is_root()) return catalog;
    try {
      const auto file = place.open_read(path);
      base::ReadTwice twice(*file);
      base::CachedSource source(twice);
      catalog = format::scan(source, {});
      catalog.records.clear();
      catalog.findings.clear();
    } catch (const Error&) {
      // It is copied all the same.
    }
    return catalog;
  });
  return catalog;
}

namespace {

// Whether comparing the fields with their sums says of them all that an examination would.
bool are_proven(const Catalog& catalog) {
  if (format::format_named(catalog.format).info.contents == Contents::streams) return false;
  return std::ranges::all_of(catalog.fields, [](const FieldEntry& entry) {
    return io::has_exact_sum(entry) && !entry.plaquette && !entry.link_trace;
  });
}

Verification examined(const std::string& path, const Catalog& catalog, Fields fields,
                      const Communicator& communicator) {
  storage::Transport& place = storage::resolve(path);
  if (fields == Fields::are_compared && !catalog.format.empty() && are_proven(catalog)) {
    return io::verify_structure(place, path, communicator, {});
  }
  return sets::verify_file(place, path, communicator, {});
}

}  // namespace

std::vector<Finding> damage_of(const std::string& path, const Catalog& catalog, Fields fields,
                               const Communicator& communicator) {
  std::vector<Finding> damage;
  const auto add = [&](Code code, const std::string& what) {
    damage.push_back({.severity = Severity::error,
                      .code = code,
                      .rule = "copy-damaged-source",
                      .message = what + ". What was made of it has the same bytes"});
  };
  std::optional<Verification> found;
  std::optional<Error> failure;
  try {
    found = examined(path, catalog, fields, communicator);
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    failure = error;
  }
  comm::agree_alike(communicator.engine(), [&] {
    if (failure && failure->code() == Code::unknown_format) return;
    if (failure) return add(failure->code(), failure->what());
    for (const Finding& finding : found->findings) {
      if (finding.severity == Severity::error) add(finding.code, finding.message);
    }
    if (damage.empty() && !is_ok(found->verdict)) {
      add(Code::checksum_mismatch,
          fmt::format("{}: this file is {}; `lq verify` shows why", path, name(found->verdict)));
    }
  });
  return damage;
}

}  // namespace lq::sets
