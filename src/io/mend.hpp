// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A damaged file with fields put right: headers and texts by what its format knows, data by their sums, and the whole
// time slices of data that end early. Sums are rewritten only where other sums prove the data; what is not proven or
// lost is an error among the findings. Whether the result is sound is for an examination of it to say.
#pragma once

#include <memory>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "format/format.hpp"

namespace lq::io {

struct MendedFile {
  std::unique_ptr<base::EditedSource> complete;  // everything in its place
  std::unique_ptr<base::EditedSource> rescued;   // parts of it, where data end early; else nothing
  Catalog catalog;                               // of what is to be written
  std::vector<Finding> findings;                 // warnings tell what was done, errors what is lost or unproven

  base::EditedSource& to_write() const { return rescued ? *rescued : *complete; }
};

// Local; by the given number of threads, 0: as many as the process has cores to itself, all of which read `file`.
// Throws truncated where the file ends before its first whole time slice.
MendedFile mend_file(base::ByteSource& file, const Limits& limits, int threads);

}  // namespace lq::io
