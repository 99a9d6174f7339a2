// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common arguments of the verbs that write: how to write the new file, and whether that is possible.
#pragma once

#include <string>
#include <string_view>

#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "cli/arguments.hpp"
#include "cli/session.hpp"

namespace lq::cli {

struct WriteArguments {
  WriteOptions options;
  Extents processes;
  bool idle_ranks = false;
  bool dry_run = false;

  // Declares the options of writing of that verb, and the process grid.
  void declare(Arguments& arguments, std::string_view verb);
  GridOptions grid_options() const;
  // True if an option was given that applies to fields only.
  bool asks_for_a_field() const;

 private:
  GivenOptions given_;
};

// Collective. Throws errors of the target that are certain before any work is done for it.
void require_target(const Session& session, const std::string& path, bool force);

// Collective. Writes a field of two sites in each dimension of the lattice with the same options in a private
// place, so that errors in them show before hours of work.
void dry_run_write(const Session& session, const std::string& path, const FieldSpec& spec, const Extents& lattice,
                   WriteOptions options);

// "checksum a2c41090/11193c39 stored, read back and compared"
std::string checksum_text(const Report& report);

}  // namespace lq::cli
