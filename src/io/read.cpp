// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/transfer.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <limequat/file.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "io/judgement.hpp"
#include "io/nature.hpp"
#include "io/payload_files.hpp"
#include "io/scan.hpp"
#include "io/sites.hpp"
#include "lattice/local_field.hpp"
#include "options/agreed.hpp"

namespace lq {

namespace io {

namespace {

Coord shifted(const Coord& x, const Coord& by, std::int64_t sign) {
  Coord result = x;
  for (int d = 0; d < x.size(); ++d) result[d] += sign * by[d];
  return result;
}

// Arguments that all ranks must agree on; empty for a single rank.
std::vector<comm::StatedArgument> stated_reading(const Grid& grid, const ReadOptions& options, const FieldSpec& spec) {
  if (grid.communicator().size() == 1) return {};
  std::vector<comm::StatedArgument> arguments = options::stated(options);
  arguments.push_back(
      {"the kind of field", fmt::format("{}, {} colors, {} spins, {} links, {} numbers per site", name(spec.kind),
                                        spec.colors, spec.spins, spec.links, spec.numbers)});
  return arguments;
}

// The sites to read, in coordinates of the file's lattice.
Box region_of(const std::string& path, const FieldEntry& entry, const ReadOptions& options, const Grid& grid) {
  const Payload& payload = entry.payload;
  const Box region = options.region.value_or(payload.stored);
  const bool fits = region.lower.size() == payload.extents.size() && region.extents.size() == payload.extents.size() &&
                    intersect(region, payload.stored) == region;
  if (!fits || region.empty()) {
    base::fail(Code::invalid_argument, {.path = path, .record = entry.name},
               "the region from {} with extents {} is not part of the {} sites of {} that the file stores from {}",
               to_string(region.lower), to_string(region.extents), to_string(payload.stored.extents),
               to_string(payload.extents), to_string(payload.stored.lower));
  }
  if (grid.extents() != region.extents) {
    base::fail(
        Code::invalid_argument,
        {.path = path, .record = entry.name, .expected = to_string(region.extents), .found = to_string(grid.extents())},
        "the {} to read is {}, but the grid is {}; create the grid with the same extents",
        options.region ? "region" : "lattice", to_string(region.extents), to_string(grid.extents()));
  }
  return region;
}

void require_same_sites(const std::string& path, const FieldEntry& entry, const FieldSpec& wanted) {
  const FieldSpec& stored = entry.payload.spec;
  const bool kinds_agree =
      wanted.kind == stored.kind || wanted.kind == FieldKind::generic || stored.kind == FieldKind::generic;
  if (kinds_agree && wanted.numbers == stored.numbers) return;
  base::fail(Code::invalid_argument,
             {.path = path,
              .record = entry.name,
              .offset = entry.payload.offset,
              .expected = fmt::format("{} numbers", wanted.numbers),
              .found = fmt::format("{} numbers", stored.numbers)},
             "\"{}\" is a {} field with {} numbers per site, but a {} field with {} was requested; check colors, spins "
             "and links",
             entry.name, name(stored.kind), stored.numbers, name(wanted.kind), wanted.numbers);
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

// The sums compared when a field is read. Sets of modes are read repeatedly, on processors that also compute:
// the 64-bit sums, which take most of the time, are left to verify().
std::vector<SumName> compared_sums(const Catalog& catalog, const FieldEntry& entry) {
  std::vector<SumName> sums = sums_of(entry);
  if (catalog.format == "modes") {
    std::erase_if(sums, [](const SumName& name) { return name.kind == SumKind::weighted; });
  }
  return sums;
}

// No checksum proves the data, so only their plausibility can be reported. Links of another kind are common.
void warn_of(const Nature& nature, Report& report) {
  report.warnings.insert(report.warnings.end(), nature.damage.begin(), nature.damage.end());
}

// For a field to read.
SitePlan plan_of(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Box& region,
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

// One field of a scanned file in transit; `local` is resolved.
class EntryTransfer {
 public:
  // Local.
  EntryTransfer(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
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

  // Local.
  void tell(SiteTransfer::Facts& facts) const { sites_.tell(facts); }
  // Collective. Everything up to the first site; seconds count from `since`.
  void begin(SiteTransfer::Facts& facts, const base::Stopwatch& since) {
    sites_.choose_route(facts);
    const auto open = [&] {
      if (!sites_.touches_file()) return std::vector<storage::File*>{};
      files_.emplace(transport_, catalog_, entry_.payload);
      return files_->all();
    };
    sites_.start(open, since);
  }

  engine::StepwiseTransfer& steps() { return sites_.steps(); }

  // Collective. The statistics of the sites, without comparing them.
  engine::TransferStats finish_unjudged(const std::exception_ptr& failure) {
    sites_.finish(failure);
    return sites_.take_stats();
  }

  // Collective. Seconds count from `since`.
  Report finish(const std::exception_ptr& failure, const base::Stopwatch& since) {
    sites_.finish(failure);
    std::array<comm::Term, 2> terms{};
    Report made = comm::agree_alike(grid_.communicator().engine(), terms, [&] {
      terms[1] = comm::seconds_term(since.seconds());
      const Judgement judgement = verify_ ? judge(entry_, sites_.stats(), region_) : Judgement{};
      if (judgement.status == ChecksumStatus::mismatch) {
        throw mismatch_error(catalog_, entry_, sites_.stats(), judgement);
      }
      if (judgement.status == ChecksumStatus::absent) require_no_lost_sum();
      return report(judgement.status);
    });
    made.seconds.total = comm::seconds_of(terms[1]);
    return made;
  }

 private:
  // Numbers whose checksum is damaged are not handed out as those of a file that has none.
  void require_no_lost_sum() const {
    const Finding* const lost = lost_sum(catalog_, entry_);
    if (lost == nullptr) return;
    throw Error(
        Code::checksum_mismatch,
        fmt::format("{}: \"{}\": its checksum cannot be compared: {}; verify = none reads the numbers as they are",
                    catalog_.path, entry_.name, lost->message),
        {.path = catalog_.path, .record = lost->record, .offset = lost->offset});
  }

  Report report(ChecksumStatus status) const {
    Report report;
    sites_.describe(report);
    report.path = catalog_.path;
    report.format = catalog_.format;
    report.field = entry_.name;
    report.stored = entry_.sums.checksum();
    report.status = status;
    if (sites_.stats().numbers) warn_of(nature_of(catalog_, entry_, region_, sites_.stats()), report);
    return report;
  }

  storage::Transport& transport_;
  const Catalog& catalog_;
  const FieldEntry& entry_;
  Grid grid_;
  bool verify_;
  Box region_;
  std::optional<PayloadFiles> files_;
  SiteTransfer sites_;  // refers to the other members
};

// A field of a file in transit. Local steps run inside agreements of begin().
class ReadTransfer final : public Transfer {
 public:
  // Local. For a file to scan, or a scanned one.
  ReadTransfer(const Grid& grid, const MutableField& field, std::shared_ptr<ScannedFile> file)
      : grid_(grid), local_(lattice::resolve_field(grid, field)), file_(std::move(file)) {}
  const FieldSpec& spec() const noexcept { return local_.spec; }
  // Collective. If a rank finds another file than the scanned one, the scan is repeated.
  void scan_and_begin(const ReadOptions& options) {
    use_same_files(grid_.communicator().engine(), file_->files(), [&] {
      const comm::FromRoot at_root = file_->scan_at_root();
      begin_entry(options, &at_root);
    });
  }
  // Collective. For the file as it was scanned.
  void begin(const ReadOptions& options) {
    file_->require_as_scanned();
    begin_entry(options, nullptr);
  }

  engine::StepwiseTransfer& steps() override { return entry_->steps(); }
  Report finish(const std::exception_ptr& failure) override { return entry_->finish(failure, watch_); }
  // Collective. After a failure: true if the file was replaced, which may have removed data it needed.
  bool was_replaced() const { return file_->was_replaced(); }

 private:
  void begin_entry(const ReadOptions& options, const comm::FromRoot* at_root) {
    SiteTransfer::Facts facts;
    entry_ = comm::agree(grid_.communicator().engine(), facts.terms(), [&] {
      if (at_root != nullptr) file_->learn(*at_root);
      const Catalog& catalog = file_->catalog();
      catalog.require_sound();
      const FieldEntry& entry = catalog.field(options.field, options.index);
      auto made = std::make_unique<EntryTransfer>(file_->files(), catalog, entry, grid_, local_, options);
      made->tell(facts);
      return made;
    });
    entry_->begin(facts, watch_);
  }

  base::Stopwatch watch_;
  Grid grid_;
  MutableField local_;
  std::shared_ptr<ScannedFile> file_;
  std::unique_ptr<EntryTransfer> entry_;  // refers to the catalog
};

// Collective.
std::unique_ptr<ReadTransfer> begin_scanning(storage::Transport& transport, const std::string& path, const Grid& grid,
                                             const MutableField& field, const ReadOptions& options) {
  std::unique_ptr<ReadTransfer> transfer;
  comm::require_same(grid.communicator().engine(), [&] {
    auto file = std::make_shared<ScannedFile>(transport, path, grid.communicator(), options.limits);
    transfer = std::make_unique<ReadTransfer>(grid, field, std::move(file));
    std::vector<comm::StatedArgument> arguments = stated_reading(grid, options, transfer->spec());
    arguments.insert(arguments.begin(), stated_path(path));
    return arguments;
  });
  transfer->scan_and_begin(options);
  return transfer;
}

// Collective. Starts a field of a catalog that all ranks have, up to its first site.
std::unique_ptr<EntryTransfer> start_entry(storage::Transport& transport, const Catalog& catalog,
                                           const FieldEntry& entry, const Grid& grid, const MutableField& local,
                                           const ReadOptions& options, const base::Stopwatch& since) {
  SiteTransfer::Facts facts;
  auto transfer = comm::agree(grid.communicator().engine(), facts.terms(), [&] {
    auto made = std::make_unique<EntryTransfer>(transport, catalog, entry, grid, local, options);
    made->tell(facts);
    return made;
  });
  transfer->begin(facts, since);
  return transfer;
}

Report move_entry(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                  const MutableField& local, const ReadOptions& options, const base::Stopwatch& since) {
  const auto transfer = start_entry(transport, catalog, entry, grid, local, options, since);
  return transfer->finish(engine::outcome_of(transfer->steps()), since);
}

}  // namespace

Report read_entry(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                  const MutableField& local, const ReadOptions& options) {
  return move_entry(transport, catalog, entry, grid, local, options, base::Stopwatch());
}

engine::TransferStats read_unjudged(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry,
                                    const Grid& grid, const MutableField& local, const ReadOptions& options) {
  const auto transfer = start_entry(transport, catalog, entry, grid, local, options, base::Stopwatch());
  return transfer->finish_unjudged(engine::outcome_of(transfer->steps()));
}

Report read_listed(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                   const MutableField& field, const ReadOptions& options) {
  const base::Stopwatch watch;
  MutableField local;
  comm::require_same(grid.communicator().engine(), [&] {
    local = lattice::resolve_field(grid, field);
    return stated_reading(grid, options, local.spec);
  });
  return move_entry(transport, catalog, entry, grid, local, options, watch);
}

std::unique_ptr<Transfer> begin_read(storage::Transport& transport, const std::string& path, const Grid& grid,
                                     const MutableField& field, const ReadOptions& options) {
  return begin_scanning(transport, path, grid, field, options);
}

std::unique_ptr<Transfer> begin_read(const std::shared_ptr<ScannedFile>& file, const Grid& grid,
                                     const MutableField& field, const ReadOptions& options) {
  std::unique_ptr<ReadTransfer> transfer;
  comm::require_same(grid.communicator().engine(), [&] {
    transfer = std::make_unique<ReadTransfer>(grid, field, file);
    return stated_reading(grid, options, transfer->spec());
  });
  transfer->begin(options);
  return transfer;
}

Report read_field(storage::Transport& transport, const std::string& path, const Grid& grid, const MutableField& field,
                  const ReadOptions& options) {
  constexpr int attempts = 20;
  for (int attempt = 1;; ++attempt) {
    const auto transfer = begin_scanning(transport, path, grid, field, options);
    try {
      return transfer->finish(engine::outcome_of(transfer->steps()));
    } catch (const Error&) {
      if (attempt == attempts || !transfer->was_replaced()) throw;
    }
  }
}

}  // namespace io

Report read(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options) {
  return io::read_field(storage::resolve(path), path, grid, field, options);
}

}  // namespace lq
