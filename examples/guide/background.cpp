// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The samples of docs/guide/background.md and docs/guide/own-files.md, as one complete program: mpirun -n 4 background
#include <cerrno>
#include <system_error>

#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

#include <fcntl.h>
#include <unistd.h>

using Links = std::array<std::complex<double>, 4 * 9>;

// [container]
// The application's own container format; sites begin somewhere after its header.
class MyContainer : public lq::Storage {
 public:
  explicit MyContainer(const std::string& path) : path_(path), descriptor_(::open(path.c_str(), O_RDWR)) {}
  ~MyContainer() override { ::close(descriptor_); }

  std::string path() const override { return path_; }
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (put <= 0) throw lq::Error(lq::Code::io, path_ + ": " + std::generic_category().message(errno));
      offset += static_cast<std::uint64_t>(put);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
  }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const auto at = static_cast<off_t>(offset + done);
      const ssize_t got = ::pread(descriptor_, bytes.data() + done, bytes.size() - done, at);
      if (got < 0) throw lq::Error(lq::Code::io, path_ + ": " + std::generic_category().message(errno));
      if (got == 0) break;  // the end of the file
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  std::string path_;
  int descriptor_;
};
// [/container]

namespace {

double work_done = 0;
void compute() { work_done += 1; }
void measure_on(const std::vector<Links>& u) { work_done += u.front().front().real(); }

void in_the_background(const lq::Grid& grid, std::vector<Links>& u) {
  // [write]
  lq::Pending writing =
      lq::write_async("conf.0010.ildg", grid, lq::gauge(u), {.overwrite = true});  // borrows u, returns at once
  for (int step = 0; step < 10; ++step) {
    compute();       // must not change u
    writing.test();  // local, cheap; lets messages between nodes advance
  }
  lq::Report report = writing.wait();  // collective; errors surface here, and now the file has its name
  // [/write]
  if (grid.is_root()) std::puts(report.summary().c_str());

  // [cancel]
  lq::Pending unwanted = lq::write_async("conf.0011.ildg", grid, lq::gauge(u));
  unwanted.cancel();  // collective; there is no conf.0011.ildg, and no temporary file
  // [/cancel]
  lq::write("conf.0020.ildg", grid, lq::gauge(u), {.overwrite = true});
  lq::write("conf.0030.ildg", grid, lq::gauge(u), {.overwrite = true});
}

void ahead(const lq::Grid& grid) {
  // [ahead]
  std::vector<Links> memory[2] = {std::vector<Links>(grid.local_volume()), std::vector<Links>(grid.local_volume())};
  lq::ReadAhead configurations({"conf.0010.ildg", "conf.0020.ildg", "conf.0030.ildg"}, grid,
                               {lq::gauge(memory[0]), lq::gauge(memory[1])});
  while (const auto arrival = configurations.next()) {  // collective; the next file is being read meanwhile
    measure_on(memory[arrival->buffer]);
  }
  // [/ahead]
}

lq::Checksum in_own_container(const lq::Grid& grid, std::vector<Links>& u) {
  // [sites]
  MyContainer container("my.file");  // on every rank
  const lq::Payload place = lq::payload_at(4096, lq::gauge_spec(lq::Precision::double_), grid.extents());
  lq::Report written = lq::write_sites(container, place, grid, lq::gauge(u));
  lq::Report read = lq::read_sites(container, place, grid, lq::gauge(u));
  if (read.checksum != written.checksum) throw lq::Error(lq::Code::checksum_mismatch, "my.file: damaged");
  // [/sites]
  return written.checksum;
}

lq::Checksum in_mpi_file(const lq::Grid& grid, const std::vector<Links>& u) {
  const lq::Payload place = lq::payload_at(4096, lq::gauge_spec(lq::Precision::double_), grid.extents());
  // [mpiio]
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, "my.file", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  const auto storage = lq::mpi::storage(file, "my.file");
  lq::Report report = lq::write_sites(*storage, place, grid, lq::gauge(u));
  MPI_File_close(&file);
  // [/mpiio]
  return report.checksum;
}

}  // namespace

int main(int argc, char** argv) {
  const lq::mpi::Environment mpi(argc, argv);
  const lq::Grid grid = lq::mpi::grid({8, 8, 8, 16});
  std::vector<Links> u(grid.local_volume());
  lq::generate(grid, lq::gauge(u), {.beta = 6.0, .sweeps = 1});
  in_the_background(grid, u);
  ahead(grid);

  if (grid.is_root()) ::close(::open("my.file", O_RDWR | O_CREAT, 0644));
  grid.communicator().barrier();
  const lq::Checksum first = in_own_container(grid, u);
  const bool same = in_mpi_file(grid, u) == first;
  return same && work_done > 0 && lq::verify("conf.0010.ildg", grid.communicator()).ok ? 0 : 1;
}
