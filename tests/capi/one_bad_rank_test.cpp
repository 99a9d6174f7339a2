// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every collective function of the C interface with something wrong on one rank of several: all of them get the error
// of that rank, and none waits for another for ever. A function that the library exports is in one of the tables here.
#include <gtest/gtest.h>
#include <limequat_mpi.h>

#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "mpi/harness.hpp"

namespace lq::testing {
namespace {

constexpr std::array<std::int64_t, 4> lattice{4, 2, 2, 4};
constexpr std::size_t local_sites = 32 /* at most */, gauge_numbers = 72, spinor_numbers = 24;
constexpr int bad_rank = 1;

bool is_bad() { return world_rank() == bad_rank; }
template <class T>
T right(T value, T wrong = {}) {
  return is_bad() ? wrong : value;
}

// Options of the right size, but on one rank.
template <class Options>
struct Given {
  explicit Given(lq_status (*init)(Options*, std::size_t), const lq_communicator* communicator = nullptr) {
    init(&options, sizeof options);
    if constexpr (requires { options.communicator; }) options.communicator = communicator;
    if (is_bad()) options.struct_size = 1;
  }
  const Options* operator&() const { return &options; }
  Options options;
};

// What the calls need, open on all ranks.
struct There {
  There() {
    lq_grid_options options;
    lq_grid_options_init(&options, sizeof options);
    options.processes = processes.data();
    EXPECT_EQ(lq_grid_mpi_with(lattice.data(), 4, MPI_COMM_WORLD, &options, &grid), LQ_OK);
    EXPECT_EQ(lq_communicator_mpi(MPI_COMM_WORLD, &all), LQ_OK);
    EXPECT_EQ(lq_write(conf.c_str(), grid, links(), nullptr), LQ_OK);
    lq_scan_options scan;
    lq_scan_options_init(&scan, sizeof scan);
    scan.communicator = all;
    EXPECT_EQ(lq_file_open(conf.c_str(), &scan, &file), LQ_OK);
    EXPECT_EQ(lq_writer_create((directory / "written.lime").c_str(), grid, nullptr, &writer), LQ_OK);
    lq_modes_description_init(&description, sizeof description);
    description.dimensions = 4;
    std::copy(lattice.begin(), lattice.end(), description.lattice);
    EXPECT_EQ(lq_modes_create(low.c_str(), grid, &description, nullptr, &modes_writer), LQ_OK);
    EXPECT_EQ(lq_modes_writer_append(modes_writer, vector(), &mode, nullptr), LQ_OK);
    EXPECT_EQ(lq_modes_open(low.c_str(), &scan, &modes), LQ_OK);
    lq_multifile_options set;
    lq_multifile_options_init(&set, sizeof set);
    set.communicator = all;
    lq_multifile_writer* done = nullptr;
    EXPECT_EQ(lq_multifile_create(sion.c_str(), &set, &done), LQ_OK);
    EXPECT_EQ(lq_multifile_write_field(done, "u", grid, links(), nullptr), LQ_OK);
    EXPECT_EQ(lq_multifile_close(done), LQ_OK);
    lq_multifile_writer_free(done);
    EXPECT_EQ(lq_multifile_create((directory / "written.sion").c_str(), &set, &sion_writer), LQ_OK);
    lq_multifile_read_options read;
    lq_multifile_read_options_init(&read, sizeof read);
    read.communicator = all;
    EXPECT_EQ(lq_multifile_open(sion.c_str(), &read, &sion_reader), LQ_OK);
    lq_checkpoints_options several;
    lq_checkpoints_options_init(&several, sizeof several);
    several.communicator = all;
    EXPECT_EQ(lq_checkpoints_open((directory / "checkpoints").c_str(), &several, &checkpoints), LQ_OK);
    EXPECT_EQ(lq_checkpoints_add_field(checkpoints, "u", grid, links(), nullptr), LQ_OK);
    EXPECT_EQ(lq_checkpoints_add_stream(checkpoints, "abc", 3), LQ_OK);
    EXPECT_EQ(lq_checkpoints_save(checkpoints, 1, nullptr), LQ_OK);
    EXPECT_EQ(lq_checkpoints_load_newest(checkpoints, &checkpoint), LQ_OK);
    EXPECT_EQ(lq_view_open(conf.c_str(), ("t=block:" + std::to_string(world_size())).c_str(),
                           static_cast<std::uint64_t>(world_rank()), nullptr, 1, &view),
              LQ_OK);
    EXPECT_EQ(lq_view_size(view, &view_bytes), LQ_OK);
    bytes.resize(view_bytes);
    lq_hdf5_options session;
    lq_hdf5_options_init(&session, sizeof session);
    session.communicator = all;
    if (lq_hdf5_open((directory / "run.h5").c_str(), LQ_HDF5_CREATE, &session, &h5) != LQ_OK) return;
    EXPECT_EQ(lq_hdf5_write(h5, "/x", &one, 0), LQ_OK);
    EXPECT_EQ(lq_hdf5_set_attribute(h5, "/", "beta", &one), LQ_OK);
    EXPECT_EQ(lq_hdf5_write_field(h5, "/u", grid, links(), nullptr), LQ_OK);
  }
  ~There() {
    lq_hdf5_free(h5);
    lq_view_free(view);
    lq_checkpoint_free(checkpoint);
    lq_checkpoints_free(checkpoints);
    lq_multifile_reader_free(sion_reader);
    lq_multifile_writer_free(sion_writer);
    lq_modes_free(modes);
    lq_modes_writer_free(modes_writer);
    lq_writer_free(writer);
    lq_file_free(file);
    lq_communicator_free(all);
    lq_grid_free(grid);
  }
  There(const There&) = delete;
  There& operator=(const There&) = delete;

  lq_field links() { return lq_gauge_f64(numbers.data()); }
  lq_field vector() { return lq_spinor_f64(numbers.data()); }
  lq_field wrong_links() { return is_bad() ? lq_gauge_f64(nullptr) : links(); }
  lq_field wrong_vector() { return is_bad() ? lq_spinor_f64(nullptr) : vector(); }
  const char* to() { return target.c_str(); }

  SharedDirectory directory;
  std::string conf = directory / "conf.ildg", low = directory / "low.modes", sion = directory / "run.sion",
              target = directory / "new";
  std::vector<double> numbers = std::vector<double>(local_sites * gauge_numbers, 0.5);
  std::array<std::int64_t, 4> processes{1, 1, 1, world_size()};
  double number = 1;
  lq_hdf5_array one{LQ_HDF5_DOUBLE, 0, {}, &number, nullptr}, many{LQ_HDF5_DOUBLE, 40, {}, &number, nullptr};
  lq_mode mode{1, 0, -1};
  lq_modes_description description{};
  std::vector<char> bytes;
  std::uint64_t view_bytes = 0;
  lq_grid* grid = nullptr;
  lq_communicator* all = nullptr;
  lq_file* file = nullptr;
  lq_writer* writer = nullptr;
  lq_modes_writer* modes_writer = nullptr;
  lq_modes* modes = nullptr;
  lq_multifile_writer* sion_writer = nullptr;
  lq_multifile_reader* sion_reader = nullptr;
  lq_checkpoints* checkpoints = nullptr;
  lq_checkpoint* checkpoint = nullptr;
  lq_view* view = nullptr;
  lq_hdf5* h5 = nullptr;
};

using Call = std::function<lq_status(There&)>;
template <class T>
T* nothing() {
  return nullptr;
}

// NOLINTBEGIN(readability-function-size): a table
const std::map<std::string, Call>& collective() {
  static const std::map<std::string, Call> calls = {
      {"lq_catalog_open",
       [](There& c) {
         const Given options(lq_scan_options_init, c.all);
         lq_catalog* out = nullptr;
         return lq_catalog_open(c.conf.c_str(), &options, &out);
       }},
      {"lq_charge_density",
       [](There& c) {
         std::vector<double> density(local_sites);
         return lq_charge_density(c.grid, c.links(), right(density.data()));
       }},
      {"lq_checkpoint_read_field",
       [](There& c) { return lq_checkpoint_read_field(c.checkpoint, "u", c.grid, c.wrong_links(), nullptr); }},
      {"lq_checkpoint_streams",
       [](There& c) {
         lq_multifile_reader* out = nullptr;
         return lq_checkpoint_streams(c.checkpoint, nullptr, right(&out));
       }},
      {"lq_checkpoints_load_newest",
       [](There& c) {
         lq_checkpoint* out = nullptr;
         return lq_checkpoints_load_newest(c.checkpoints, right(&out));
       }},
      {"lq_checkpoints_open",
       [](There& c) {
         const Given options(lq_checkpoints_options_init, c.all);
         lq_checkpoints* out = nullptr;
         return lq_checkpoints_open(c.to(), &options, &out);
       }},
      {"lq_checkpoints_reject",
       [](There& c) { return lq_checkpoints_reject(c.checkpoints, c.checkpoint, right("of no use")); }},
      {"lq_checkpoints_save",
       [](There& c) {
         const char state = right('a', 'b');
         EXPECT_EQ(lq_checkpoints_add_state(c.checkpoints, "state", &state, 1), LQ_OK);
         return lq_checkpoints_save(c.checkpoints, 2, nullptr);
       }},
      {"lq_checkpoints_save_async",
       [](There& c) { return lq_checkpoints_save_async(c.checkpoints, is_bad() ? ~std::uint64_t{0} : 2); }},
      {"lq_communicator_agree",
       [](There& c) {
         lq_failure failure{};
         failure.struct_size = sizeof failure;
         failure.status = LQ_IO;
         return lq_communicator_agree(c.all, is_bad() ? &failure : nullptr);
       }},
      {"lq_grid_agree",
       [](There& c) {
         lq_failure failure{};
         failure.struct_size = sizeof failure;
         failure.status = LQ_IO;
         return lq_grid_agree(c.grid, is_bad() ? &failure : nullptr);
       }},
      {"lq_convert",
       [](There& c) {
         const Given options(lq_convert_options_init, c.all);
         return lq_convert(c.conf.c_str(), c.to(), &options, nullptr);
       }},
      {"lq_copy",
       [](There& c) {
         lq_copy_options options;
         lq_copy_options_init(&options, sizeof options);
         options.communicator = c.all;
         const char* const from = right(c.conf.c_str());
         char* json = nullptr;
         return lq_copy(&from, 1, c.to(), &options, &json);
       }},
      {"lq_count_not_finite",
       [](There& c) {
         std::uint64_t count = 0;
         return lq_count_not_finite(c.grid, c.links(), right(&count));
       }},
      {"lq_diff",
       [](There& c) {
         const Given options(lq_diff_options_init, c.all);
         int is_same = 0;
         return lq_diff(c.conf.c_str(), c.conf.c_str(), &options, &is_same, nullptr);
       }},
      {"lq_export_virtual",
       [](There& c) {
         const Given options(lq_convert_options_init, c.all);
         return lq_export_virtual(c.conf.c_str(), c.to(), &options);
       }},
      {"lq_file_open",
       [](There& c) {
         lq_scan_options options;
         lq_scan_options_init(&options, sizeof options);
         options.communicator = c.all;
         lq_file* out = nullptr;
         return lq_file_open(right(c.conf.c_str()), &options, &out);
       }},
      {"lq_file_read", [](There& c) { return lq_file_read(c.file, c.grid, c.wrong_links(), nullptr); }},
      {"lq_file_read_async",
       [](There& c) {
         lq_pending* out = nullptr;
         return lq_file_read_async(c.file, c.grid, c.links(), nullptr, right(&out));
       }},
      {"lq_generate",
       [](There& c) {
         const Given options(lq_generate_options_init);
         return lq_generate(c.grid, c.links(), &options);
       }},
      {"lq_grid_create",
       [](There& c) {
         lq_grid* out = nullptr;
         return lq_grid_create(right(lattice.data()), 4, c.all, nullptr, &out);
       }},
      {"lq_hdf5_open",
       [](There& c) {
         const Given options(lq_hdf5_options_init, c.all);
         lq_hdf5* out = nullptr;
         return lq_hdf5_open(c.to(), LQ_HDF5_CREATE, &options, &out);
       }},
      {"lq_hdf5_cd", [](There& c) { return lq_hdf5_cd(c.h5, right("/")); }},
      {"lq_hdf5_push", [](There& c) { return lq_hdf5_push(c.h5, right("/")); }},
      {"lq_hdf5_mkdir", [](There& c) { return lq_hdf5_mkdir(c.h5, right("/m")); }},
      {"lq_hdf5_remove", [](There& c) { return lq_hdf5_remove(c.h5, right("/x")); }},
      {"lq_hdf5_rename", [](There& c) { return lq_hdf5_rename(c.h5, "/x", right("/y")); }},
      {"lq_hdf5_copy", [](There& c) { return lq_hdf5_copy(c.h5, right("/x"), "/y"); }},
      {"lq_hdf5_ls",
       [](There& c) {
         const lq_hdf5_visit visit = [](const char*, int, const char*, void*) {};
         return lq_hdf5_ls(c.h5, "/", is_bad() ? nullptr : visit, nullptr);
       }},
      {"lq_hdf5_stat",
       [](There& c) {
         lq_hdf5_facts facts{};
         facts.struct_size = sizeof facts;
         return lq_hdf5_stat(c.h5, "/x", right(&facts));
       }},
      {"lq_hdf5_exists",
       [](There& c) {
         int exists = 0;
         return lq_hdf5_exists(c.h5, "/x", right(&exists));
       }},
      {"lq_hdf5_write", [](There& c) { return lq_hdf5_write(c.h5, "/w", is_bad() ? &c.many : &c.one, 1); }},
      {"lq_hdf5_read",
       [](There& c) {
         lq_hdf5_value* out = nullptr;
         return lq_hdf5_read(c.h5, "/x", right(&out));
       }},
      {"lq_hdf5_write_field",
       [](There& c) { return lq_hdf5_write_field(c.h5, "/f", c.grid, c.wrong_links(), nullptr); }},
      {"lq_hdf5_read_field",
       [](There& c) { return lq_hdf5_read_field(c.h5, right("/u"), c.grid, c.links(), nullptr); }},
      {"lq_hdf5_catalog",
       [](There& c) {
         char* json = nullptr;
         return lq_hdf5_catalog(c.h5, right(&json));
       }},
      {"lq_hdf5_set_attribute",
       [](There& c) { return lq_hdf5_set_attribute(c.h5, "/", "a", is_bad() ? nullptr : &c.one); }},
      {"lq_hdf5_attribute",
       [](There& c) {
         lq_hdf5_value* out = nullptr;
         return lq_hdf5_attribute(c.h5, "/", right("beta"), &out);
       }},
      {"lq_hdf5_remove_attribute", [](There& c) { return lq_hdf5_remove_attribute(c.h5, "/", right("beta")); }},
      {"lq_hdf5_attributes",
       [](There& c) {
         const lq_hdf5_visit_attribute visit = [](const char*, const lq_hdf5_array*, void*) {};
         return lq_hdf5_attributes(c.h5, "/", is_bad() ? nullptr : visit, nullptr);
       }},
      {"lq_inspect",
       [](There& c) {
         const Given options(lq_scan_options_init, c.all);
         char* json = nullptr;
         return lq_inspect(c.conf.c_str(), &options, &json);
       }},
      {"lq_link_trace",
       [](There& c) {
         double value = 0;
         return lq_link_trace(c.grid, c.links(), right(&value));
       }},
      {"lq_measure",
       [](There& c) {
         char* json = nullptr;
         return lq_measure(c.grid, c.links(), right(&json));
       }},
      {"lq_modes_append",
       [](There& c) {
         const Given options(lq_write_options_init);
         lq_modes_writer* out = nullptr;
         return lq_modes_append(c.low.c_str(), c.grid, &options, &out);
       }},
      {"lq_modes_convert", [](There& c) { return lq_modes_convert(c.low.c_str(), right(c.to()), 0, 0, 1, 0, c.all); }},
      {"lq_modes_convert_coherent",
       [](There& c) {
         return lq_modes_convert_coherent(c.low.c_str(), c.to(), 0, 1, right(lattice.data()), 0.1, 0, c.all);
       }},
      {"lq_modes_convert_vectors",
       [](There& c) {
         return lq_modes_convert_vectors(right(c.low.c_str()), c.to(), nullptr, 1, 0, nullptr, 0, 0, 1, 0, c.all);
       }},
      {"lq_modes_convert_with",
       [](There& c) {
         return lq_modes_convert_with(c.low.c_str(), right(c.to()), nullptr, 1, 0, nullptr, 0, 0, 1, 0, nullptr, 0,
                                      nullptr, c.all);
       }},
      {"lq_modes_convert_reported",
       [](There& c) {
         return lq_modes_convert_reported(c.low.c_str(), right(c.to()), nullptr, 1, 0, nullptr, 0, 0, 1, 0, nullptr, 0,
                                          nullptr, c.all, nullptr);
       }},
      {"lq_modes_create",
       [](There& c) {
         lq_modes_writer* out = nullptr;
         return lq_modes_create(c.to(), c.grid, is_bad() ? nullptr : &c.description, nullptr, &out);
       }},
      {"lq_modes_open",
       [](There& c) {
         const Given options(lq_scan_options_init, c.all);
         lq_modes* out = nullptr;
         return lq_modes_open(c.low.c_str(), &options, &out);
       }},
      {"lq_modes_open_vectors",
       [](There& c) {
         const Given options(lq_scan_options_init, c.all);
         lq_modes* out = nullptr;
         return lq_modes_open_vectors(c.low.c_str(), 1, 0, nullptr, &options, &out);
       }},
      {"lq_modes_read", [](There& c) { return lq_modes_read(c.modes, 0, c.grid, c.wrong_vector(), nullptr); }},
      {"lq_modes_read_async",
       [](There& c) {
         lq_pending* out = nullptr;
         return lq_modes_read_async(c.modes, right<std::uint64_t>(0, 77), c.grid, c.vector(), nullptr, &out);
       }},
      {"lq_modes_write",
       [](There& c) {
         const lq_field vector = c.wrong_vector();
         return lq_modes_write(c.to(), c.grid, &c.description, &vector, &c.mode, 1, nullptr);
       }},
      {"lq_modes_write_reported",
       [](There& c) {
         const lq_field vector = c.wrong_vector();
         return lq_modes_write_reported(c.to(), c.grid, &c.description, &vector, &c.mode, 1, nullptr, nullptr);
       }},
      {"lq_modes_writer_append",
       [](There& c) {
         return lq_modes_writer_append(c.modes_writer, c.vector(), is_bad() ? nullptr : &c.mode, nullptr);
       }},
      {"lq_multifile_create",
       [](There& c) {
         const Given options(lq_multifile_options_init, c.all);
         lq_multifile_writer* out = nullptr;
         return lq_multifile_create(c.to(), &options, &out);
       }},
      {"lq_multifile_append",
       [](There& c) {
         const Given options(lq_multifile_options_init, c.all);
         lq_multifile_writer* out = nullptr;
         return lq_multifile_append(c.sion.c_str(), &options, &out);
       }},
      {"lq_multifile_open",
       [](There& c) {
         const Given options(lq_multifile_read_options_init, c.all);
         lq_multifile_reader* out = nullptr;
         return lq_multifile_open(c.sion.c_str(), &options, &out);
       }},
      {"lq_multifile_read_field",
       [](There& c) { return lq_multifile_read_field(c.sion_reader, right("u"), c.grid, c.links(), nullptr); }},
      {"lq_multifile_write_field",
       [](There& c) { return lq_multifile_write_field(c.sion_writer, right("v"), c.grid, c.links(), nullptr); }},
      {"lq_node_cache_open",
       [](There& c) {
         lq_node_cache* out = nullptr;
         return lq_node_cache_open(right(c.conf.c_str()), c.all, 0, 0, &out);
       }},
      {"lq_observables",
       [](There& c) {
         const Given options(lq_observables_options_init);
         char* json = nullptr;
         return lq_observables(c.grid, c.links(), &options, &json);
       }},
      {"lq_plaquette",
       [](There& c) {
         std::array<double, 3> values{};
         return lq_plaquette(c.grid, c.wrong_links(), values.data());
       }},
      {"lq_plaquette_density",
       [](There& c) {
         std::vector<double> density(local_sites);
         return lq_plaquette_density(c.grid, c.links(), right(density.data()));
       }},
      {"lq_protect",
       [](There& c) {
         const Given options(lq_protect_options_init, c.all);
         const char* const path = right(c.conf.c_str());
         return lq_protect(&path, 1, &options, nullptr);
       }},
      {"lq_read",
       [](There& c) {
         const Given options(lq_read_options_init);
         return lq_read(c.conf.c_str(), c.grid, c.links(), &options);
       }},
      {"lq_read_async",
       [](There& c) {
         lq_pending* out = nullptr;
         return lq_read_async(right(c.conf.c_str()), c.grid, c.links(), nullptr, &out);
       }},
      {"lq_region_writer_close",
       [](There& c) {
         lq_region_writer* out = nullptr;
         EXPECT_EQ(lq_region_writer_create(c.to(), c.grid, c.links(), nullptr, &out), LQ_OK);
         std::array<std::int64_t, 4> lower{}, extents{};
         EXPECT_EQ(lq_grid_local_box(c.grid, lower.data(), extents.data()), LQ_OK);
         if (!is_bad()) {
           EXPECT_EQ(lq_region_writer_write(out, lower.data(), extents.data(), c.links()), LQ_OK);
         }
         const lq_status status = lq_region_writer_close(out, nullptr);
         lq_region_writer_free(out);
         return status;
       }},
      {"lq_region_writer_create",
       [](There& c) {
         lq_region_writer* out = nullptr;
         return lq_region_writer_create(c.to(), c.grid, c.links(), nullptr, right(&out));
       }},
      {"lq_repartition",
       [](There& c) {
         const Given options(lq_repartition_options_init, c.all);
         return lq_repartition(c.conf.c_str(), c.to(), &options, nullptr);
       }},
      {"lq_squeeze",
       [](There& c) {
         const Given options(lq_squeeze_options_init, c.all);
         return lq_squeeze(c.conf.c_str(), c.to(), &options, nullptr);
       }},
      {"lq_unsqueeze",
       [](There& c) {
         const Given options(lq_squeeze_options_init, c.all);
         return lq_unsqueeze(c.conf.c_str(), c.to(), &options, nullptr);
       }},
      {"lq_unitarity",
       [](There& c) {
         std::array<double, 3> values{};
         return lq_unitarity(c.grid, c.links(), right(values.data()));
       }},
      {"lq_verification_run",
       [](There& c) {
         const Given options(lq_verify_options_init, c.all);
         lq_verification* out = nullptr;
         return lq_verification_run(c.conf.c_str(), &options, &out);
       }},
      {"lq_verify",
       [](There& c) {
         const Given options(lq_verify_options_init, c.all);
         int is_sound = 0;
         return lq_verify(c.conf.c_str(), &options, &is_sound, nullptr);
       }},
      {"lq_view_read_all",
       [](There& c) { return lq_view_read_all(c.view, right(c.bytes.data()), c.view_bytes, c.all, 0); }},
      {"lq_view_write_all",
       [](There& c) {
         return lq_view_write_all(c.view, c.bytes.data(), right<std::uint64_t>(c.view_bytes, 1), c.all, 0);
       }},
      {"lq_write",
       [](There& c) {
         const Given options(lq_write_options_init);
         return lq_write(c.to(), c.grid, c.links(), &options);
       }},
      {"lq_write_async",
       [](There& c) {
         lq_pending* out = nullptr;
         return lq_write_async(c.to(), c.grid, c.wrong_links(), nullptr, &out);
       }},
      {"lq_writer_create",
       [](There& c) {
         const Given options(lq_write_options_init);
         lq_writer* out = nullptr;
         return lq_writer_create(c.to(), c.grid, &options, &out);
       }},
      {"lq_writer_record", [](There& c) { return lq_writer_record(c.writer, right("note"), "text", 4); }},
      {"lq_writer_write",
       [](There& c) { return lq_writer_write(c.writer, right("u"), c.links(), nullptr, 0, nullptr); }},
  };
  return calls;
}
// NOLINTEND(readability-function-size)

// Collective, but of a handle alone.
const std::set<std::string> of_a_handle = {"lq_checkpoints_forget_marks",
                                           "lq_checkpoints_prune",
                                           "lq_checkpoints_test",
                                           "lq_checkpoints_wait",
                                           "lq_hdf5_close",
                                           "lq_hdf5_flush",
                                           "lq_hdf5_pop",
                                           "lq_modes_writer_close",
                                           "lq_multifile_close",
                                           "lq_multifile_discard",
                                           "lq_pending_cancel",
                                           "lq_pending_test",
                                           "lq_pending_wait",
                                           "lq_writer_close"};

// What each process does for itself: options, errors, answers, fields, and these.
const std::regex local_kinds(
    "lq_(.*_init|.*_set|.*_free|.*_size|error_.*|catalog_.*|checkpoint_(info|read_state|state|step)|checkpoints_(add_.*"
    "|"
    "forget_added|list)|verification_.*|gauge_.*|spinor_.*|propagator_.*|sites_.*|"
    "grid_(dimensions|extents|local_box|local_volume|processes|rank|self|volume)|hdf5_(pwd|value_.*)|ildg_.*|memory_.*|"
    "modes_(error|family|known|mode)|multifile_(fields|flush|info|known|read|repair|share|stream|tasks|verify|write|"
    "write_text)|node_cache_(count|read)|partition_.*|view_(close|open|read|seek|sync|tell|write))");
const std::set<std::string> local = {"lq_assess",
                                     "lq_callback_file_create",
                                     "lq_callback_file_path",
                                     "lq_check_interrupts",
                                     "lq_communicator_create",
                                     "lq_communicator_rank",
                                     "lq_defragment",
                                     "lq_diagnose",
                                     "lq_explain",
                                     "lq_extract",
                                     "lq_file_catalog",
                                     "lq_file_read_record",
                                     "lq_file_system_of",
                                     "lq_find",
                                     "lq_formats",
                                     "lq_build_parts",
                                     "lq_index",
                                     "lq_is_device_memory",
                                     "lq_options_json",
                                     "lq_pack",
                                     "lq_plan",
                                     "lq_read_record",
                                     "lq_read_site",
                                     "lq_region_writer_missing",
                                     "lq_region_writer_write",
                                     "lq_repair",
                                     "lq_report_page",
                                     "lq_require_replaceable",
                                     "lq_scrub",
                                     "lq_set_unpacker",
                                     "lq_status_name",
                                     "lq_stop",
                                     "lq_unpack",
                                     "lq_validate",
                                     "lq_verify_below",
                                     "lq_version",
                                     "lq_watch_stalls"};

TEST(OneBadRank, MayBeInEveryFunction) {
  for (const char* const library : {"liblimequat", "liblimequat_hdf5", "liblimequat_ensemble"}) {
    const std::string path = std::string(LQ_SYMBOLS) + "/" + library + ".symbols";
    std::ifstream symbols(path);
    ASSERT_TRUE(symbols) << path;
    for (std::string name; std::getline(symbols, name);) {
      if (name.rfind("lq_", 0) != 0) continue;
      const bool is_known = collective().contains(name) || of_a_handle.contains(name) || local.contains(name) ||
                            std::regex_match(name, local_kinds);
      EXPECT_TRUE(is_known) << name << " is in no table of this test";
    }
  }
}

TEST(OneBadRank, IsToldToAll) {
  if (world_size() == 1 || lattice[3] % world_size() != 0) GTEST_SKIP() << "a lattice for two or four ranks";
  There there;
  for (const auto& [name, call] : collective()) {
    if (there.h5 == nullptr && name.rfind("lq_hdf5", 0) == 0) continue;
    SCOPED_TRACE(name);
    const lq_status status = call(there);
    EXPECT_NE(status, LQ_OK);
    EXPECT_EQ(lq_error_rank(), bad_rank) << lq_error_text();
    std::array<int, 2> ends{status, -status};
    MPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(ends[0], -ends[1]) << "the ranks got different errors: " << lq_error_text();
  }
}

}  // namespace
}  // namespace lq::testing
