// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion: scan of one format, plan of the other, box by box through bounded memory; both checksums are computed in
// transit.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/inspect.hpp>
#include <limequat/machine.hpp>

#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/team.hpp"
#include "engine/file_order.hpp"
#include "engine/sequence.hpp"
#include "format/format.hpp"
#include "io/conversion.hpp"
#include "io/field_writer.hpp"
#include "io/judgement.hpp"
#include "io/nature.hpp"
#include "io/observe.hpp"
#include "io/payload_files.hpp"
#include "io/scan.hpp"
#include "io/sites.hpp"
#include "io/source_check.hpp"
#include "io/verdict.hpp"
#include "io/verify.hpp"
#include "lattice/region_text.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tile_map.hpp"
#include "lattice/tiles.hpp"
#include "options/agreed.hpp"
#include "storage/forwarding.hpp"

namespace lq {

namespace {

// Statistics of a field while it is copied.
struct ConvertStats {
  engine::TransferStats read, written;

  ConvertStats empty(const Payload& source, const Payload& target) const {
    return {read.empty(source), written.empty(target)};
  }
  void add(ConvertStats& other) noexcept {
    read.add(other.read);
    written.add(other.written);
  }
};

// The part a rank copies, in items of boxes. A rank that encodes tiles has whole ones, in sequence.
class CopiedBoxes {
 public:
  CopiedBoxes(const Payload& source, const Payload& target, const engine::PartIndex& part, int threads)
      : target_(target), most_sites_(std::max<std::uint64_t>(io::tile_bytes / source.spec.site_bytes(), 1)) {
    const std::uint64_t all = target.stored.volume();
    const std::uint64_t layer = target.encoding.empty() ? 0 : lattice::TileMap(target).layer_sites();
    // All chunks of a layer are filled together; chunks as long as the lattice form a single layer.
    const bool is_layer_large = layer * target.site_bytes() > largest_layer && target.block.size() > 0;
    const Payload* blocked = nullptr;
    if (target.encoding.empty() && !source.encoding.empty() && source.block.size() > 0) blocked = &source;
    if (is_layer_large) blocked = &target;
    if (blocked != nullptr || target.encoding.empty()) {
      boxes_.emplace(source, target, blocked, most_sites_, part, threads);
      return;
    }
    const lattice::Share layers = lattice::share_of((all + layer - 1) / layer, part.all, part.number);
    share_ = {std::min(layers.begin * layer, all), std::min(layers.end * layer, all)};
  }

  std::uint64_t items() const noexcept {
    return boxes_ ? boxes_->items() : (share_.end - share_.begin + most_sites_ - 1) / most_sites_;
  }

  template <class Work>
  void for_each_box(std::uint64_t item, const Work& work) const {
    if (boxes_) return boxes_->for_each_box(item, work);
    const std::uint64_t begin = share_.begin + item * most_sites_;
    lattice::RangeBoxes boxes(target_.stored, target_.order, begin, std::min(begin + most_sites_, share_.end),
                              most_sites_);
    for (Box box; boxes.next(box);) work(box);
  }

 private:
  const Payload& target_;
  static constexpr std::uint64_t largest_layer = 32 * base::mebi;

  std::uint64_t most_sites_;  // per box
  std::optional<io::PairedBoxes> boxes_;
  lattice::Share share_;  // for plain sites, in the order of the new file
};

// Copies this rank's part of a field from file to file, by several threads if both files are thread-safe.
struct PartCopy {
  storage::Transport& transport;
  const Catalog& catalog;
  const Payload& source;
  const Payload& target;
  const Communicator& communicator;
  std::uint64_t writers;  // only the first ranks write
  std::uint64_t block_bytes, memory_bytes;
  int threads;
  const Progress& progress;

  void operator()(const engine::Sequence& output, ConvertStats& stats) const {
    if (static_cast<std::uint64_t>(communicator.rank()) >= writers) return;
    const io::PayloadFiles input(transport, catalog, source);
    comm::Team team(input.are_thread_safe() && output.is_thread_safe() ? threads : 1);
    if (engine::PassThrough::is_possible(source, target))
      return pass_through(input.sequence(), *output.file(), team, stats);
    const CopiedBoxes boxes(source, target, {writers, static_cast<std::uint64_t>(communicator.rank())}, team.size());
    std::vector<WorkerState> workers;
    for (int i = 0; i < team.size(); ++i) workers.push_back({stats.empty(source, target)});
    std::atomic<std::uint64_t> done{0};
    comm::parallel_for(team, boxes.items(), [&](int thread, std::uint64_t item) {
      boxes.for_each_box(item, [&](const Box& box) {
        copy(input.sequence(), *output.file(), box, workers[static_cast<std::size_t>(thread)]);
      });
      const std::uint64_t now = ++done;
      if (progress && thread == 0 && communicator.is_root()) progress(now, boxes.items());
    });
    for (WorkerState& worker : workers) stats.add(worker.stats);
  }

 private:
  // The state of a thread.
  struct WorkerState {
    ConvertStats stats;
    std::vector<std::byte> memory = {};
  };

  // Copies sites with identical bytes in both files, a share of them for each thread.
  void pass_through(storage::File& input, storage::File& output, comm::Team& team, ConvertStats& stats) const {
    const auto count = static_cast<std::uint64_t>(team.size()), rank = static_cast<std::uint64_t>(communicator.rank());
    std::vector<ConvertStats> seen;
    for (std::uint64_t i = 0; i < count; ++i) seen.push_back(stats.empty(source, target));
    team.run([&](int thread) {
      const engine::PartIndex part{writers * count, rank * count + static_cast<std::uint64_t>(thread)};
      ConvertStats& mine = seen[static_cast<std::size_t>(thread)];
      engine::PassThrough sites(input, source, output, target,
                                lattice::share_of(source.stored.volume(), part.all, part.number), mine.written);
      engine::checksum_sites(sites, source, part, engine::block_options(source, block_bytes, 1, memory_bytes, true),
                             mine.read, thread == 0 && communicator.is_root() ? progress : Progress{});
      sites.require_all();
    });
    for (ConvertStats& one : seen) stats.add(one);
  }

  void copy(storage::File& input, storage::File& output, const Box& box, WorkerState& worker) const {
    worker.memory.resize(static_cast<std::size_t>(box.volume() * source.spec.site_bytes()));
    io::read_box(input, source, box, source.spec.precision, worker.memory.data(), worker.stats.read);
    const Field field{.spec = source.spec, .data = worker.memory.data()};
    engine::run(*engine::move_out(field, target, {target.extents, target.stored, target.order, box, {}, box}, output,
                                  {.block_bytes = block_bytes}, worker.stats.written));
  }
};

// The same, in slices that are measured in transit.
struct MeasuredCopy {
  const PartCopy& of;

  // The order of sites must agree in both files, otherwise rows would be short.
  static bool is_possible(const Payload& source, const Payload& target) {
    const int dimensions = source.extents.size();
    return source.encoding.empty() && target.encoding.empty() && source.stored == target.stored &&
           lattice::resolve_order(source.order, dimensions) == lattice::resolve_order(target.order, dimensions);
  }

  physics::SliceSums operator()(const engine::Sequence& output, ConvertStats& stats) const {
    const io::PayloadFiles input(of.transport, of.catalog, of.source);
    const bool is_thread_safe = input.are_thread_safe() && output.is_thread_safe();
    comm::Team team(
        is_thread_safe ? comm::within(of.threads, of.memory_bytes, io::MeasuredSlices::slice_bytes(of.source)) : 1);
    std::vector<ConvertStats> seen;
    for (int i = 0; i < team.size(); ++i) seen.push_back(stats.empty(of.source, of.target));
    std::vector<std::optional<physics::SliceSums>> sums(seen.size());
    team.run([&](int thread) {
      const auto i = static_cast<std::size_t>(thread);
      sums[i] = share(input.sequence(), output, seen[i], thread, team.size());
    });
    for (std::size_t i = 0; i < seen.size(); ++i) {
      stats.add(seen[i]);
      if (i > 0) sums.front()->add(*sums[i]);
    }
    return *std::move(sums.front());
  }

 private:
  // A thread's share of the slices; none on ranks that do not write.
  physics::SliceSums share(storage::File& input, const engine::Sequence& output, ConvertStats& seen, int thread,
                           int threads) const {
    const auto rank = static_cast<std::uint64_t>(of.communicator.rank()), count = static_cast<std::uint64_t>(threads);
    const std::uint64_t slices = io::MeasuredSlices::slices(of.source), sites = of.source.stored.volume() / slices;
    lattice::Share mine;
    if (rank < of.writers) {
      mine = lattice::share_of(slices, of.writers * count, rank * count + static_cast<std::uint64_t>(thread));
    }
    const std::uint64_t all = (mine.end - mine.begin) * sites;
    std::uint64_t done = 0;
    const auto tell = [&](const Box& box) {
      done += box.volume();
      if (of.progress && thread == 0 && of.communicator.is_root()) of.progress(done, all);
    };
    if (engine::PassThrough::is_possible(of.source, of.target) && all > 0) {
      engine::PassThrough passing(input, of.source, *output.file(), of.target, {mine.begin * sites, mine.end * sites},
                                  seen.written);
      physics::SliceSums sums =
          io::MeasuredSlices(passing, of.source).sums(mine, seen.read, [&](const Box& box, const std::byte*) {
            tell(box);
          });
      passing.require_all();
      return sums;
    }
    io::MeasuredSlices measured(input, of.source);
    Field field{.spec = of.source.spec, .order = of.source.order};
    field.spec.precision = measured.precision();
    return std::move(measured).sums(mine, seen.read, [&](const Box& box, const std::byte* memory) {
      field.data = memory;
      const Payload& target = of.target;
      engine::run(*engine::move_out(field, target,
                                    {target.extents, target.stored, target.order, box, of.source.order, box},
                                    *output.file(), {.block_bytes = of.block_bytes}, seen.written));
      tell(box);
    });
  }
};

// A field of the source, its part to convert, and the new name.
struct Chosen {
  const FieldEntry& entry;
  Box part;  // of its lattice
  std::string name;

  bool is_whole() const { return part == whole(entry.payload.extents); }
};

const format::Format& target_of(const Chosen& chosen, const std::string& to, const WriteOptions& options) {
  FieldSpec spec = chosen.entry.payload.spec;
  spec.precision = options.precision.value_or(spec.precision);
  return io::target_format(to, options, spec, chosen.part.extents);
}

// All fields, or the requested one. If names must be unique, the second field of a name becomes "name.1".
std::vector<Chosen> choose(const Catalog& catalog, const std::string& to, const ConvertOptions& options) {
  std::vector<Chosen> chosen;
  const bool is_one = !options.field.empty() || options.index > 0 || catalog.fields.empty();
  const auto add = [&](const FieldEntry& entry) {
    const Payload& payload = entry.payload;
    chosen.push_back(
        {entry,
         options.region.empty() ? payload.stored : lattice::region_of(catalog.path, options.region, payload.extents),
         {}});
  };
  if (is_one) add(catalog.field(options.field, options.index));  // or throws an error that lists the fields
  for (const FieldEntry& entry : catalog.fields) {
    if (!is_one) add(entry);
  }
  io::UniqueNames names;
  for (Chosen& field : chosen) {
    const std::string& name = options.write.name.empty() ? field.entry.name : options.write.name;
    const bool must_differ = format::needs_unique_names(target_of(field, to, options.write).for_fields());
    field.name = must_differ ? names.next(name) : name;
  }
  return chosen;
}

// A broken structure cannot be accepted: it is unknown which records existed. Repair makes a file of the intact
// parts, and names what is lost.
[[noreturn]] void refuse_structure(const Catalog& catalog, const Error& error, const ConvertOptions& options) {
  if (format::format_named(catalog.format).repairer == nullptr) throw error;
  throw Error(
      error.code(),
      fmt::format("{}. `lq repair` (`lq::repair`) writes the intact parts to a new file; convert that{}", error.what(),
                  options.accept_damage ? "; options.accept_damage concerns numbers, not a broken structure" : ""),
      error.facts());
}

void require_structure(const Catalog& catalog, const ConvertOptions& options) {
  try {
    catalog.require_sound();
  } catch (const Error& error) {
    refuse_structure(catalog, error, options);
  }
}

// Collective. The same for all other findings of an examination besides the fields.
void require_structure(const std::shared_ptr<io::ScannedFile>& source, const Communicator& communicator,
                       const ConvertOptions& options) {
  const Verification found = io::verify_structure(source, communicator, options.limits);
  comm::agree_alike(communicator.engine(), [&] {
    if (const auto error = io::first_error(found)) refuse_structure(source->catalog(), *error, options);
  });
}

// All checks that are possible before a byte is written.
std::vector<Chosen> check_conversion(storage::Transport& transport, const Catalog& catalog, const std::string& to,
                                     const ConvertOptions& options) {
  require_structure(catalog, options);
  if (!options.write.route.profile.empty()) (void)machine_of(options.write.route.profile);
  std::vector<Chosen> chosen = choose(catalog, to, options);
  io::require_target(transport, to, options.write.overwrite);
  return chosen;
}

Metadata texts_of(const Catalog& catalog, const Chosen& chosen, const std::string& to, const ConvertOptions& options) {
  return io::merge_texts(catalog, chosen.entry, chosen.is_whole(), target_of(chosen, to, options.write), options);
}

io::FieldPlan plan_of(const Catalog& catalog, const Chosen& chosen, const std::string& to, const io::Observed& observed,
                      bool is_late, const ConvertOptions& options) {
  return {chosen.name,
          chosen.entry.payload.spec,
          chosen.part.extents,
          texts_of(catalog, chosen, to, options),
          observed.plaquette,
          observed.link_trace,
          is_late};
}

// True if plaquette and link trace are known only after the sites have passed.
bool is_late(const FieldEntry& entry, const format::FieldFormat& target) {
  return target.takes_late_observables() && !io::is_stated(entry, target.observables());
}

// The report of a file of several fields: the last one's, with the bytes and seconds of all.
void add_to(Report& total, Report&& field) {
  const std::uint64_t bytes = total.bytes + field.bytes;
  const StepSeconds before = total.seconds;
  std::vector<std::string> warnings = std::move(total.warnings);
  warnings.insert(warnings.end(), field.warnings.begin(), field.warnings.end());
  total = std::move(field);
  total.warnings = std::move(warnings);
  total.bytes = bytes;
  total.seconds.open += before.open;
  total.seconds.pack += before.pack;
  total.seconds.exchange += before.exchange;
  total.seconds.storage += before.storage;
  total.seconds.reserve += before.reserve;
  total.seconds.total += before.total;
}

// Everything but the data.
Report dry_run_write(storage::Transport& transport, const Catalog& catalog, const std::vector<Chosen>& chosen,
                     const std::string& to, const Communicator& communicator, const ConvertOptions& options) {
  io::FieldWriter writer(transport, communicator, to, options.write);
  Report report;
  for (const Chosen& field : chosen) {
    const FieldEntry& entry = field.entry;
    // Measured values have the same length as any others.
    const io::Observed observed{entry.plaquette.value_or(0), entry.link_trace.value_or(0)};
    const bool late = is_late(entry, target_of(field, to, options.write).for_fields());
    add_to(report, writer.dry_run_write(plan_of(catalog, field, to, observed, late, options)));
  }
  writer.require_space();
  return report;
}

// Local. Refuses data that look damaged.
std::vector<std::string> judge_nature(const Catalog& catalog, const FieldEntry& entry,
                                      const engine::TransferStats& read, const std::optional<io::Estimate>& measured,
                                      const std::optional<physics::Joints::Broken>& broken,
                                      const ConvertOptions& options) {
  io::Nature nature = io::nature_of(catalog, entry, entry.payload.stored, read, measured, broken);
  io::require_undamaged(catalog, entry, nature.damage, options.accept_damage);
  std::vector<std::string> warnings = std::move(nature.damage);
  warnings.insert(warnings.end(), nature.remarks.begin(), nature.remarks.end());
  return warnings;
}

// Collective. One field into the file of `writer`.
Report convert_field(io::FieldWriter& writer, io::ScannedFile& source, const Chosen& chosen, const std::string& to,
                     const Communicator& communicator, const ConvertOptions& options) {
  const Catalog& catalog = source.catalog();
  const FieldEntry& entry = chosen.entry;
  comm::Comm& comm = communicator.engine();
  const format::FieldFormat& into =
      *comm::agree(comm, [&] { return &target_of(chosen, to, options.write).for_fields(); });
  const bool late = is_late(entry, into);
  // What no sum covers is read twice, and so is what is measured: sums are compared while sites pass into the new file.
  storage::TwiceRead twice(source.files());
  storage::Transport& once = source.files();
  const auto measure = [&] {
    storage::Transport& place = options.write.verify == Verify::none ? once : twice;
    return io::observe(place, catalog, entry, communicator, into.observables());
  };
  const io::Observed observed = late ? io::Observed{} : measure();
  const auto placed =
      writer.place(comm::agree(comm, [&] { return plan_of(catalog, chosen, to, observed, late, options); }));
  ConvertStats stats = comm::agree(comm, [&] {
    return ConvertStats{engine::TransferStats(entry.payload, io::sums_of(entry), true),
                        engine::TransferStats(placed->payload(), placed->layout.sums)};
  });
  const int threads = comm::thread_count(comm, options.write.route.threads, entry.payload.length);
  const storage::Owners owners = storage::owners_of(comm, [&] { return placed->seen; });
  const std::uint64_t writers = owners.writers(comm.size(), 1);
  const bool is_covered = options.write.verify == Verify::none || io::sums_see_every_bit(entry);
  const PartCopy copy{
      is_covered ? once : twice,
      catalog,
      entry.payload,
      placed->payload(),
      communicator,
      writers,
      io::block_to_write(options.write.block_bytes, placed->seen.unit, threads, options.write.route.memory_bytes),
      engine::granted_memory(options.write.route.memory_bytes, placed->seen.unit.call_bytes),
      threads,
      options.progress};
  writer.set_sizes(*placed, owners.have_incoherent_caches());
  const std::vector<storage::File*> files =
      comm::agree(comm, [&] { return writer.open(*placed, static_cast<std::uint64_t>(comm.rank()) < writers); });
  std::optional<engine::Sequence> target;
  std::optional<physics::SliceSums> sums;
  comm::agree(comm, [&] {
    target.emplace(to, placed->payload(), placed->format->tile_codec(placed->payload().encoding), files);
    writer.named([&] {
      if (late && MeasuredCopy::is_possible(entry.payload, placed->payload())) {
        sums.emplace(MeasuredCopy{copy}(*target, stats));
      } else {
        copy(*target, stats);
      }
    });
  });
  std::vector<Tile> tiles;
  writer.named([&] { tiles = target->settle(comm); });
  stats.written.reduce(comm);
  stats.read.reduce(comm);
  format::Digest digest = comm::agree_alike(comm, [&] {
    const io::Judgement judgement = io::judge(entry, stats.read, entry.payload.stored);
    if (judgement.status == ChecksumStatus::mismatch) {
      throw io::mismatch_error(catalog, entry, stats.read, judgement);
    }
    return format::Digest{stats.written.sums.values(), std::move(tiles)};
  });
  if (sums) sums->reduce(comm);
  const io::Observed measured = sums   ? io::Observed{sums->plaquette().average, sums->link_trace()}
                                : late ? measure()
                                       : io::Observed{};
  digest.plaquette = measured.plaquette;
  digest.link_trace = measured.link_trace;
  const bool is_known = late || !io::is_stated(entry, into.observables());
  const std::optional<io::Estimate> estimate =
      is_known ? std::optional(io::Estimate{late ? measured : observed})
               : io::estimate(source, entry, io::may_be_boundary(stats.read, entry.payload.stored), communicator);
  const auto broken = io::broken_joint(source, entry, stats.read, communicator);
  std::vector<std::string> warnings =
      comm::agree_alike(comm, [&] { return judge_nature(catalog, entry, stats.read, estimate, broken, options); });
  Report report = writer.finish(
      *placed, [&] { return std::move(digest); },
      [&](Report& made) {
        made.warnings.insert(made.warnings.end(), warnings.begin(), warnings.end());
        made.sums = stats.written.sums.values();
      });
  report.bytes = stats.written.bytes;
  report.checksum = stats.written.sums.total();
  report.storage.ranks = writers;
  report.seconds.pack = stats.written.pack_seconds + stats.read.pack_seconds;
  report.seconds.storage = stats.written.storage_seconds + stats.read.storage_seconds;
  report.zeros = stats.read.zeros;
  return report;
}

Report convert_fields(storage::Transport& transport, io::ScannedFile& source, const std::vector<Chosen>& chosen,
                      const std::string& to, const Communicator& communicator, const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  const auto writer =
      comm::agree(comm, [&] { return std::make_unique<io::FieldWriter>(transport, communicator, to, options.write); });
  comm::agree_alike(comm, [&] { writer->keep_private(source.catalog().path); });
  Report report;
  for (const Chosen& field : chosen) {
    Report of_field =
        field.is_whole()
            ? convert_field(*writer, source, field, to, communicator, options)
            : io::convert_part(*writer, transport, to, field.name,
                               comm::agree(comm, [&] { return texts_of(source.catalog(), field, to, options); }),
                               source, field.entry, field.part, communicator, options);
    comm::agree_alike(comm, [&] { add_to(report, std::move(of_field)); });
  }
  writer->commit(report);
  return report;
}

// Collective. True if `to` is the file being read.
bool replaces(storage::Transport& transport, const std::string& to, const std::string& from, comm::Comm& comm) {
  std::array<std::uint64_t, 1> is_same{0};
  comm::agree_at_root(comm, [&] {
    if (&transport != &storage::resolve(from) || transport.kind(to) != storage::PathKind::file) return;
    is_same[0] = storage::is_same_file(transport.open_read(to)->identity(), transport.open_read(from)->identity());
  });
  comm.all_reduce(is_same, comm::Reduce::max);
  return is_same[0] == 1;
}

}  // namespace

Report convert(const std::string& from, const std::string& to, const Communicator& communicator,
               const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  storage::Transport& transport = storage::resolve(to);
  const auto source =
      io::ScannedFile::open(storage::resolve(from), from, communicator, options.limits, io::Headers::read_twice);
  source->open_everywhere();
  const Catalog& catalog = source->catalog();
  const std::vector<Chosen> chosen = comm::agree(
      comm, [&] { return io::stated_conversion(from, to, options); },
      [&] { return check_conversion(transport, catalog, to, options); });
  require_structure(source, communicator, options);
  if (!options.dry_run) {
    ConvertOptions how = comm::agree(comm, [&] { return options; });
    // The only copy will be replaced: the new file is read back before that.
    if (replaces(transport, to, from, comm) && options.write.verify != Verify::none) {
      how.write.verify = Verify::read_back;
    }
    return convert_fields(transport, *source, chosen, to, communicator, how);
  }
  const ConvertOptions how = comm::agree(comm, [&] { return options; });
  Report report =
      comm::agree(comm, [&] { return dry_run_write(transport, catalog, chosen, to, communicator, options); });
  for (const Chosen& field : chosen) io::rehearse_part(*source, field.entry, field.part, communicator, how);
  return report;
}

}  // namespace lq
