// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the verbs have in common that make multifiles of files, files of multifiles, and multifiles of multifiles. They
// work in the root alone.
#pragma once

#include <functional>
#include <string>

#include <limequat/repack.hpp>

#include "cli/arguments.hpp"
#include "cli/session.hpp"

namespace lq::cli {

struct RepackArguments {
  bool force = false;
  bool dry_run = false;
  std::uint64_t block_size = 0;
  std::uint64_t unit = 1;
  bool checkpoint = false;  // --checkpoint, --plain
  bool plain = false;
  std::string compression;
  bool no_verify = false;

  void declare(Arguments& arguments);             // --force, --dry-run
  void declare_block_size(Arguments& arguments);  // --block-size
  void declare_checkpoint(Arguments& arguments);  // --checkpoint, --plain, --compression, --no-verify

  // Collective. Does `work`, with a progress bar of that label, tells what it reports about `to`, and returns the exit
  // code. `verb`: "packed", "written", ...
  int carry_out(Session& session, const std::string& to, const std::string& verb,
                const std::function<RepackReport(const RepackOptions&)>& work) const;

 private:
  RepackOptions options() const;
  void tell(Session& session, const std::string& to, const std::string& verb, const RepackReport& report) const;
};

}  // namespace lq::cli
