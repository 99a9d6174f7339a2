// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The samples of docs/guide, as one complete program: mpirun -n 4 guide
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

using Links = std::array<std::complex<double>, 4 * 9>;

int main(int argc, char** argv) {
  lq::mpi::Environment mpi(argc, argv);
  lq::Grid grid = lq::mpi::grid({8, 8, 8, 16});
  std::vector<Links> u(grid.local_volume());
  lq::generate(grid, lq::gauge(u), {.beta = 6.0, .sweeps = 5});

  lq::write("conf.ildg", grid, lq::gauge(u), {.overwrite = true});

  // [options]
  lq::Report report = lq::write("conf.lime", grid, lq::gauge(u),
                                {
                                    .format = "ildg",
                                    .precision = lq::Precision::single,
                                    .metadata = {{"xlf-info", "plaquette = 0.5937"}},
                                    .verify = lq::Verify::read_back,
                                    .overwrite = true,
                                });
  if (grid.is_root()) std::puts(report.summary().c_str());
  // [/options]

  // [fetch]
  // Links in the application's own order: here the four links of a site are in four separate fields.
  std::vector<std::array<std::complex<double>, 9>> by_direction[4];
  for (auto& links : by_direction) links.resize(grid.local_volume());
  const lq::Box& mine = grid.local_box();
  auto fetch = [&](const lq::Coord& x, std::span<double, 72> site) {
    std::int64_t i = 0;
    for (int d = 3; d >= 0; --d) i = i * mine.extents[d] + x[d] - mine.lower[d];
    auto number = site.begin();
    for (const auto& links : by_direction)
      for (const std::complex<double>& z : links[static_cast<std::size_t>(i)])
        *number++ = z.real(), *number++ = z.imag();
  };
  lq::write("own_layout.ildg", grid, lq::gauge_from<double>(fetch), {.verify = lq::Verify::none, .overwrite = true});
  // [/fetch]

  // [memory]
  // QUDA's host order: an array for each direction, even sites first.
  std::vector<double> arrays[4];
  double* pointers[4];
  for (int mu = 0; mu < 4; ++mu) {
    arrays[mu].resize(grid.local_volume() * 18);
    pointers[mu] = arrays[mu].data();
  }
  const auto field = lq::gauge_in_arrays<double>(pointers, arrays[0].size(), lq::memory_layout("quda_host"));
  lq::read("conf.ildg", grid, field);
  lq::write("from_quda.ildg", grid, field, {.overwrite = true});
  // [/memory]

  // The code's number of the point t, x, y, z of this rank: HiRep's macro ipt(), or openQCD's array of that
  // name.
  const auto ipt = [&](std::int64_t t, std::int64_t x, std::int64_t y, std::int64_t z) {
    return ((z * mine.extents[1] + y) * mine.extents[0] + x) * mine.extents[3] + t;
  };
  // [table]
  // HiRep's links: the code's numbers of its sites, listed with z fastest and t slowest.
  std::vector<std::uint64_t> table;
  for (std::int64_t t = 0; t < mine.extents[3]; ++t)
    for (std::int64_t x = 0; x < mine.extents[0]; ++x)
      for (std::int64_t y = 0; y < mine.extents[1]; ++y)
        for (std::int64_t z = 0; z < mine.extents[2]; ++z) table.push_back(static_cast<std::uint64_t>(ipt(t, x, y, z)));
  std::vector<double> u_gauge(grid.local_volume() * 72);
  lq::read("conf.ildg", grid, lq::gauge(u_gauge, {.memory = lq::memory_layout("hirep", table)}));
  // [/table]

  // [rows]
  // For layouts without a description: all sites of a row in one call.
  auto fetch_rows = [&](const lq::Coord& x, int axis, std::uint64_t sites, void* row) {
    lq::Coord at = x;
    auto* numbers = static_cast<double*>(row);
    for (std::uint64_t k = 0; k < sites; ++k, ++at[axis], numbers += 72) fetch(at, std::span<double, 72>(numbers, 72));
  };
  lq::Field rows{.spec = lq::gauge_spec(lq::Precision::double_), .fetch_rows = fetch_rows};
  lq::write("by_rows.ildg", grid, rows, {.overwrite = true});
  // [/rows]

  // [several]
  using Spinor = std::array<std::complex<double>, 4 * 3>;
  std::vector<Spinor> psi(grid.local_volume());
  lq::Writer file = lq::create("eigenvectors.lime", grid, {.overwrite = true});
  for (int i = 0; i < 3; ++i) {
    psi.assign(psi.size(), Spinor{std::complex<double>(i, 0)});
    file.write("eigenvector", lq::spinor(psi), {{"eigenvalue", std::to_string(0.1 * i)}});
  }
  file.close();  // errors surface here; an open writer that is destroyed leaves no file

  lq::read("eigenvectors.lime", grid, lq::spinor(psi), {.field = "eigenvector", .index = 2});
  // [/several]
  // [by_region]
  lq::RegionWriter by_region("by-region.scidac", grid, lq::spinor_spec(lq::Precision::double_), {.overwrite = true});
  lq::Box region = grid.local_box();  // each rank gives its own sites, here time slice by time slice
  const std::int64_t last_t = region.lower[3] + region.extents[3];
  for (region.extents[3] = 1; region.lower[3] < last_t; ++region.lower[3]) {
    const std::vector<Spinor> values(region.volume());
    by_region.write(region, lq::spinor(values));
  }
  by_region.close();  // writes all checksums; missing sites are an error, and no file appears
  // [/by_region]

  lq::write("source.scidac", grid, lq::spinor(psi), {.overwrite = true});
  // [half]
  // QUDA's half precision: four consecutive integers of 16 bits, and the norms in a separate array.
  std::vector<std::int16_t> integers(grid.local_volume() * 24);
  std::vector<float> norms(grid.local_volume());
  void* half_pointers[2] = {integers.data(), norms.data()};
  const lq::MutableField half{.spec = lq::spinor_spec(lq::Precision::single),
                              .data = half_pointers,
                              .available = integers.size(),
                              .memory = lq::memory_layout("quda_native_spinor block=4 norms=in-array")};
  lq::read("source.scidac", grid, half);
  lq::write("from_half.scidac", grid, half, {.overwrite = true});
  // [/half]

  // [region]
  lq::Grid slab = lq::mpi::grid({8, 8, 8, 4});  // time slices 8 to 11 of the file
  std::vector<Links> part(slab.local_volume());
  lq::read("conf.ildg", slab, lq::gauge(part), {.region = lq::Box{{0, 0, 0, 8}, {8, 8, 8, 4}}});
  // [/region]

  const int rank = grid.rank();
  // [ranks]
  const lq::Extents processes{1, 1, 2, 2};
  // An order of dimensions, fastest first. QUDA numbers ranks with t fastest.
  lq::Grid ordered = lq::mpi::grid({8, 8, 8, 16}, MPI_COMM_WORLD, {.processes = processes, .rank_order = {3, 2, 1, 0}});
  // Any other map: each rank gives its place x, y, z, t. In a program of QUDA: {comm_coord(0), comm_coord(1), ...}
  const lq::Coord mine_is{0, 0, 1 - rank % 2, rank / 2};
  lq::Grid by_place = lq::mpi::grid({8, 8, 8, 16}, MPI_COMM_WORLD, {.processes = processes, .coordinates = mine_is});
  // Or a table, the same on all ranks: the rank at each place, x fastest, t slowest.
  const std::vector<int> who_is_there{1, 0, 3, 2};
  lq::Grid by_table = lq::mpi::grid({8, 8, 8, 16}, MPI_COMM_WORLD, {.processes = processes, .ranks = who_is_there});
  // [/ranks]
  if (by_place.local_box() != by_table.local_box() || by_place.local_box().lower[2] != 4 - rank % 2 * 4) return 1;
  if (ordered.local_box().lower[3] != rank % 2 * 8) return 1;

  // [node_cache]
  lq::NodeCache cache("conf.ildg", grid.communicator());
  std::vector<Links> everything(lq::volume(grid.extents()));
  lq::Grid alone(grid.extents());  // all of the lattice, on each rank
  lq::read_sites(cache, lq::inspect("conf.ildg").fields.front().payload, alone, lq::gauge(everything));
  lq::NodeCacheCounts counts = cache.counts();  // bytes_read, bytes_given, waits, ...
  // [/node_cache]
  if (grid.is_root()) std::printf("%llu bytes read\n", static_cast<unsigned long long>(counts.bytes_read));

  // [callback]
  const lq::CallbackFile archive({.read_at =
                                      [&](std::uint64_t offset, std::span<std::byte> bytes) {
                                        return cache.read_at(offset, bytes);  // or an object store, a tape, a database
                                      },
                                  .bytes = cache.size(),
                                  .name = "conf.0010.ildg"});
  lq::read(archive.path(), grid, lq::gauge(u));  // verified like any other file
  // [/callback]

  // [physics]
  lq::Physics physics = lq::measure(grid, lq::gauge(u));
  if (grid.is_root())
    std::printf("plaquette %.6f, unitarity %.1e\n", physics.plaquette.average, physics.unitarity.largest);
  // [/physics]

  // [errors]
  try {
    lq::read("conf.0020.ildg", grid, lq::gauge(u));
  } catch (const lq::Error& error) {  // the same error on every rank
    if (grid.is_root()) std::fprintf(stderr, "%s\n", error.what());
    if (error.code() != lq::Code::not_found) return error.exit_code();
  }
  // [/errors]

  // [verify]
  lq::Verification verdict = lq::verify("conf.ildg", grid.communicator());
  for (const lq::Finding& finding : verdict.findings) {
    if (grid.is_root()) std::puts(finding.message.c_str());
  }
  // [/verify]
  return verdict.ok && std::abs(physics.plaquette.average) <= 1 ? 0 : 1;
}
