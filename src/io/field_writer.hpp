// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Controls writing: plan, temporary file, head, data, checksum, tail; finally sync, read-back, rename.
// Every public way to write a file uses it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "base/clock.hpp"
#include "base/function_ref.hpp"
#include "base/inner.hpp"
#include "comm/agree.hpp"
#include "format/format.hpp"
#include "io/journal.hpp"
#include "io/new_file.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// A field to append, without its data.
struct FieldPlan {
  std::string name;
  FieldSpec spec;  // resolved, precision as in memory
  Extents extents;
  Metadata metadata;
  std::optional<double> plaquette = {}, link_trace = {};  // of a gauge field, if known
  bool has_late_observables = false;                      // finish() receives them
};

class LQ_INNER FieldWriter {
 public:
  // A field with its place in the file.
  struct Placed {
    base::Stopwatch watch;
    FieldPlan plan;
    storage::LocalTraits seen;  // the first file as this rank sees it
    format::Layout layout;      // head and tail on rank 0 only
    const format::FieldFormat* format = nullptr;

    const Payload& payload() const { return layout.payload.front(); }
  };

  // An existing file: it belongs to something larger, whose owner renames it, or it is appended to in place.
  struct Continuation {
    std::string at;              // its present name
    std::uint64_t end = 0;       // of its contents; in place, the end of the file
    bool begins_message = true;  // the next field does not share the lattice of the previous one
    bool in_place = false;       // existing contents stay valid (journal.hpp) until complete() makes the new ones valid
    // At the root, in place, must outlive the writer: the lock of the file, and Appending's `left`.
    const storage::WriterLock* lock = nullptr;
    std::optional<FileState>* left = nullptr;
  };

  FieldWriter(storage::Transport& transport, const Communicator& communicator, std::string path, WriteOptions options);
  FieldWriter(storage::Transport& transport, const Communicator& communicator, std::string path, WriteOptions options,
              Continuation before);

  // Local. Before the first field: the new files are not readable by users who may not read the file `like`.
  void keep_private(const std::string& like) { like_ = like; }

  // A field takes three steps: it is placed, its files are opened, and it is finished when its sites have passed. Local
  // steps run inside an agreement of the caller's. Collective. The root plans the field and creates its files.
  comm::FromRoot place_at_root(const FieldPlan& plan);
  // Local. This rank's view of it; once.
  std::unique_ptr<Placed> placed(const FieldPlan& plan, const comm::FromRoot& at_root);
  // Collective. Both steps.
  std::unique_ptr<Placed> place(const FieldPlan& plan);
  // Collective. If client caches are not coherent, the files get their sizes before other ranks
  // open them. `has_incoherent_caches`: see SiteTransfer.
  void set_sizes(const Placed& placed, bool has_incoherent_caches);
  // Local. The files of the field, with everything before the data written; nullptr on ranks that do not touch them.
  std::vector<storage::File*> open(const Placed& placed, bool touches_file);
  // Local. Runs `work`; its errors use the names that the user gave.
  void named(base::FunctionRef<void()> work) const;
  // Collective. Writes everything after the data. `digest` returns their checksums and observables, on all ranks, and
  // `describe` adds to the report; both run inside an agreement.
  Report finish(const Placed& placed, base::FunctionRef<format::Digest()> digest,
                base::FunctionRef<void(Report&)> describe);
  // Local. Plans a field like place() on rank 0 and writes nothing; the report says what would be written.
  Report dry_run_write(const FieldPlan& plan);
  // Local. Throws no_space unless there is space for the rehearsed fields.
  void require_space() const;
  // Collective. The contents of rank 0 are written.
  void append_record(const std::string& type, std::string_view contents);
  // Collective. Runs all steps of a writer in place. If ranks have lost each other, some may still write when it
  // fails: their data are then ignored (Appending::leave_to_next).
  void in_place(base::FunctionRef<void()> work);
  // Collective. Completes the file under its present name. Adds the seconds and verdict of read-back to `report`.
  void complete(Report& report);
  // Collective. Renames a complete file to its final name.
  void publish(Report& report);
  // Collective. Both steps.
  void commit(Report& report);
  // Local. The name of the (first) file until then.
  const std::string& temporary_path() const noexcept { return files_.front()->temporary_path(); }
  std::uint64_t end() const noexcept { return end_; }  // of the file so far

 private:
  struct Written {
    Payload payload;
    Sums sums;
    const format::TileCodec* tile_codec = nullptr;
  };

  std::unique_ptr<Placed> plan_field(const FieldPlan& plan, bool makes_layout) const;
  format::Choices choices_for(const format::RecordFormat& target, std::string_view name) const;
  void open_continued();
  void require_behind_end(const Payload& payload) const;
  void commit_in_place();
  base::ByteSource* before() const;
  Report describe(const FieldPlan& plan, const FieldSpec& in_file) const;
  comm::FromRoot make_at_root(base::FunctionRef<format::Layout&()> plan);
  void learn(const comm::FromRoot& at_root, format::Layout& layout);
  std::vector<std::unique_ptr<NewFile>> new_files(const format::Layout& layout) const;
  void set_sizes(const format::Layout& layout);
  std::vector<double> plaquette_sums(const Placed& placed, const std::vector<Box>& parts);
  Sync sync() const noexcept {
    return has_incoherent_caches_ && options_.sync == Sync::none ? Sync::data : options_.sync;
  }
  void write_bulk(const std::vector<format::Bulk>& bulk) const;
  void write(const std::vector<format::Literal>& literals);
  std::vector<std::string> temporary_paths() const;
  void read_back(Report& report);
  void read_back(const Written& written, std::uint64_t shift, Report& report);

  storage::Transport& transport_;
  Communicator communicator_;
  std::string path_, like_;
  WriteOptions options_;
  std::vector<std::unique_ptr<NewFile>> files_;  // empty: nothing written yet
  std::unique_ptr<Appending> appending_;         // at the root, in place
  std::unique_ptr<Placed> at_root_;              // planned there
  std::vector<Written> written_;
  bool has_incoherent_caches_ = false;
  std::uint64_t client_ = 0;  // NewFile::client
  std::uint64_t end_ = 0;     // size of the (first) file so far
  std::optional<Continuation> before_;
};

// Local. The requested format, or that of the path's suffix.
const format::Format& target_format(const std::string& path, const WriteOptions& options, const FieldSpec& spec,
                                    const Extents& extents);

// Local. Arguments that ranks writing a field together must agree on.
std::vector<comm::StatedArgument> stated_request(const std::string& path, const WriteOptions& options,
                                                 const FieldSpec& spec, const std::string& name,
                                                 const Metadata& metadata);
// Local. The same for a conversion.
std::vector<comm::StatedArgument> stated_conversion(const std::string& from, const std::string& to,
                                                    const ConvertOptions& options);

}  // namespace lq::io
