// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file whose numbers are right and stand in the wrong way, written as its format has them.
#pragma once

#include <optional>
#include <string>

#include "diagnosis/subject.hpp"

namespace lq::diagnosis {

// Whether a new file mends what was found.
bool is_mended(const Finding& finding) noexcept;

struct Rewriting {
  std::string path;  // of the new file
  bool overwrite = false;
  std::optional<Encoding> encoding;  // of gauge fields
  Ordering ordering;                 // as they were found
  std::optional<double> plaquette;   // instead of the stated one
  int threads = 0;
};

// The new file gets its name when an examination does not call it damaged: wrong_state.
Report rewrite(const Subject& subject, base::ByteSource& file, const Rewriting& how);

}  // namespace lq::diagnosis
