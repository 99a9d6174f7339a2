// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion: scan of one format, plan of the other, tile by tile through bounded memory; both checksums are
// computed on the way.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "comm/agree.hpp"
#include "io/field_writer.hpp"
#include "io/local_box.hpp"
#include "io/merge_texts.hpp"
#include "io/read.hpp"
#include "io/scan.hpp"
#include "lattice/tiles.hpp"

namespace lq {

namespace {

// This rank's tiles of a field, from file to file.
struct TileCopy {
  transport::Transport& transport;
  const std::string& from;
  const Payload& source;
  Box region;
  pump::Tally& read;
  const Communicator& communicator;
  std::uint64_t writers;  // the first ranks
  const Progress& progress;

  void operator()(transport::File& file, const Payload& target, const pump::PumpOptions& options,
                  pump::Tally& written) const {
    const lattice::Tiles tiles(region, source.order, io::tile_bytes / source.spec.site_bytes());
    const auto rank = static_cast<std::uint64_t>(communicator.rank());
    if (rank >= writers) return;
    const lattice::Share mine = lattice::share_of(tiles.count(), writers, rank);
    const std::unique_ptr<transport::File> input = transport.open_read(from);
    std::vector<std::byte> memory;
    for (std::uint64_t i = mine.begin; i < mine.end; ++i) {
      const Box tile = tiles.tile(i);
      memory.resize(static_cast<std::size_t>(tile.volume() * source.spec.site_bytes()));
      io::read_box(*input, source, tile, source.spec.precision, memory.data(), read);
      Field field{.spec = source.spec, .data = memory.data()};
      pump::run(*pump::move_out(field, target, {target.extents, target.stored, target.order, tile, {}, tile}, file,
                                options, written));
      if (progress && communicator.is_root()) progress(i + 1 - mine.begin, mine.end - mine.begin);
    }
  }
};

void require_whole_lattice(const std::string& path, const FieldEntry& entry) {
  const Payload& payload = entry.payload;
  if (payload.stored == whole(payload.extents)) return;
  throw Error(Code::unsupported,
              fmt::format("{}: \"{}\" stores only the part {} of {}; only fields on the whole lattice can be converted",
                          path, entry.name, to_string(payload.stored.extents), to_string(payload.extents)),
              {.path = path, .record = entry.name});
}

// Everything that can be said before a byte is written.
void check_conversion(transport::Transport& transport, const Catalog& catalog, const std::string& to,
                      const WriteOptions& options) {
  catalog.require_sound();
  if (catalog.fields.empty()) (void)catalog.field();  // says what there is instead
  for (const FieldEntry& entry : catalog.fields) require_whole_lattice(catalog.path, entry);
  io::require_target(transport, to, options.overwrite);
}

io::FieldPlan plan_of(const Catalog& catalog, const FieldEntry& entry, const std::string& to,
                      const WriteOptions& options) {
  return {
      entry.name, entry.payload.spec, entry.payload.extents,
      io::merge_texts(catalog, entry,
                      io::target_format(to, options, entry.payload.spec, entry.payload.extents).for_fields(), options)};
}

// The report of a file of several fields: that of the last one, with the bytes and seconds of all.
void add_to(Report& total, Report&& field, const pump::Tally& read) {
  const std::uint64_t bytes = total.bytes + field.bytes;
  const StepSeconds before = total.seconds;
  total = std::move(field);
  total.bytes = bytes;
  total.seconds.pack += before.pack + read.pack_seconds;
  total.seconds.exchange += before.exchange;
  total.seconds.storage += before.storage + read.storage_seconds;
  total.seconds.total += before.total;
  if (total.zeros.sites == 0) total.zeros = read.zeros;
}

// Everything but the data.
Report rehearse(transport::Transport& transport, const Catalog& catalog, const std::string& to,
                const Communicator& communicator, const WriteOptions& options) {
  io::FieldWriter writer(transport, communicator, to, options);
  Report report;
  for (const FieldEntry& entry : catalog.fields) {
    add_to(report, writer.rehearse(plan_of(catalog, entry, to, options)), pump::Tally(entry.payload, {}));
  }
  writer.require_space();
  return report;
}

Report convert_fields(transport::Transport& transport, const Catalog& catalog, const std::string& to,
                      const Communicator& communicator, const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  io::FieldWriter writer(transport, communicator, to, options.write);
  // Tiles end anywhere. Where two writers must not share a block there is one.
  std::array<std::uint64_t, 1> single{transport.unit(to).single_owner ? 1U : 0U};
  comm.all_reduce(single, comm::Reduce::max);
  const std::uint64_t writers = single[0] == 1 ? 1 : static_cast<std::uint64_t>(comm.size());
  Report report;
  for (const FieldEntry& entry : catalog.fields) {
    const io::FieldPlan plan = comm::agree(comm, [&] { return plan_of(catalog, entry, to, options.write); });
    pump::Tally read = comm::agree(comm, [&] { return pump::Tally(entry.payload, io::sums_of(entry)); });
    const TileCopy copy{transport, catalog.path, entry.payload, entry.payload.stored,
                        read,      communicator, writers,       options.progress};
    const auto check = [&](const pump::Tally&) {
      read.reduce(comm);
      comm::agree_alike(comm, [&] {
        if (io::judge(entry, read, entry.payload.stored) == ChecksumStatus::mismatch) {
          throw io::mismatch_error(catalog, entry, read);
        }
      });
    };
    const io::FieldWriter::Sites tiles{
        [](const Payload&) { return true; },
        [&copy](transport::File* file, const Payload& target, const pump::PumpOptions& how, pump::Tally& written) {
          return comm::agree(copy.communicator.engine(), [&] {
            return pump::move_by([&copy, &target, &written, file, how] { copy(*file, target, how, written); });
          });
        }};
    add_to(report, writer.append(plan, tiles, check), read);
  }
  writer.commit(report);
  return report;
}

}  // namespace

Report convert(const std::string& from, const std::string& to, const Communicator& communicator,
               const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  transport::Transport& transport = transport::posix();
  const Catalog catalog = io::scan_file(transport, from, communicator, options.limits);
  io::require_same_request(comm, to, options.write, FieldSpec{}, from, options.write.metadata);
  comm::require_same(comm, options.dry_run ? "a dry run" : "the conversion itself", "what is asked of convert");
  comm::agree(comm, [&] { check_conversion(transport, catalog, to, options.write); });
  if (!options.dry_run) return convert_fields(transport, catalog, to, communicator, options);
  return comm::agree(comm, [&] { return rehearse(transport, catalog, to, communicator, options.write); });
}

}  // namespace lq
