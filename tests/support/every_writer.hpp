// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Everything of the library that writes files with several ranks, as a table, for tests that try each.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <limequat/limequat.hpp>

#include "support/contents.hpp"
#include "support/parts_here.hpp"

namespace lq::testing {

inline const Extents lattice_of_works{4, 4, 8, 8};

inline Grid grid_of(const Communicator& ranks, bool short_rows = true) {
  if (!short_rows || ranks.size() % 2 != 0) return Grid(ranks, lattice_of_works, {.idle_ranks = true});
  return Grid(ranks, lattice_of_works, {.processes = Extents{2, 1, 1, ranks.size() / 2}});
}

inline std::vector<double> links_in(const std::string& source, const Grid& grid) {
  std::vector<double> links(grid.local_volume() * 72);
  read(source, grid, gauge(links));
  return links;
}

// What writes a file, or several, at `to` out of a configuration.
struct Work {
  std::string name;
  std::function<void(const std::string& source, const std::string& to, const Communicator& ranks)> run;
  bool is_marked = false;  // with its name, or a number drawn at random: no two files are the same
  bool is_by_one = false;  // of the ranks one makes the call, which has no communicator
};
inline std::ostream& operator<<(std::ostream& out, const Work& work) { return out << work.name; }

inline WriteOptions how(const std::string& format, Strategy strategy = Strategy::automatic) {
  WriteOptions options;
  options.format = format;
  options.time_stamps = false;
  options.route.strategy = strategy;
  return options;
}

inline Work written(const std::string& name, const WriteOptions& options, bool short_rows = true) {
  return {"write_" + name, [=](const std::string& source, const std::string& to, const Communicator& ranks) {
            const Grid grid = grid_of(ranks, short_rows);
            const auto links = links_in(source, grid);
            write(to, grid, gauge(links), options);
          }};
}

inline Work converted(const std::string& name, const WriteOptions& options) {
  return {"convert_" + name, [=](const std::string& source, const std::string& to, const Communicator& ranks) {
            ConvertOptions converting;
            converting.write = options;
            convert(source, to, ranks, converting);
          }};
}

// Every checkpoint of a folder is valid, but for what killed jobs left of others.
inline bool are_valid(const std::string& folder) {
  const CheckpointList list = list_checkpoints(folder);
  return std::ranges::all_of(list.entries, [](const CheckpointEntry& entry) {
    using enum CheckpointState;
    return entry.state == valid || entry.state == leftover || entry.state == being_written;
  });
}

// A file that was made, by its own sums or, if it is a sidecar with parity, by the file that it protects.
inline bool is_sound(const std::string& made) {
  if (std::filesystem::is_directory(made)) return are_valid(made);
  constexpr std::string_view ending = ".lq-parity";
  if (!made.ends_with(ending)) return verify(made).ok;
  const ProtectReport report = protect({made.substr(0, made.size() - ending.size())}, Communicator(), {.check = true});
  return report.ok && !report.sidecars.empty();
}

inline Work copied(const std::string& name, std::uint64_t block_bytes, Verify verify) {
  return {"copy_" + name, [=](const std::string& source, const std::string& to, const Communicator& ranks) {
            CopyOptions options;
            options.block_bytes = block_bytes;
            options.verify = verify;
            copy({source}, to, ranks, options);
          }};
}

inline WriteOptions with(WriteOptions options, const std::function<void(WriteOptions&)>& change) {
  change(options);
  return options;
}

inline void write_fields(const std::string& source, const std::string& to, const Communicator& ranks) {
  const Grid grid = grid_of(ranks);
  const auto links = links_in(source, grid);
  Writer writer = create(to, grid, how("scidac"));
  writer.write_record("before", std::string(100'000, 'b'));
  writer.write("first", gauge(links));
  writer.write_record("between", "few");
  writer.write("second", gauge(links));
  writer.write_record("behind", std::string(300'000, 'e'));
  writer.close();
}

inline void write_modes(const std::string& source, const std::string& to, const Communicator& ranks) {
  const Grid grid = grid_of(ranks);
  const std::vector<double> links = links_in(source, grid);
  std::vector<double> vector;  // some numbers of each site
  for (std::size_t site = 0; site < grid.local_volume(); ++site) {
    const auto first = links.begin() + static_cast<std::ptrdiff_t>(72 * site);
    vector.insert(vector.end(), first, first + 24);
  }
  modes::Description description;
  description.lattice = lattice_of_works;
  description.room = 2;  // the index grows
  modes::Writer(to, grid, description).append(spinor(vector), {1});
  modes::Writer later(to, grid);
  for (int k = 2; k < 5; ++k) later.append(spinor(vector), {static_cast<double>(k)});
}

inline void convert_modes(const std::string& source, const std::string& to, const Communicator& ranks,
                          const char* format) {
  const std::string set = to + ".modes";
  write_modes(source, set, ranks);
  modes::ConvertOptions options;
  options.format = format;
  modes::convert(set, to, ranks, options);
}

// Calls that have no communicator: one rank makes them, the others wait.
inline Work by_one(const std::string& name, std::function<void(const std::string& source, const std::string& to)> run,
                   bool is_marked = false) {
  return {name,
          [=](const std::string& source, const std::string& to, const Communicator& ranks) {
            std::exception_ptr failure;
            try {
              if (ranks.is_root()) run(source, to);
            } catch (...) {
              failure = std::current_exception();
            }
            ranks.barrier();
            if (failure) std::rethrow_exception(failure);
          },
          is_marked, true};
}

// A checkpoint beside the configuration, the same for all.
inline void make_checkpoint(const std::string& source, const std::string& set) {
  const Grid grid(lattice_of_works);
  const auto links = links_in(source, grid);
  MultifileWriter writer(set, {}, {.streams = 3});
  for (std::size_t k = 0; k < writer.streams(); ++k) {
    writer.stream(k).write(std::string(10'000 * (k + 1), static_cast<char>('a' + k)));
  }
  writer.write_field("links", grid, gauge(links));
  writer.close();
}

// The same where it is read and written from: repack's calls look for both in one place.
inline std::string checkpoint_for(const std::string& source, const std::string& to) {
  namespace fs = std::filesystem;
  const std::string set = source + ".sion";
  if (!fs::exists(set)) make_checkpoint(source, set);
  for (const auto& entry : fs::directory_iterator(fs::path(source).parent_path())) {
    const std::string path = entry.path();
    if (!path.starts_with(set)) continue;
    // A program that was started twice reads what the other has put there: at no moment is a part of it there.
    const std::string copy = to + ".set" + path.substr(set.size()), own = copy + "." + std::to_string(::getpid());
    fs::copy_file(path, own, fs::copy_options::overwrite_existing);
    fs::rename(own, copy);
  }
  return to + ".set";
}

// The configuration with one letter of a record's type changed; at no moment is a part of it there.
inline std::string damaged(const std::string& source, const std::string& path) {
  std::string bytes = contents(source);
  bytes.at(bytes.find("ildg-binary-data")) ^= 1;
  const std::string own = path + "." + std::to_string(::getpid());
  put_contents(own, bytes);
  std::filesystem::rename(own, path);
  return path;
}

inline std::vector<Work> works() {
  std::vector<Work> all{
      written("direct_rows", how("ildg"), false),
      written("shared", how("ildg", Strategy::shared)),
      written("messages", how("nersc", Strategy::messages)),
      written("read_back", with(how("scidac"), [](WriteOptions& options) { options.verify = Verify::read_back; })),
      written("parts", with(how("scidac"), [](WriteOptions& options) { options.parts = "1x1x1x2"; })),
      {"write_protected",
       [](const std::string& source, const std::string& to, const Communicator& ranks) {
         const Grid grid = grid_of(ranks);
         write(to, grid, gauge(links_in(source, grid)),
               with(how("ildg"), [](WriteOptions& options) { options.protect = "10%"; }));
       },
       true},
      {"protect",
       [](const std::string& source, const std::string& to, const Communicator& ranks) {
         convert(source, to, ranks, {.write = how("ildg")});
         protect({to}, ranks, {.parity = "5%"});
         protect({to}, ranks, {.parity = "10%", .overwrite = true});
       },
       true},
      {"writer", write_fields},
      {"regions",
       [](const std::string& source, const std::string& to, const Communicator& ranks) {
         const Grid grid = grid_of(ranks);
         const auto links = links_in(source, grid);
         RegionWriter writer(to, grid, gauge_spec(Precision::double_), how("scidac"));
         if (grid.local_volume() != 0) writer.write(grid.local_box(), gauge(links));
         writer.close();
       }},
      {"copy_of_new",
       [](const std::string& source, const std::string& to, const Communicator& ranks) {
         convert(source, to + ".first", ranks, {.write = how("ildg")});
         copy({to + ".first"}, to, ranks, {});
       }},
      copied("default", CopyOptions{}.block_bytes, Verify::checksum),
      copied("aligned", 65536, Verify::read_back),
      copied("odd", 100'001, Verify::read_back),
      copied("odd_unread", 300'001, Verify::none),
      {"repartition_to_whole",
       [](const std::string& source, const std::string& to, const Communicator& ranks) {
         repartition(source, to + ".set", ranks, {.to = "t=block:2,x=cyclic:2"});
         repartition(to + ".set", to, ranks, {.to = "whole", .block_bytes = 300'000});
       }},
      {"unsqueeze",
       [](const std::string& source, const std::string& to, const Communicator& ranks) {
         squeeze(source, to + ".squeezed", ranks, {.verify = Verify::read_back});
         unsqueeze(to + ".squeezed", to, ranks, {.verify = Verify::read_back});
       }},
      {"squeeze",
       [](const std::string& source, const std::string& to, const Communicator& ranks) { squeeze(source, to, ranks); }},
      {"modes", write_modes},
      {"modes_defragmented", [](const std::string& source, const std::string& to,
                                const Communicator& ranks) { convert_modes(source, to, ranks, "modes"); }},
      {"modes_to_milc_like", [](const std::string& source, const std::string& to,
                                const Communicator& ranks) { convert_modes(source, to, ranks, "grid"); }},
      {"modes_to_quda", [](const std::string& source, const std::string& to,
                           const Communicator& ranks) { convert_modes(source, to, ranks, "quda"); }},
  };
  // On nodes first: each rank has one of its own.
  for (const bool is_on_nodes : {false, true}) {
    const auto save = [is_on_nodes](const std::string& source, const std::string& to, const Communicator& ranks) {
      const Grid grid = grid_of(ranks);
      const auto links = links_in(source, grid);
      const std::string stream(5000, 's');
      CheckpointContents contents;
      contents.streams = {std::as_bytes(std::span(stream))};
      contents.fields.push_back({"links", grid, gauge(links)});
      contents.state = {{"few", std::vector<std::byte>(40, std::byte{7})}};
      CheckpointsOptions options;
      if (is_on_nodes) options.local = to + ".set.node" + std::to_string(ranks.rank());
      Checkpoints checkpoints(to, ranks, options);
      for (const std::uint64_t step : {1U, 2U, 3U}) checkpoints.save(step, contents);
      checkpoints.wait();
    };
    all.push_back({is_on_nodes ? "checkpoints_drained" : "checkpoints", save, true});
  }
  all.push_back({"generate", [](const std::string&, const std::string& to, const Communicator& ranks) {
                   const Grid grid = grid_of(ranks);
                   std::vector<double> links(grid.local_volume() * 72);
                   generate(grid, gauge(links), {.sweeps = 1, .seed = 5});
                   write(to, grid, gauge(links), how("ildg"));
                 }});
  all.push_back(by_one(
      "pack", [](const std::string& source, const std::string& to) { pack(to, {source}); }, true));
  all.push_back(by_one("unpack", [](const std::string& source, const std::string& to) {
    unpack(source, std::filesystem::path(to).parent_path());
  }));
  all.push_back(by_one(
      "extract", [](const std::string& source, const std::string& to) { extract(source, "ildg-binary-data", 0, to); }));
  all.push_back(by_one("extract_field", [](const std::string& source, const std::string& to) {
    extract(checkpoint_for(source, to), "links", 0, to);
  }));
  all.push_back(by_one(
      "defragment",
      [](const std::string& source, const std::string& to) {
        defragment(checkpoint_for(source, to), to, {.checkpoint = false});
      },
      true));
  all.push_back(by_one(
      "defragment_checkpoint",
      [](const std::string& source, const std::string& to) { defragment(checkpoint_for(source, to), to); }, true));
  all.push_back(by_one(
      "rewrite", [](const std::string& source, const std::string& to) { rewrite(checkpoint_for(source, to), to); },
      true));
  all.push_back(by_one(
      "repair", [](const std::string& source, const std::string& to) { repair(damaged(source, to + ".set"), to); }));
  all.push_back(by_one("diagnose", [](const std::string& source, const std::string& to) {
    const Grid grid(lattice_of_works);  // of links that are not at random
    std::vector<double> links(grid.local_volume() * 72);
    generate(grid, gauge(links), {.sweeps = 1});
    write(source + ".links", grid, gauge(links),
          with(how("ildg"), [](WriteOptions& options) { options.overwrite = true; }));
    extract(source + ".links", "ildg-binary-data", 0, source + ".raw", {.overwrite = true});
    DiagnoseOptions options;
    options.lattice = to_string(lattice_of_works);
    options.rewrite = to + ".ildg";
    diagnose(source + ".raw", options);
  }));
  for (const char* format : {"ildg", "scidac", "nersc", "milc", "openqcd"})
    all.push_back(converted(format, how(format)));
  all.push_back(converted("single_read_back", with(how("ildg"), [](WriteOptions& options) {
                            options.precision = Precision::single;
                            options.verify = Verify::read_back;
                          })));
#ifdef LQ_HAVE_HDF5
  all.push_back(converted("hdf5", how("hdf5")));
  for (const char* filters : {"", "shuffle,deflate:1"}) {
    if (!testing::has_filters(filters)) continue;
    const auto chunks = with(how("hdf5"), [&](WriteOptions& options) {
      options.dataset_chunk = "slice";
      options.filters = filters;
    });
    const std::string name = *filters == '\0' ? "hdf5_chunks" : "hdf5_deflated";
    all.push_back(written(name, chunks));
    all.push_back(converted(name, chunks));
  }
#endif
  return all;
}

// A configuration at `path`, by one process.
inline void write_source(const std::string& path) {
  const Grid alone(lattice_of_works);
  std::vector<double> links(alone.local_volume() * 72);
  generate(alone, gauge(links), {.sweeps = 0, .hot_start = true});
  write(path, alone, gauge(links), how("ildg"));
}

// The files that a work made, by name, with their bytes, and its folders; without subfiles, whose names are others each
// time.
inline std::vector<std::pair<std::string, std::string>> files_made_in(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find(".set") != std::string::npos) continue;
    files.emplace_back(name, entry.is_directory() ? std::string() : contents(entry.path()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace lq::testing
