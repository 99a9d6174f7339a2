// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles that were not closed, or lost their end, made whole (include/limequat/repack.hpp).
#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/repack.hpp>

#include "format/findings.hpp"
#include "repack/infer.hpp"
#include "repack/set_writer.hpp"
#include "repack/source_set.hpp"

namespace lq {

RepackReport repair(const std::string& from, const std::string& to, const RepackOptions& options) {
  namespace sion = format::sion;
  if (options.unit < 1) {
    throw Error(Code::invalid_argument, fmt::format("{}: data come in units of at least 1 byte", from), {.path = from});
  }
  transport::Transport& transport = transport::posix();
  sion::Set set = repack::open_set(transport, from, options, true);
  if (set.is_whole()) {
    throw Error(Code::wrong_state, fmt::format("{}: nothing is to be repaired: the multifile is whole", from),
                {.path = from});
  }
  format::Findings findings;
  for (std::size_t k = 0; k < set.files().size(); ++k) {
    const sion::PhysicalFile& file = set.files()[k];
    if (file.has_table()) continue;
    const auto source = transport.open_read(file.path);
    set.set_table(static_cast<std::int32_t>(k), repack::infer_table(file, *source, options.unit, findings));
  }
  std::vector<repack::FilePlan> plans = repack::same_files(set, to);
  repack::require_other_files(set, plans);
  RepackReport report = repack::write_set(transport, std::move(plans), repack::streams_of(transport, set), options);
  report.findings = findings.take();
  return report;
}

}  // namespace lq
