// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The conductor of writing: plan, temporary file, head, data, checksum, tail; in the end sync, read-back, name.
// Every public way to write a file comes through here.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "base/clock.hpp"
#include "format/format.hpp"
#include "io/new_file.hpp"
#include "pump/direct.hpp"
#include "pump/movement.hpp"
#include "pump/tally.hpp"

namespace lq::io {

// A field to append, without its data.
struct FieldPlan {
  std::string name;
  FieldSpec spec;  // resolved, precision as in memory
  Extents extents;
  Metadata metadata;
};

class FieldWriter {
 public:
  // Where a field's sites come from. Both calls are collective.
  struct Sites {
    // Returns whether this rank writes to the file.
    std::function<bool(const Payload& payload)> prepare;
    // `file` is nullptr on ranks that do not.
    std::function<std::unique_ptr<pump::Movement>(transport::File* file, const Payload& payload,
                                                  const pump::PumpOptions& options, pump::Tally& tally)>
        start;
  };

  // A field on its way into the file.
  struct Passing {
    base::Stopwatch watch;
    FieldPlan plan;
    format::Layout layout;
    std::unique_ptr<pump::Tally> tally;
    std::unique_ptr<pump::Movement> movement;

    const Payload& payload() const { return layout.payload.front(); }
  };

  // A file that is there and belongs to something larger, whose owner gives it its name.
  struct Continuation {
    std::string at;              // what it is called now
    std::uint64_t end = 0;       // of what it holds
    bool begins_message = true;  // the next field does not share its lattice with the one before
  };

  FieldWriter(transport::Transport& transport, const Communicator& communicator, std::string path,
              WriteOptions options);
  FieldWriter(transport::Transport& transport, const Communicator& communicator, std::string path, WriteOptions options,
              Continuation before);

  // Collective. Everything up to the first site; the sites then move by the steps of `movement`.
  std::unique_ptr<Passing> begin(const FieldPlan& plan, const Sites& sites);
  // Collective. The sites have passed, or failed to on this rank. `check` runs on all ranks once the checksum of what
  // was written is known, before the tail.
  Report finish(Passing& passing, const std::exception_ptr& failure,
                const std::function<void(const pump::Tally&)>& check = {});
  // Collective. Both, with all steps between them.
  Report append(const FieldPlan& plan, const Sites& sites, const std::function<void(const pump::Tally&)>& check = {});
  // Local. Plans a field as append() does and writes nothing; the report says what would be written.
  Report rehearse(const FieldPlan& plan);
  // Local. Throws no_space unless there is room for what was rehearsed.
  void require_space() const;
  // Collective. The contents of rank 0 are written.
  void append_record(const std::string& type, std::string_view contents);
  // Collective. Completes the file; `report` gets the seconds and the verdict of read-back.
  void commit(Report& report);
  // Collective. The same, but the file keeps the name it has.
  void complete(Report& report);
  std::uint64_t end() const noexcept { return end_; }  // of the file so far

 private:
  struct Written {
    Payload payload;
    Sums sums;
  };

  format::Layout plan_field(const FieldPlan& plan) const;
  Report describe(const FieldPlan& plan, const FieldSpec& in_file) const;
  void open_for(const format::Layout& layout, bool touches_file);
  void read_back(Report& report);
  void read_back(const Written& written, Report& report);

  transport::Transport& transport_;
  Communicator communicator_;
  std::string path_;
  WriteOptions options_;
  std::unique_ptr<NewFile> file_;
  std::vector<Written> written_;
  std::uint64_t end_ = 0;  // size of the file so far
  std::optional<Continuation> before_;
};

// Local. The format asked for, or that of the path's suffix.
const format::Format& target_format(const std::string& path, const WriteOptions& options, const FieldSpec& spec,
                                    const Extents& extents);

// Collective. Throws ranks_disagree unless all ranks write the same field in the same way to the same file.
void require_same_request(comm::Comm& comm, const std::string& path, const WriteOptions& options, const FieldSpec& spec,
                          const std::string& name, const Metadata& metadata);

}  // namespace lq::io
