// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Repairs a damaged file with fields: headers and texts by the rules of its format, data by their sums, and complete
// time slices of data that end early. Sums are rewritten only if other sums prove the data; anything unproven or
// lost is an error among the findings. An examination of the result decides whether it is intact.
#pragma once

#include <memory>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "format/format.hpp"

namespace lq::io {

struct RepairedFile {
  std::unique_ptr<base::EditedSource> complete;  // everything in its place
  std::unique_ptr<base::EditedSource> rescued;   // parts of it, if data end early; else nullptr
  Catalog catalog;                               // of the file to write
  std::vector<Finding> findings;                 // warnings report what was done, errors what is lost or unproven

  base::EditedSource& to_write() const { return rescued ? *rescued : *complete; }
};

// Local; with the given number of threads, 0: as many as the process has cores of its own; all of them read `file`.
// Throws truncated if the file ends before its first complete time slice.
RepairedFile repair_records(base::ByteSource& file, const Limits& limits, int threads);

}  // namespace lq::io
