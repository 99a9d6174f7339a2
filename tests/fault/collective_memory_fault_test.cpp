// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k: allocation number k of one rank fails, alone, or with all behind it, in the collective calls beside
// those of one field: other formats, sets of modes, copies, sets of subfiles, views, checkpoints; and in the calls that
// one process makes alone. Claim: nobody waits for ever, and all ranks throw the same error or none.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <limequat/checkpoints.hpp>
#include <limequat/diagnose.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/modes.hpp>
#include <limequat/multifile.hpp>
#include <limequat/node_cache.hpp>
#include <limequat/partition.hpp>
#include <limequat/physics.hpp>
#include <limequat/protect.hpp>
#include <limequat/region_writer.hpp>
#include <limequat/repack.hpp>
#include <limequat/repartition.hpp>
#include <limequat/staging.hpp>
#include <limequat/view.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "support/checkpoint_contents.hpp"
#include "support/formula_field.hpp"
#include "support/memory_fault.hpp"
#include "support/node_part.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

using testing::MemoryFaults;

const Extents lattice{2, 2, 2, 6};
constexpr int ranks = 3;

constexpr char ildg[] = "ildg", nersc[] = "nersc", milc[] = "milc", openqcd[] = "openqcd", hirep[] = "hirep",
               raw[] = "raw", qlattice[] = "qlattice", scidac[] = "scidac", own_format[] = "modes", quda[] = "quda",
               grid_format[] = "grid";

// Files of a scenario: what is read, and a folder for what is written, which is empty at each try.
struct Paths {
  std::string from, to;
};
using Work = std::function<void()>;

struct Scenario {
  const char* name;
  void (*prepare)(const Paths& paths);  // the file that is read
  // What a rank does, with all that the program itself has.
  Work (*make)(const Communicator& all, const Paths& paths);
  int stride = 1;  // LQ_ALL: 1
};

Grid grid_of(const Communicator& all) { return Grid(all, lattice, {.processes = Extents{1, 1, 1, all.size()}}); }
std::shared_ptr<std::vector<double>> numbers(const Grid& grid, std::size_t of_site) {
  return std::make_shared<std::vector<double>>(testing::formula_sites<double>(grid, of_site));
}

void nothing(const Paths&) {}

// What is tried thousands of times does not wait for a disk.
WriteOptions unsynced(const char* format) {
  WriteOptions options;
  options.format = format;
  options.sync = Sync::none;
  return options;
}

template <const char* format>
Work write_as(const Communicator& all, const Paths& paths) {
  return [grid = grid_of(all), to = paths.to, values = numbers(grid_of(all), 72), options = unsynced(format)] {
    write(to, grid, gauge(*values), options);
  };
}

template <const char* format>
void prepare_as(const Paths& paths) {
  const Grid grid(lattice);
  const auto values = numbers(grid, 72);
  write(paths.from, grid, gauge(*values), unsynced(format));
}

Work read_field(const Communicator& all, const Paths& paths) {
  return [grid = grid_of(all), from = paths.from, values = numbers(grid_of(all), 72)] {
    read(from, grid, gauge(*values));
  };
}

void write_parts(const Paths& paths) {
  const Grid grid(lattice);
  const auto values = numbers(grid, 72);
  WriteOptions options = unsynced("scidac");
  options.parts = "1x1x1x3";
  write(paths.from, grid, gauge(*values), options);
}

Work read_parts(const Communicator& all, const Paths& paths) { return read_field(all, {paths.from + ".vol0000", {}}); }

Work write_in_parts(const Communicator& all, const Paths& paths) {
  WriteOptions options = unsynced("scidac");
  options.parts = "1x1x1x3";
  return [grid = grid_of(all), to = paths.to, values = numbers(grid_of(all), 72), options] {
    write(to, grid, gauge(*values), options);
  };
}

modes::Description description(modes::Storage storage, std::uint64_t basis) {
  modes::Description what;
  what.lattice = lattice;
  what.storage = storage;
  what.operator_name = "an operator whose name is too long for a string without memory";
  what.room = 1;
  what.coherence = {basis, Extents{2, 2, 2, 2}, 0.9};
  return what;
}

template <modes::Storage storage, std::uint64_t basis>
Work write_modes(const Communicator& all, const Paths& paths) {
  const auto values = numbers(grid_of(all), 24);
  return [grid = grid_of(all), to = paths.to, values, what = description(storage, basis),
          fields = std::vector<Field>(2, spinor(*values)),
          known = std::vector<modes::Mode>(2)] { modes::write(to, grid, what, fields, known); };
}

template <modes::Storage storage, std::uint64_t basis>
void prepare_modes(const Paths& paths) {
  const Grid grid(lattice);
  const auto values = numbers(grid, 24);
  modes::write(paths.from, grid, description(storage, basis), std::vector<Field>(2, spinor(*values)),
               std::vector<modes::Mode>(2));
}

Work append_mode(const Communicator& all, const Paths& paths) {
  const auto values = numbers(grid_of(all), 24);
  return [grid = grid_of(all), from = paths.from, values, field = Field(spinor(*values)), mode = modes::Mode(),
          options = unsynced("")] { modes::Writer(from, grid, options).append(field, mode); };
}

Work read_modes(const Communicator& all, const Paths& paths) {
  const auto values = numbers(grid_of(all), 24);
  return [grid = grid_of(all), all, from = paths.from, values] {
    const modes::Set set(from, all);
    set.read(1, grid, spinor(*values));
    set.read(0, grid, spinor(*values));
  };
}

Work read_modes_ahead(const Communicator& all, const Paths& paths) {
  const auto one = numbers(grid_of(all), 24), other = numbers(grid_of(all), 24);
  return [grid = grid_of(all), all, from = paths.from, one, other] {
    const modes::Set set(from, all);
    std::vector<MutableField> buffers;
    std::exception_ptr failure;
    base::keep_failure(failure, [&] { buffers = {spinor(*one), spinor(*other)}; });
    all.agree(failure);
    ReadAhead ahead = set.read_ahead(0, 2, grid, std::move(buffers));
    while (ahead.next()) {
    }
  };
}

template <const char* format>
Work convert_modes(const Communicator& all, const Paths& paths) {
  modes::ConvertOptions options;
  options.format = format;
  return [all, paths, options] { modes::convert(paths.from, paths.to, all, options); };
}

// Of another program.
template <const char* format>
void prepare_vectors(const Paths& paths) {
  const std::string own = paths.from + ".modes";
  prepare_modes<modes::Storage::double_, 0>({own, {}});
  modes::ConvertOptions options;
  options.format = format;
  modes::convert(own, paths.from, {}, options);
}

Work verify_modes(const Communicator& all, const Paths& paths) {
  return [all, paths] { modes::verify(paths.from, all); };
}

Work copy_file(const Communicator& all, const Paths& paths) {
  CopyOptions options;
  options.block_bytes = 4096;
  options.sync = Sync::none;
  return [all, from = std::vector<std::string>{paths.from}, to = paths.to, options] { copy(from, to, all, options); };
}

Work repartition_file(const Communicator& all, const Paths& paths) {
  RepartitionOptions options;
  options.to = "t=block:3";
  options.block_bytes = 4096;
  options.sync = Sync::none;
  return [all, paths, options] { repartition(paths.from, paths.to, all, options); };
}

template <bool writes>
Work use_view(const Communicator& all, const Paths& paths) {
  ViewOptions options;
  options.writable = true;
  const auto view = std::make_shared<View>(paths.from, "x=cyclic:3", static_cast<std::uint64_t>(all.rank()), options);
  const auto bytes = std::make_shared<std::vector<std::byte>>(view->size());
  view->read_at(0, *bytes);
  return [all, view, bytes] {
    if (writes) {
      view->write_all(*bytes, all);
    } else {
      view->read_all(*bytes, all);
    }
  };
}

Work inspect_file(const Communicator& all, const Paths& paths) {
  return [all, paths] { inspect(paths.from, all); };
}

Work open_node_cache(const Communicator& all, const Paths& paths) {
  return [all, paths] {
    const NodeCache cache(paths.from, all, {.bytes = 1 << 20, .block_bytes = 4096});
    all.barrier();
  };
}

// The part of rank 0 on a node is lost, and restored from the parity of the others.
Work restore_part_on_node(const Communicator& all, const Paths& paths) {
  const std::string folder = std::filesystem::path(paths.to).parent_path();
  const auto part = std::make_shared<sets::NodePart>(
      testing::make_node_part(folder + "/part-" + std::to_string(all.rank()), all.rank(), 1, 3000));
  const auto kept = std::make_shared<sets::CheckpointDirectory>(folder + "/parity-" + std::to_string(all.rank()));
  kept->make();
  const auto own = std::make_shared<sets::CheckpointDirectory>(part->folder);
  return [all, part, kept, own] {
    comm::Comm& comm = all.engine();
    constexpr std::array<int, ranks> group{0, 1, 2};
    sets::write_parity(comm, group, 1, *part, *kept);
    std::map<std::uint64_t, sets::NodePart> parts;
    std::vector<sets::NodePart> parity;
    comm::agree(comm, [&] {
      if (comm.rank() == 0) return;
      parts[static_cast<std::uint64_t>(comm.rank())] = *part;
      for (sets::Listed& one : kept->list().checkpoints) {
        parity.push_back({kept->path(), one.name, std::move(one.manifest)});
      }
    });
    const std::string name = sets::restore_parts(comm, std::array<std::uint64_t, 1>{0}, parts, parity, *own);
    EXPECT_EQ(name.empty(), comm.rank() != 0);
  };
}

Work write_protected(const Communicator& all, const Paths& paths) {
  WriteOptions options = unsynced(ildg);
  options.protect = "10%";
  return [grid = grid_of(all), to = paths.to, values = numbers(grid_of(all), 72), options] {
    write(to, grid, gauge(*values), options);
  };
}

Work convert_file(const Communicator& all, const Paths& paths) {
  ConvertOptions options;
  options.write = unsynced("nersc");
  options.accept_damage = true;
  options.allow_loss = true;
  return [all, paths, options] { convert(paths.from, paths.to, all, options); };
}

Work diff_file(const Communicator& all, const Paths& paths) {
  return [all, paths] { diff(paths.from, paths.from, all); };
}

Work write_regions(const Communicator& all, const Paths& paths) {
  const Grid grid = grid_of(all);
  return [grid, all, to = paths.to, values = numbers(grid, 72), options = unsynced("scidac")] {
    RegionWriter writer(to, grid, gauge_spec(Precision::double_), options);
    std::exception_ptr failure;  // a region is a rank's own affair
    base::keep_failure(failure, [&] { writer.write(grid.local_box(), gauge(*values)); });
    all.agree(failure);
    writer.close();
  };
}

// Links that are in the group.
std::shared_ptr<std::vector<double>> cold_links(const Grid& grid) {
  auto values = std::make_shared<std::vector<double>>(grid.local_volume() * 72);
  for (std::size_t i = 0; i < values->size(); i += 18) (*values)[i] = (*values)[i + 8] = (*values)[i + 16] = 1;
  return values;
}

Work observe_field(const Communicator& all, const Paths&) {
  const Grid grid = grid_of(all);
  return [grid, values = cold_links(grid)] {
    observables(grid, gauge(*values), {.flow_steps = 1});
    charge_density(grid, gauge(*values));
    plaquette_density(grid, gauge(*values));
  };
}

Work protect_file(const Communicator& all, const Paths& paths) {
  return [all, from = std::vector<std::string>{paths.from}] {
    ProtectOptions options;
    options.overwrite = true;
    options.sync = Sync::none;
    protect(from, all, options);
  };
}

CheckpointsOptions on_node(const Communicator& all, const Paths& paths) {
  CheckpointsOptions options;
  options.local = paths.to + ".node" + std::to_string(all.rank() / 2);
  return options;
}

template <bool is_local>
Work save_checkpoint(const Communicator& all, const Paths& paths) {
  const auto contents = std::make_shared<testing::StepContents>(all, lattice, 7);
  const CheckpointsOptions options = is_local ? on_node(all, paths) : CheckpointsOptions();
  return [all, to = paths.to, contents, options] {
    Checkpoints checkpoints(to, all, options);
    checkpoints.save(7, contents->contents);
    checkpoints.wait();
  };
}

void prepare_checkpoints(const Paths& paths) {
  Checkpoints checkpoints(paths.from);
  for (const std::uint64_t step : {1U, 2U}) {
    const testing::StepContents contents({}, lattice, step);
    checkpoints.save(step, contents.contents);
  }
}

Work load_checkpoint(const Communicator& all, const Paths& paths) {
  return [all, paths] {
    Checkpoints checkpoints(paths.from, all);
    const auto found = checkpoints.load_newest();
    EXPECT_TRUE(!found || found->step() == 2U);
    checkpoints.prune();
  };
}

// What one process does alone.

// A checkpoint, or streams without records.
template <bool is_checkpoint>
void prepare_streams(const Paths& paths) {
  const Grid grid(lattice);
  const auto values = numbers(grid, 72);
  const std::string set = is_checkpoint ? paths.from : paths.from + ".set";
  MultifileWriter writer(set, {}, {.streams = 2});
  for (std::size_t k = 0; k < 2; ++k) writer.stream(k).write(std::string(3000, static_cast<char>('a' + k)));
  writer.write_field("links", grid, gauge(*values));
  writer.close();
  if (!is_checkpoint) defragment(set, paths.from, {.checkpoint = false});
}

// A letter of a record's type is another one.
void prepare_damaged(const Paths& paths) {
  prepare_as<ildg>(paths);
  std::string bytes = testing::contents(paths.from);
  bytes.at(bytes.find("ildg-binary-data")) ^= 1;
  testing::put_contents(paths.from, bytes);
}

RepackOptions unsynced_copy() {
  RepackOptions options;
  options.sync = Sync::none;
  return options;
}

Work pack_file(const Communicator&, const Paths& paths) {
  return [to = paths.to, from = std::vector<std::string>{paths.from, paths.from}, options = unsynced_copy()] {
    pack(to, from, options);
  };
}
Work unpack_file(const Communicator&, const Paths& paths) {
  return [paths, options = unsynced_copy()] { unpack(paths.from, paths.to, options); };
}
Work extract_links(const Communicator&, const Paths& paths) {
  return [paths, options = unsynced_copy()] { extract(paths.from, "links", 0, paths.to, options); };
}
template <auto call>
Work write_anew(const Communicator&, const Paths& paths) {
  return [paths, options = unsynced_copy()] { call(paths.from, paths.to, options); };
}

Work ask_about_file(const Communicator&, const Paths& paths) {
  return [paths] {
    std::uint64_t count = 0;
    read_record(paths.from, "ildg-format", 0, [&](const void*, std::uint64_t bytes) { count += bytes; });
    explain(paths.from);
    validate(paths.from);
    partitioned_file(paths.from);
    read_site(paths.from, Coord{});
  };
}
Work ask_about_set(const Communicator&, const Paths& paths) {
  return [paths] {
    verify_multifile(paths.from);
    repair_multifile(paths.from);
  };
}
Work list_folder(const Communicator&, const Paths& paths) {
  return [paths] { list_checkpoints(paths.from); };
}
Work diagnose_file(const Communicator&, const Paths& paths) {
  return [paths] { diagnose(paths.from, {.lattice = "2x2x2x6"}); };
}

struct Fault {
  int ranks;
  int rank;
  bool for_good;
};

class CollectiveCalls : public ::testing::TestWithParam<std::tuple<Scenario, Fault>> {};

TEST_P(CollectiveCalls, EndOnAllRanksWhereMemoryRunsOutOnOne) {
  const auto& [scenario, fault] = GetParam();
  const testing::ScratchDirectory directory;
  const Paths paths{directory / "a file whose name is too long for a string without memory",
                    directory / "to/another file whose name is too long for a string without memory"};
  scenario.prepare(paths);
  const std::string folder = std::filesystem::path(paths.to).parent_path();
  std::filesystem::create_directory(folder);
  const bool is_all = std::getenv("LQ_ALL") != nullptr;
  MemoryFaults faults(fault.ranks, fault.rank, fault.for_good, is_all ? 1 : scenario.stride);
  const bool is_there = std::filesystem::is_regular_file(paths.from);
  const std::string before = is_there ? testing::contents(paths.from) : std::string();
  while (faults.next([&, &scenario = scenario](const Communicator& all) { return scenario.make(all, paths); })) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    if (is_there) testing::put_contents(paths.from, before);
    ASSERT_FALSE(HasFailure()) << "allocation " << faults.allocations() - 1;
  }
  EXPECT_GE(faults.failures(), 3);
}

std::string name_of(const ::testing::TestParamInfo<CollectiveCalls::ParamType>& info) {
  const auto& [scenario, fault] = info.param;
  return std::string(scenario.name) + "_rank" + std::to_string(fault.rank) + (fault.for_good ? "_for_good" : "_once");
}

using modes::Storage;
INSTANTIATE_TEST_SUITE_P(
    OnOneRank, CollectiveCalls,
    ::testing::Combine(
        ::testing::Values(
            Scenario{"Write_nersc", nothing, write_as<nersc>}, Scenario{"Read_nersc", prepare_as<nersc>, read_field},
            Scenario{"Write_milc", nothing, write_as<milc>}, Scenario{"Read_milc", prepare_as<milc>, read_field},
            Scenario{"Write_openqcd", nothing, write_as<openqcd>}, Scenario{"Write_hirep", nothing, write_as<hirep>},
            Scenario{"Write_raw", nothing, write_as<raw>}, Scenario{"Write_qlattice", nothing, write_as<qlattice>},
            Scenario{"WriteParts", nothing, write_in_parts}, Scenario{"ReadParts", write_parts, read_parts},
            Scenario{"WriteModes", nothing, write_modes<Storage::single, 0>},
            Scenario{"WriteFixedModes", nothing, write_modes<Storage::fixed16, 0>},
            Scenario{"WriteCoherentModes", nothing, write_modes<Storage::single, 1>},
            Scenario{"AppendMode", prepare_modes<Storage::single, 0>, append_mode},
            Scenario{"AppendCoherentMode", prepare_modes<Storage::single, 1>, append_mode},
            Scenario{"ReadModes", prepare_modes<Storage::single, 0>, read_modes},
            Scenario{"ReadCoherentModes", prepare_modes<Storage::fixed16, 1>, read_modes},
            Scenario{"ReadModesAhead", prepare_modes<Storage::single, 0>, read_modes_ahead},
            Scenario{"ConvertModes", prepare_modes<Storage::single, 1>, convert_modes<own_format>},
            Scenario{"ExportToQuda", prepare_modes<Storage::single, 0>, convert_modes<quda>},
            Scenario{"ExportToGrid", prepare_modes<Storage::single, 0>, convert_modes<grid_format>},
            Scenario{"ReadFromQuda", prepare_vectors<quda>, read_modes},
            Scenario{"ImportFromGrid", prepare_vectors<grid_format>, convert_modes<own_format>},
            Scenario{"VerifyModes", prepare_modes<Storage::single, 1>, verify_modes},
            Scenario{"Copy", prepare_as<ildg>, copy_file}, Scenario{"Repartition", prepare_as<ildg>, repartition_file},
            Scenario{"ReadView", prepare_as<ildg>, use_view<false>},
            Scenario{"WriteView", prepare_as<ildg>, use_view<true>},
            Scenario{"Inspect", prepare_as<scidac>, inspect_file},
            Scenario{"NodeCache", prepare_as<ildg>, open_node_cache},
            Scenario{"RestorePartOnNode", nothing, restore_part_on_node, 3},
            Scenario{"Convert", prepare_as<ildg>, convert_file}, Scenario{"Diff", prepare_as<ildg>, diff_file},
            Scenario{"RegionWriter", nothing, write_regions}, Scenario{"Observables", nothing, observe_field},
            Scenario{"Protect", prepare_as<ildg>, protect_file}, Scenario{"WriteProtected", nothing, write_protected},
            Scenario{"SaveCheckpoint", nothing, save_checkpoint<false>, 5},
            Scenario{"SaveOnNodes", nothing, save_checkpoint<true>, 23},
            Scenario{"LoadCheckpoint", prepare_checkpoints, load_checkpoint, 3}),
        ::testing::Values(Fault{ranks, 0, false}, Fault{ranks, 1, true})),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Alone, CollectiveCalls,
    ::testing::Combine(::testing::Values(Scenario{"Pack", prepare_as<ildg>, pack_file},
                                         Scenario{"Unpack", prepare_as<ildg>, unpack_file},
                                         Scenario{"UnpackCheckpoint", prepare_streams<true>, unpack_file},
                                         Scenario{"Extract", prepare_streams<true>, extract_links},
                                         Scenario{"Defragment", prepare_streams<true>, write_anew<defragment>},
                                         Scenario{"DefragmentStreams", prepare_streams<false>, write_anew<defragment>},
                                         Scenario{"Rewrite", prepare_streams<true>, write_anew<rewrite>},
                                         Scenario{"Repair", prepare_damaged, write_anew<repair>},
                                         Scenario{"Questions", prepare_as<ildg>, ask_about_file},
                                         Scenario{"QuestionsToSets", prepare_streams<true>, ask_about_set},
                                         Scenario{"ListCheckpoints", prepare_checkpoints, list_folder},
                                         Scenario{"Diagnose", prepare_as<raw>, diagnose_file}),
                       ::testing::Values(Fault{1, 0, false}, Fault{1, 0, true})),
    name_of);

}  // namespace
}  // namespace lq
