// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench: benchmarks that verify what they moved and compare it with the raw limit of the same run.
#include "cli/bench.hpp"

#include <algorithm>
#include <charconv>
#include <memory>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/survey.hpp>

#include "base/json_writer.hpp"
#include "bench/result.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {

// lq bench parts.

namespace {

std::string table_of(const Parts& measured) {
  Table table({"PART", ">RANKS", ">BYTES", ">RATE", ">CALL", ">FASTEST", ">SLOWEST", ">FIRST"});
  for (const Part& part : measured.parts) {
    const auto calls = static_cast<double>(part.calls);
    const auto call = [&](double seconds) { return human_seconds(seconds / calls); };
    table.row({part.name, std::to_string(part.ranks), part.bytes > 0 ? base::human_bytes(part.bytes) : "-",
               part.bytes > 0 ? fmt::format("{:.2f} GB/s", part.bytes_per_second * 1e-9) : "-",
               call(part.seconds.median), call(part.seconds.min), call(part.seconds.max), call(part.seconds.first)});
  }
  return table.text();
}

// The result of the fit, in a sentence that can be compared with the table.
std::string fit_of(const Machine& m) {
  return fmt::format(
      "fitted: writing {:.2f} GB/s and {} per call, reading {:.2f} GB/s and {} per call; all ranks {:.2f} and {:.2f} "
      "GB/s",
      m.write_rate * 1e-9, human_seconds(m.write_call), m.read_rate * 1e-9, human_seconds(m.read_call),
      m.write_rate_total * 1e-9, m.read_rate_total * 1e-9);
}

std::string json_of(const Session& session, const std::string& path, const Parts& measured) {
  const std::uint64_t runs = measured.parts.empty() ? 0 : measured.parts.front().seconds.count;
  base::JsonWriter json;
  json.begin_object().key("environment").raw(bench::environment_json(session.mpi, path, static_cast<int>(runs)));
  put_parts(json, measured);
  return json.end_object().take();
}

}  // namespace

Parts measured_parts(Session& session, const std::string& folder, double seconds) {
  if (!(seconds > 0)) throw UsageError("--seconds: a positive number is expected");
  PartsOptions limits;
  limits.seconds = seconds;
  return measure_parts(session.communicator, folder, limits);
}

std::string parts_text(const Parts& measured) { return table_of(measured) + fit_of(measured.machine) + "\n"; }

void put_parts(base::JsonWriter& json, const Parts& measured) {
  // Results are published, and readers need not know whose machine it was.
  Machine machine = measured.machine;
  machine.name = "measured";
  json.member("kernels", measured.kernels).key("parts").begin_array();
  for (const Part& part : measured.parts) {
    json.begin_object().member("name", part.name).member("ranks", part.ranks).member("bytes", part.bytes);
    json.member("calls", part.calls).key("seconds").begin_object();
    json.member("min", part.seconds.min).member("median", part.seconds.median).member("max", part.seconds.max);
    json.member("first", part.seconds.first).member("count", part.seconds.count).end_object();
    json.member("bytes_per_second", part.bytes_per_second).end_object();
  }
  json.end_array().key("machine").raw(to_json(machine));
}

int bench_parts(Session& session, const BenchLattice& shared, double seconds) {
  const std::string& folder = shared.rounds.directory;
  const Parts measured = measured_parts(session, folder, seconds);
  save_json(session, shared.json, json_of(session, folder, measured));
  if (shared.json == "-") return fine;
  session.out.write(parts_text(measured));
  return fine;
}

namespace {

// If nothing was requested: one variant, the format's default.
std::vector<std::string> at_least_one(const std::vector<std::string>& asked) {
  return asked.empty() ? std::vector<std::string>{""} : asked;
}

std::uint64_t bytes_of(const std::string& text) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (text.empty() || (error == std::errc() && end == text.data() + text.size())) return bytes;
  throw UsageError(fmt::format("--alignment: \"{}\" is not a number of bytes", text));
}

}  // namespace

void BenchStorage::declare(Arguments& arguments) {
  arguments.texts("--format", "FORMAT", formats, "format of the file (default: ildg, or scidac); may be repeated");
  arguments.texts("--layout", "NAME", layouts, "layout of HDF5 files: native, qdp or qlua; may be repeated");
  arguments.texts("--dataset-chunk", "CHUNK", chunks,
                  "chunks of HDF5 files: \"slice\", extents such as 8x8x8x4, or \"none\" (default); may be repeated");
  arguments.texts("--filters", "FILTERS", filters,
                  "filters of HDF5 chunks, for example shuffle,deflate:6, or \"none\" (default); may be repeated");
  arguments.texts("--alignment", "BYTES", alignments, "alignment of the data, such as a stripe; may be repeated");
}

std::vector<WriteOptions> BenchStorage::ways(int dimensions) const {
  std::vector<WriteOptions> all(1);
  const auto each = [&](const std::vector<std::string>& asked, const auto& choose) {
    std::vector<WriteOptions> more;
    for (const WriteOptions& way : all) {
      for (const std::string& value : at_least_one(asked)) choose(more.emplace_back(way), value);
    }
    all = std::move(more);
  };
  each(formats, [&](WriteOptions& way, const std::string& format) {
    way.format = !format.empty() ? format : dimensions == 4 ? "ildg" : "scidac";
  });
  each(layouts, [](WriteOptions& way, const std::string& layout) { way.layout = layout; });
  each(chunks, [](WriteOptions& way, const std::string& chunk) { way.dataset_chunk = chunk == "none" ? "" : chunk; });
  each(filters, [](WriteOptions& way, const std::string& filter) { way.filters = filter == "none" ? "" : filter; });
  each(alignments, [](WriteOptions& way, const std::string& alignment) { way.route.alignment = bytes_of(alignment); });
  // Formats with one variant only are measured once; filters need chunks.
  std::vector<WriteOptions> possible;
  for (WriteOptions& way : all) {
    if (way.format != "hdf5") way.layout = way.dataset_chunk = way.filters = "";
    const auto is_same = [&](const WriteOptions& other) {
      return other.format == way.format && way.format != "hdf5" && other.route.alignment == way.route.alignment;
    };
    const bool lacks_chunks = !way.filters.empty() && way.dataset_chunk.empty();
    if (lacks_chunks || std::ranges::any_of(possible, is_same)) continue;
    possible.push_back(std::move(way));
  }
  if (possible.empty()) throw UsageError("--filters: filters work on chunks; also give --dataset-chunk");
  return possible;
}

std::string layout_text(const WriteOptions& options) {
  std::string text = options.layout;
  const auto add = [&](const std::string& more) { text += fmt::format("{}{}", text.empty() ? "" : ", ", more); };
  if (!options.dataset_chunk.empty()) add("chunks " + options.dataset_chunk);
  if (!options.filters.empty()) add(options.filters);
  return text;
}

namespace {

struct Bench {
  std::string what;
  BenchLattice lattice;
  BenchTasklocal tasklocal;
  BenchPfs pfs;
  double seconds = 10;

  int run(Session& session) {
    const EndsBySignals ending;  // the files of the measurements are removed
    lattice.settle(what == "pfs" ? BenchPfs::usual_rounds : BenchLattice::usual_rounds);
    const bool has_protocol = !lattice.protocol.empty();
    if (has_protocol && what != "lattice") throw UsageError("--protocol: applies to bench lattice only");
    if (!has_protocol && (lattice.read_only || lattice.keep_files || lattice.extent_bytes > 0)) {
      throw UsageError("--read-only, --keep-files and --extent-bytes: require --protocol grid");
    }
    if (has_protocol) return bench_grid(session, lattice);
    if (what == "overlap") return bench_overlap(session, lattice);
    if (what == "lattice") return lattice.run(session);
    if (what == "threads") return bench_threads(session, lattice);
    if (what == "tasklocal") return tasklocal.run(session, lattice);
    if (what == "pfs") return pfs.run(session, lattice, seconds);
    if (!lattice.json.empty() && lattice.json != "-") require_target(session, lattice.json, lattice.force);
    return bench_parts(session, lattice, seconds);
  }
};

}  // namespace

Run declare_bench(Arguments& arguments) {
  const auto bench = std::make_shared<Bench>();
  arguments.word("WHAT", bench->what,
                 "lattice: a gauge field written and read; overlap: written in the background of a compute loop; "
                 "threads: written, read and verified by 1, 2, 4, ... threads per rank; parts: memory, checksums, "
                 "storage and messages, measured separately; tasklocal: a stream per task, in one file "
                 "each and in multifiles; pfs: a parallel file system under a growing number of clients",
                 {"lattice", "overlap", "threads", "parts", "tasklocal", "pfs"});
  bench->lattice.declare(arguments);
  bench->tasklocal.declare(arguments);
  bench->pfs.declare(arguments);
  arguments.number("--seconds", bench->seconds, "time limit of the measurement of the parts, also in pfs (default 10)");
  return [bench](Session& session) { return bench->run(session); };
}

}  // namespace lq::cli
