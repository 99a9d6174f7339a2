// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the verbs have in common that make multifiles of files, files of multifiles, and multifiles of multifiles. They
// work in the root alone.
#pragma once

#include <functional>
#include <string>

#include <limequat/repack.hpp>

#include "cli/option_arguments.hpp"
#include "cli/session.hpp"

namespace lq::cli {

struct RepackArguments {
  RepackOptions options;

  void declare(Arguments& arguments, std::string_view verb) {
    declare_options(arguments, verb, "RepackOptions", options);
  }

  // Collective. Does `work`, with a progress bar of that label, tells what it reports about `to`, and returns the exit
  // code. `verb`: "packed", "written", ...
  int carry_out(Session& session, const std::string& to, const std::string& verb,
                const std::function<RepackReport(const RepackOptions&)>& work) const;

 private:
  void tell(Session& session, const std::string& to, const std::string& verb, const RepackReport& report) const;
};

}  // namespace lq::cli
