// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many files converted into one folder: whole trees, several files at a time, with a log from which an interrupted
// run continues.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/inspect.hpp>
#include <limequat/report.hpp>

#include "cli/session.hpp"

namespace lq::cli {

struct ManyConversions {
  std::vector<std::string> inputs;  // files and folders
  std::string folder;               // target; created if it does not exist
  std::function<std::string(const std::string& path)> shown = [](const std::string& path) { return path; };
  ConvertOptions options;
  bool skip_existing = false;
  bool keeps_format = false;  // of each file; options.write.format is empty
  // Handles a multifile, which has no fields; if empty, multifiles are refused.
  std::function<int(Session& session, const std::string& from, const std::string& to)> rewrite = {};
};

// Collective. Files keep their places below the named folders. A failed file does not stop the
// others. Returns the worst exit code.
int convert_many(Session& session, const ManyConversions& many);

// Reports what was written or, with `dry_run`, what would be.
void tell_conversion(Session& session, const Report& report, const std::string& from, const std::string& to,
                     bool dry_run);

// "conf.10.ildg" and "conf.10.ildg.gz" become "conf.10".
std::string without_suffix(const std::string& whole);

}  // namespace lq::cli
