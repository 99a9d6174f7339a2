// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "grid/local_field.hpp"
#include "io/judgement.hpp"
#include "io/nature.hpp"
#include "io/payload_files.hpp"
#include "io/scan.hpp"
#include "io/sites.hpp"
#include "io/transfer.hpp"
#include "options/agreed.hpp"

namespace lq {

namespace io {

namespace {

Coord shifted(const Coord& x, const Coord& by, std::int64_t sign) {
  Coord result = x;
  for (int d = 0; d < x.size(); ++d) result[d] += sign * by[d];
  return result;
}

void require_same_reading(comm::Comm& comm, const ReadOptions& options, const FieldSpec& spec) {
  comm::require_same(comm, [&] {
    std::vector<comm::Stated> arguments = options::stated(options);
    arguments.push_back(
        {"the kind of field", fmt::format("{}, {} colors, {} spins, {} links, {} numbers per site", name(spec.kind),
                                          spec.colors, spec.spins, spec.links, spec.numbers)});
    return arguments;
  });
}

// The sites to read, in coordinates of the file's lattice.
Box region_of(const std::string& path, const FieldEntry& entry, const ReadOptions& options, const Grid& grid) {
  const Payload& payload = entry.payload;
  const Box region = options.region.value_or(payload.stored);
  const bool fits = region.lower.size() == payload.extents.size() && region.extents.size() == payload.extents.size() &&
                    intersect(region, payload.stored) == region;
  if (!fits || region.empty()) {
    throw Error(
        Code::invalid_argument,
        fmt::format(
            "{}: the region from {} with extents {} is not part of the {} sites of {} that the file stores from {}",
            path, to_string(region.lower), to_string(region.extents), to_string(payload.stored.extents),
            to_string(payload.extents), to_string(payload.stored.lower)),
        {.path = path, .record = entry.name});
  }
  if (grid.extents() != region.extents) {
    throw Error(
        Code::invalid_argument,
        fmt::format("{}: the {} to read is {}, but the grid is {}; make the grid of the same extents", path,
                    options.region ? "region" : "lattice", to_string(region.extents), to_string(grid.extents())),
        {.path = path,
         .record = entry.name,
         .expected = to_string(region.extents),
         .found = to_string(grid.extents())});
  }
  return region;
}

void require_same_sites(const std::string& path, const FieldEntry& entry, const FieldSpec& wanted) {
  const FieldSpec& stored = entry.payload.spec;
  const bool kinds_agree =
      wanted.kind == stored.kind || wanted.kind == FieldKind::generic || stored.kind == FieldKind::generic;
  if (kinds_agree && wanted.numbers == stored.numbers) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("{}: \"{}\" is a {} field with {} numbers per site, but a {} field with {} was asked for; check "
                  "colors, spins and links",
                  path, entry.name, name(stored.kind), stored.numbers, name(wanted.kind), wanted.numbers),
      {.path = path,
       .record = entry.name,
       .offset = entry.payload.offset,
       .expected = fmt::format("{} numbers", wanted.numbers),
       .found = fmt::format("{} numbers", stored.numbers)});
}

Box region_to_read(const std::string& path, const FieldEntry& entry, const ReadOptions& options, const Grid& grid,
                   const FieldSpec& wanted) {
  require_same_sites(path, entry, wanted);
  return region_of(path, entry, options, grid);
}

// The application counts sites from the corner of its own grid.
MutableField in_region(const MutableField& field, const Coord& corner) {
  MutableField target = field;
  if (field.store) {
    target.store = [store = field.store, corner](const Coord& x, const void* site) {
      store(shifted(x, corner, -1), site);
    };
  }
  if (field.store_rows) {
    target.store_rows = [store = field.store_rows, corner](const Coord& x, int axis, std::uint64_t n, const void* row) {
      store(shifted(x, corner, -1), axis, n, row);
    };
  }
  return target;
}

// What is compared when a field is read. Sets of modes are read again and again, on processors that compute meanwhile:
// the 64-bit sums, which take most of the time, are left to verify().
std::vector<SumName> compared_sums(const Catalog& catalog, const FieldEntry& entry) {
  std::vector<SumName> sums = sums_of(entry);
  if (catalog.format == "modes") {
    std::erase_if(sums, [](const SumName& name) { return name.kind == SumKind::weighted; });
  }
  return sums;
}

// No checksum proves the data: what they look like is all that can be said. Links of another kind are read often.
void warn_of(const Nature& nature, Report& report) {
  report.warnings.insert(report.warnings.end(), nature.damage.begin(), nature.damage.end());
}

// Of a field that is read.
SitePlan plan_of(transport::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Box& region,
                 const ReadOptions& options) {
  return {.path = catalog.path,
          .payload = entry.payload,
          .region = region,
          .unit = transport.unit(catalog.path),
          .sums = options.verify != Verify::none ? compared_sums(catalog, entry) : std::vector<SumName>{},
          .watches_numbers = options.verify != Verify::none && !has_exact_sum(entry),
          .tile_codec = tile_codec_of(catalog.format, entry.payload),
          .route = options.route,
          .block_bytes = options.block_bytes,
          .progress = options.progress};
}

// One field of a scanned file on its way; `local` is resolved.
class EntryTransfer {
 public:
  // Local.
  EntryTransfer(transport::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                const MutableField& local, const ReadOptions& options)
      : transport_(transport),
        catalog_(catalog),
        entry_(entry),
        grid_(grid),
        verify_(options.verify != Verify::none),
        region_(region_to_read(catalog.path, entry, options, grid, local.spec)),
        sites_(grid, plan_of(transport, catalog, entry, region_, options), in_region(local, region_.lower)) {}
  EntryTransfer(const EntryTransfer&) = delete;
  EntryTransfer& operator=(const EntryTransfer&) = delete;

  // Collective. Everything up to the first site of what began at `since`.
  void begin(const base::Stopwatch& since) {
    sites_.choose_route();
    std::vector<transport::File*> files = comm::agree(grid_.communicator().engine(), [&] {
      if (!sites_.touches_file()) return std::vector<transport::File*>{};
      files_.emplace(transport_, catalog_, entry_.payload);
      return files_->all();
    });
    sites_.start(files, since.seconds());
  }

  pump::Movement& movement() { return sites_.movement(); }

  // Collective. seconds.total is left to the caller.
  Report finish(const std::exception_ptr& failure) {
    sites_.finish(failure);
    return comm::agree_alike(grid_.communicator().engine(), [&] {
      const Judgement judgement = verify_ ? judge(entry_, sites_.tally(), region_) : Judgement{};
      if (judgement.status == ChecksumStatus::mismatch) {
        throw mismatch_error(catalog_, entry_, sites_.tally(), judgement);
      }
      return report(judgement.status);
    });
  }

 private:
  Report report(ChecksumStatus status) const {
    Report report;
    sites_.describe(report);
    report.path = catalog_.path;
    report.format = catalog_.format;
    report.field = entry_.name;
    report.stored = entry_.sums.checksum();
    report.status = status;
    if (sites_.tally().numbers) warn_of(nature_of(catalog_, entry_, region_, sites_.tally()), report);
    return report;
  }

  transport::Transport& transport_;
  const Catalog& catalog_;
  const FieldEntry& entry_;
  Grid grid_;
  bool verify_;
  Box region_;
  std::optional<PayloadFiles> files_;
  SiteTransfer sites_;  // refers to the others
};

class ReadTransfer final : public Transfer {
 public:
  // Local.
  ReadTransfer(const Grid& grid, const MutableField& field) : grid_(grid), local_(grid::resolve_field(grid, field)) {}
  // Collective. Where a rank meets another file than was scanned, the scan is repeated.
  void begin(transport::Transport& transport, const std::string& path, const ReadOptions& options) {
    require_same_reading(grid_.communicator().engine(), options, local_.spec);
    file_ = ScannedFile::open(transport, path, grid_.communicator(), options.limits);
    file_->use_as_scanned([&] { begin_entry(options); });
  }
  // Collective. A file that was scanned before, as it was then.
  void begin(std::shared_ptr<ScannedFile> file, const ReadOptions& options) {
    require_same_reading(grid_.communicator().engine(), options, local_.spec);
    file_ = std::move(file);
    file_->require_as_scanned();
    begin_entry(options);
  }

  pump::Movement& movement() override { return entry_->movement(); }
  Report finish(const std::exception_ptr& failure) override {
    Report report = entry_->finish(failure);
    report.seconds.total = comm::max_over_ranks(grid_.communicator().engine(), watch_.seconds());
    return report;
  }
  // Collective. After a failure: whether the file has a successor, with which what it needed may have gone.
  bool was_replaced() const { return file_->was_replaced(); }

 private:
  void begin_entry(const ReadOptions& options) {
    entry_ = comm::agree(grid_.communicator().engine(), [&] {
      const Catalog& catalog = file_->catalog();
      catalog.require_sound();
      const FieldEntry& entry = catalog.field(options.field, options.index);
      return std::make_unique<EntryTransfer>(file_->files(), catalog, entry, grid_, local_, options);
    });
    entry_->begin(watch_);
  }

  base::Stopwatch watch_;
  Grid grid_;
  MutableField local_;
  std::shared_ptr<ScannedFile> file_;
  std::unique_ptr<EntryTransfer> entry_;  // refers to the catalog
};

}  // namespace

Report read_entry(transport::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                  const MutableField& local, const ReadOptions& options) {
  const base::Stopwatch watch;
  const auto transfer = comm::agree(grid.communicator().engine(), [&] {
    return std::make_unique<EntryTransfer>(transport, catalog, entry, grid, local, options);
  });
  transfer->begin(watch);
  return transfer->finish(pump::outcome_of(transfer->movement()));
}

Report read_listed(transport::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                   const MutableField& field, const ReadOptions& options) {
  const base::Stopwatch watch;
  comm::Comm& comm = grid.communicator().engine();
  const MutableField local = comm::agree(comm, [&] { return grid::resolve_field(grid, field); });
  require_same_reading(comm, options, local.spec);
  Report report = read_entry(transport, catalog, entry, grid, local, options);
  report.seconds.total = comm::max_over_ranks(comm, watch.seconds());
  return report;
}

std::unique_ptr<Transfer> begin_read(transport::Transport& transport, const std::string& path, const Grid& grid,
                                     const MutableField& field, const ReadOptions& options) {
  auto transfer =
      comm::agree(grid.communicator().engine(), [&] { return std::make_unique<ReadTransfer>(grid, field); });
  transfer->begin(transport, path, options);
  return transfer;
}

std::unique_ptr<Transfer> begin_read(const std::shared_ptr<ScannedFile>& file, const Grid& grid,
                                     const MutableField& field, const ReadOptions& options) {
  auto transfer =
      comm::agree(grid.communicator().engine(), [&] { return std::make_unique<ReadTransfer>(grid, field); });
  transfer->begin(file, options);
  return transfer;
}

Report read_field(transport::Transport& transport, const std::string& path, const Grid& grid, const MutableField& field,
                  const ReadOptions& options) {
  constexpr int attempts = 20;
  for (int attempt = 1;; ++attempt) {
    const auto transfer =
        comm::agree(grid.communicator().engine(), [&] { return std::make_unique<ReadTransfer>(grid, field); });
    transfer->begin(transport, path, options);
    try {
      return transfer->finish(pump::outcome_of(transfer->movement()));
    } catch (const Error&) {
      if (attempt == attempts || !transfer->was_replaced()) throw;
    }
  }
}

}  // namespace io

Report read(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options) {
  return io::read_field(transport::resolve(path), path, grid, field, options);
}

}  // namespace lq
