// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq generate: a thermalised pure gauge configuration, as real data for trying things.
#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/json.hpp>
#include <limequat/physics.hpp>
#include <limequat/version.hpp>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {
namespace {

constexpr const char* provenance = "xlf-info";

bool states_provenance(const Metadata& metadata) {
  return std::ranges::any_of(metadata, [](const auto& text) { return text.first == provenance; });
}

struct Generate {
  std::string path;
  Extents lattice;
  std::string group = "su3";
  GenerateOptions options;
  WriteArguments write;

  int colors() const { return group == "su2" ? 2 : 3; }

  int make(Session& session) const {
    if (lattice.size() == 0) throw UsageError("--lattice is missing: which lattice? For example --lattice 8x8x8x16");
    const Grid grid(session.communicator, lattice, write.grid_options());
    WriteOptions write_options = write.options;
    write_options.route.threads = options.threads;
    require_target(session, path, write_options.overwrite);
    const std::uint64_t bytes = file_bytes(grid);
    dry_run_write(session, path, gauge_spec(Precision::double_, colors()), lattice, write_options);
    const bool has_place = has_place_for_provenance(session, write_options);
    if (write.dry_run) return announce(session, grid, bytes);

    std::vector<double> links = allocate(session, grid);
    const MutableField field = gauge(links, {.colors = colors()});
    thermalise(session, grid, field);
    const Physics physics = measure(grid, field, options.threads);
    if (has_place) add_provenance(write_options.metadata, physics);
    print(session, lq::write(path, grid, field, write_options), physics);
    return fine;
  }

  // The size of the links in the file.
  std::uint64_t file_bytes(const Grid& grid) const {
    const std::uint64_t word = write.options.precision == Precision::single ? 4 : 8;
    const std::uint64_t site_bytes = static_cast<std::uint64_t>(lattice.size() * 2 * colors() * colors()) * word;
    constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
    if (grid.volume() <= limit / site_bytes) return grid.volume() * site_bytes;
    throw Error(Code::too_large,
                fmt::format("{}: a lattice of {} with {} bytes per site exceeds the largest file size, 2^63 bytes",
                            path, to_string(lattice), site_bytes),
                {.path = path});
  }

  std::vector<double> allocate(const Session& session, const Grid& grid) const {
    std::vector<double> links;
    std::exception_ptr failure;
    const auto numbers = static_cast<std::uint64_t>(lattice.size() * 2 * colors() * colors());
    base::keep_failure(failure, [&] { links.resize(static_cast<std::size_t>(grid.local_volume() * numbers)); });
    session.communicator.agree(failure);
    return links;
  }

  void thermalise(const Session& session, const Grid& grid, const MutableField& field) const {
    ProgressBar bar(session, "sweeps");
    GenerateOptions with_news = options;
    with_news.after_sweep = [&](int sweep, const Field& links) {
      if (session.verbose) {
        const Plaquette now = plaquette(grid, links);
        bar.clear();
        session.remark(fmt::format("sweep {} of {}: plaquette {:.8f}", sweep, options.sweeps, now.average));
      }
      bar.show(static_cast<std::uint64_t>(sweep), static_cast<std::uint64_t>(options.sweeps));
    };
    lq::generate(grid, field, with_news);
  }

  // Formats of other programs may have no place for a text that nobody asked for.
  bool has_place_for_provenance(Session& session, WriteOptions with_text) const {
    if (states_provenance(with_text.metadata)) return true;
    with_text.metadata.emplace_back(provenance, "beta = 1");
    try {
      dry_run_write(session, path, gauge_spec(Precision::double_, colors()), lattice, with_text);
      return true;
    } catch (const Error& error) {
      if (error.code() != Code::unsupported) throw;
    }
    session.complain(
        fmt::format("warning: {}: its format has no place for beta, seed and sweeps; they are not stored", path));
    return false;
  }

  // How the configuration was made, in the terms of tmLQCD where it has some.
  void add_provenance(Metadata& metadata, const Physics& physics) const {
    if (states_provenance(metadata)) return;
    metadata.emplace_back(
        provenance, fmt::format("plaquette = {:14.12f}\n trajectory nr = {}\n beta = {:.12f}\n group = {}\n "
                                "over_relaxation = {}\n seed = {}\n start = {}\n creator = limequat {}\n",
                                physics.plaquette.average, options.sweeps, options.beta, group, options.over_relaxation,
                                options.seed, options.hot_start ? "hot" : "cold", version()));
  }

  int announce(Session& session, const Grid& grid, std::uint64_t bytes) const {
    if (session.json) {
      session.out.object("path", path, "dry_run", true, "lattice", lattice, "grid", grid.processes(), "bytes", bytes);
    } else {
      session.out.line(
          fmt::format("{}: would hold {} of gauge field, {} SU({}), made on process grid {}; nothing was "
                      "written",
                      path, base::human_bytes(bytes), to_string(lattice), colors(), to_string(grid.processes())));
    }
    return fine;
  }

  void print(Session& session, const Report& report, const Physics& physics) const {
    if (session.json) {
      base::JsonWriter json;
      json.begin_object().raw_members(to_json(report)).member("dry_run", false).member("beta", options.beta);
      json.member("group", group).member("sweeps", options.sweeps).member("seed", options.seed);
      session.out.line(json.key("physics").raw(to_json(physics)).end_object().take());
      return;
    }
    if (!session.quiet) {
      session.out.line(fmt::format("{}: {}, {} {}, {} precision, {}, {}", path, report.format, to_string(lattice),
                                   describe(report.spec), name(report.spec.precision), base::human_bytes(report.bytes),
                                   checksum_text(report)));
      session.out.line(fmt::format("  plaquette {:.8f} (spatial {:.8f}, temporal {:.8f}), link trace {:.8f}",
                                   physics.plaquette.average, physics.plaquette.spatial, physics.plaquette.temporal,
                                   physics.link_trace));
    }
    session.remark(report.summary());
  }
};

}  // namespace

Run declare_generate(Arguments& arguments) {
  const auto generate = std::make_shared<Generate>();
  arguments.file("OUT", generate->path, "file to write; its suffix picks the format");
  arguments.extents("--lattice", "LATTICE", generate->lattice, "extents x, y, z, t, such as 8x8x8x16");
  declare_options(arguments, "generate", "GenerateOptions", generate->options);
  arguments.text("--group", "GROUP", generate->group, "gauge group (default su3)", {"su2", "su3"});
  generate->write.options.measure = true;
  generate->write.declare(arguments, "generate");
  arguments.flag("--dry-run", generate->write.dry_run, "check everything, write nothing");
  return [generate](Session& session) {
    return for_target(session, std::string(generate->path), [&](const std::string& path) {
      generate->path = path;
      return generate->make(session);
    });
  };
}

}  // namespace lq::cli
