// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/convert_part.hpp"

#include <cstddef>
#include <iterator>
#include <vector>

#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "io/judgement.hpp"
#include "io/nature.hpp"
#include "io/read.hpp"
#include "io/source_check.hpp"
#include "io/verdict.hpp"
#include "io/verify.hpp"
#include "io/write.hpp"
#include "storage/forwarding.hpp"

namespace lq::io {

namespace {

// Collective. No sum covers the part: a flipped bit of it shows in those of the whole field.
void require_sound(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                   const ConvertOptions& options) {
  VerifyOptions how;
  how.limits = options.limits;
  how.threads = options.write.route.threads;
  how.physics = Measure::never;
  const Verification examined = verify(transport, path, communicator, how);
  if (examined.ok) return;
  std::vector<Finding> errors;
  add_untold_errors(errors, examined);
  require_error(errors, examined, {.severity = Severity::error, .message = path + ": its data are not proven"});
  throw Error(Code::checksum_mismatch, errors.front().message, {.path = path, .record = errors.front().record});
}

}  // namespace

Report convert_part(FieldWriter& writer, storage::Transport& transport, const std::string& to, const std::string& name,
                    const Metadata& texts, ScannedFile& source, const FieldEntry& entry, const Box& part,
                    const Communicator& communicator, const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  const Catalog& catalog = source.catalog();
  const FieldSpec& spec = entry.payload.spec;
  const Grid grid(communicator, part.extents, {.idle_ranks = true});
  std::vector<std::byte> sites = comm::agree(
      comm, [&] { return std::vector<std::byte>(static_cast<std::size_t>(grid.local_volume() * spec.site_bytes())); });
  const MutableField local{.spec = spec, .data = sites.data(), .available = grid.local_volume() * spec.numbers};
  const bool verifies = options.write.verify != Verify::none;
  storage::TwiceRead twice(source.files());
  const bool is_covered = !verifies || sums_see_every_bit(entry);
  ReadOptions reading = comm::agree(comm, [&] {
    ReadOptions how;
    how.region = part;
    how.verify = verifies ? Verify::checksum : Verify::none;
    how.limits = options.limits;
    how.route = options.write.route;
    how.block_bytes = options.write.block_bytes;
    return how;
  });
  const Report read = read_listed(is_covered ? static_cast<storage::Transport&>(source.files()) : twice, catalog, entry,
                                  grid, local, reading);
  if (verifies && read.status == ChecksumStatus::unchecked) {
    require_sound(source.files(), catalog.path, communicator, options);
  }
  comm::agree(comm, [&] { require_undamaged(catalog, entry, read.warnings, options.accept_damage); });
  Report report = append_field(writer, transport, grid, to, name, local, texts, options.write);
  comm::agree_alike(comm,
                    [&] { report.warnings.insert(report.warnings.end(), read.warnings.begin(), read.warnings.end()); });
  return report;
}

}  // namespace lq::io
