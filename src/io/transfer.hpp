// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One field on its way between the memory of ranks and a file, up to the point where its sites move.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "base/inner.hpp"
#include "engine/movement.hpp"
#include "io/scan.hpp"
#include "storage/transport.hpp"

namespace lq::io {

class Transfer {
 public:
  virtual ~Transfer() = default;
  // Local steps, from any thread.
  virtual engine::Movement& movement() = 0;
  // Collective. The sites have moved, or failed to on this rank.
  virtual Report finish(const std::exception_ptr& failure) = 0;
};

// Collective. As lq::write and lq::read, of which finish() gives the report. The field's memory is borrowed.
std::unique_ptr<Transfer> begin_write(storage::Transport& transport, const std::string& path, const Grid& grid,
                                      const Field& field, const WriteOptions& options);
std::unique_ptr<Transfer> begin_read(storage::Transport& transport, const std::string& path, const Grid& grid,
                                     const MutableField& field, const ReadOptions& options);
// Collective. The same of a file that is open.
LQ_INNER std::unique_ptr<Transfer> begin_read(const std::shared_ptr<ScannedFile>& file, const Grid& grid,
                                              const MutableField& field, const ReadOptions& options);

}  // namespace lq::io
