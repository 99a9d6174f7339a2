// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One field in transit between the memory of ranks and a file, up to the point where its sites move.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "base/inner.hpp"
#include "engine/stepwise_transfer.hpp"
#include "io/field_writer.hpp"
#include "io/scan.hpp"
#include "storage/transport.hpp"

namespace lq::io {

class Transfer {
 public:
  virtual ~Transfer() = default;
  // Local steps, from any thread.
  virtual engine::StepwiseTransfer& steps() = 0;
  // Collective. The sites have moved, or failed to on this rank.
  virtual Report finish(const std::exception_ptr& failure) = 0;
};

// Collective. As lq::write and lq::read, whose report finish() returns. The field's memory is borrowed.
std::unique_ptr<Transfer> begin_write(storage::Transport& transport, const std::string& path, const Grid& grid,
                                      const Field& field, const WriteOptions& options);
std::unique_ptr<Transfer> begin_read(storage::Transport& transport, const std::string& path, const Grid& grid,
                                     const MutableField& field, const ReadOptions& options);
// Collective. The same for an open file.
LQ_INNER std::unique_ptr<Transfer> begin_read(const std::shared_ptr<ScannedFile>& file, const Grid& grid,
                                              const MutableField& field, const ReadOptions& options);

// Writing fields over any transport; the public calls use the POSIX one.

// Collective. As lq::write.
Report write_field(storage::Transport& transport, const std::string& path, const Grid& grid, const Field& field,
                   const WriteOptions& options);

// Collective. Appends a field in the memory of the grid's ranks. With `watches_numbers` the report warns of
// NaN or infinite numbers in the file.
LQ_INNER Report append_field(FieldWriter& writer, storage::Transport& transport, const Grid& grid,
                             const std::string& path, const std::string& name, const Field& field,
                             const Metadata& metadata, const WriteOptions& options, bool watches_numbers = false);

// Reading fields over any transport; the public calls use the POSIX one.

// Collective. As lq::read.
Report read_field(storage::Transport& transport, const std::string& path, const Grid& grid, const MutableField& field,
                  const ReadOptions& options);

// Collective. One field of a scanned file, whose other parts may be damaged; `local` is resolved.
// The caller sets seconds.total.
Report read_entry(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                  const MutableField& local, const ReadOptions& options);
// Collective. The same without comparing anything; returns the statistics of the sites in transit.
engine::TransferStats read_unjudged(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry,
                                    const Grid& grid, const MutableField& local, const ReadOptions& options);
// Collective. The same with a field as given by users, and seconds.total.
Report read_listed(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                   const MutableField& field, const ReadOptions& options);

}  // namespace lq::io
