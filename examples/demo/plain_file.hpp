// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A second copy of the field, written without the library: plain numbers of this machine, site after site, x fastest.
// The field that the library reads is compared with this file, so that an error of the library cannot hide itself.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limequat/limequat.hpp>
#include <span>
#include <system_error>
#include <vector>

namespace demo {

using Site = std::array<double, 72>;

class PlainFile {
 public:
  PlainFile(const std::string& path, int flags) : path_(path), fd_(::open(path.c_str(), flags, 0644)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), path);
  }
  ~PlainFile() { ::close(fd_); }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      const std::size_t piece = std::min(bytes.size() - done, std::size_t{1} << 20);
      done += moved(::pwrite(fd_, bytes.data() + done, piece, static_cast<off_t>(offset + done)));
    }
  }
  void read(std::uint64_t offset, std::span<std::byte> bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      const std::size_t piece = std::min(bytes.size() - done, std::size_t{1} << 20);
      done += moved(::pread(fd_, bytes.data() + done, piece, static_cast<off_t>(offset + done)));
    }
  }

 private:
  std::size_t moved(ssize_t count) const {
    if (count <= 0) throw std::system_error(count < 0 ? errno : EIO, std::generic_category(), path_);
    return static_cast<std::size_t>(count);
  }
  std::string path_;
  int fd_;
};

// Calls `visit(local site, global site, sites)` for each line in x of this rank's part of a four-dimensional lattice.
template <class Visit>
void for_each_line(const lq::Grid& grid, Visit visit) {
  const lq::Box& box = grid.local_box();
  const lq::Extents& all = grid.extents();
  std::uint64_t local = 0;
  for (auto t = box.lower[3]; t < box.lower[3] + box.extents[3]; ++t) {
    for (auto z = box.lower[2]; z < box.lower[2] + box.extents[2]; ++z) {
      for (auto y = box.lower[1]; y < box.lower[1] + box.extents[1]; ++y) {
        const auto global = static_cast<std::uint64_t>(((t * all[2] + z) * all[1] + y) * all[0] + box.lower[0]);
        const auto sites = static_cast<std::uint64_t>(box.extents[0]);
        visit(local, global, sites);
        local += sites;
      }
    }
  }
}

inline void write_plain(const lq::Grid& grid, const std::string& path, const std::vector<Site>& u) {
  const PlainFile file(path, O_WRONLY | O_CREAT);
  for_each_line(grid, [&](std::uint64_t local, std::uint64_t global, std::uint64_t sites) {
    file.write(global * sizeof(Site), std::as_bytes(std::span(u).subspan(local, sites)));
  });
}

inline std::vector<Site> read_plain(const lq::Grid& grid, const std::string& path) {
  const PlainFile file(path, O_RDONLY);
  std::vector<Site> u(grid.local_volume());
  for_each_line(grid, [&](std::uint64_t local, std::uint64_t global, std::uint64_t sites) {
    file.read(global * sizeof(Site), std::as_writable_bytes(std::span(u).subspan(local, sites)));
  });
  return u;
}

}  // namespace demo
