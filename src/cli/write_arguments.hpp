// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the verbs that write have in common: how the new file is to be, and whether it may be.
#pragma once

#include <string>

#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "cli/arguments.hpp"
#include "cli/session.hpp"

namespace lq::cli {

struct WriteArguments {
  std::string format, precision, verify;
  Metadata metadata;
  Extents processes;
  bool force = false;
  bool dry_run = false;
  bool no_slice_checksums = false;

  // `format_option`: the verb's name for the option of the format.
  void declare(Arguments& arguments, const std::string& format_option);
  WriteOptions options() const;
  GridOptions grid_options() const;
};

// Collective. Throws what is certain to go wrong with the target before any work is done for it.
void require_target(const Session& session, const std::string& path, bool force);

// Collective. Writes a field of two sites in each dimension with the same options where it disturbs nobody, so that
// what is wrong with them shows before hours of work.
void rehearse(const Session& session, const std::string& path, const FieldSpec& spec, int dimensions,
              WriteOptions options);

// "checksum a2c41090/11193c39 stored, read back and compared"
std::string checksum_text(const Report& report);

}  // namespace lq::cli
