// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verbs implemented by the Python package: the first python3 on the path that can import it calls its function main.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace lq::cli {

struct PythonProgram {
  std::string verb;      // "plot"
  std::string module;    // module of the package, with a function main(words) that returns the exit code
  std::string packages;  // further packages it needs, separated by commas: "matplotlib"; or none
  std::string purpose;   // what the packages are needed for, for the error message: "draw pictures"
};

// Local. A process of the same kind whose standard input and output are the other end of the socket that is returned;
// it ends when that is closed. `answers` gets the socket of each candidate and says whether something came.
int start_python(const PythonProgram& program, const std::vector<std::string>& words,
                 const std::function<bool(int socket)>& answers);

// Local, on the root. The exit code. The program gets the words, what all verbs are asked, and the files. Throws
// unsupported if no python3 on the path can import the packages.
int run_python(const Session& session, const PythonProgram& program, std::vector<std::string> words,
               const std::vector<std::string>& files);

}  // namespace lq::cli
