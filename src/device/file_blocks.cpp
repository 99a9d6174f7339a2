// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/file_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <limequat/error.hpp>

namespace lq::device {
namespace {

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) noexcept { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

bool FileForm::fits() const noexcept {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  return !numbers.empty() && numbers.size() < most / 16 && groups < most;
}

FileBlocks::FileBlocks(const Driver& driver, DeviceContext home, const Program& program, const FileForm& form,
                       std::size_t most_bytes)
    : driver_(driver),
      home_(home),
      program_(program),
      form_(form),
      most_sites_(std::max<std::uint64_t>(most_bytes / form.site_bytes(), 1)),
      file_at_(aligned(static_cast<std::size_t>(most_sites_) * form.groups * sizeof(std::int64_t))),
      crcs_at_(file_at_ + aligned(static_cast<std::size_t>(most_sites_) * form.site_bytes())),
      end_(crcs_at_ + (form.has_crcs ? static_cast<std::size_t>(most_sites_) * sizeof(std::uint32_t) : 0)) {
  const ContextScope inside(driver_, home_);
  driver_.wait_for_all();
  make();
}

void FileBlocks::make() {
  for (PooledBuffer& block : blocks_) block = PooledBuffer(driver_, home_, end_, end_);
  const std::size_t bytes = form_.numbers.size() * sizeof(NumberPlace);
  numbers_ = PooledBuffer(driver_, home_, bytes, bytes);
  std::memcpy(numbers_.host(), form_.numbers.data(), bytes);
  numbers_.begins();
  driver_.copy(Direction::to_device, {numbers_.gpu(), bytes, 0, 1}, numbers_.host(), numbers_.stream());
  numbers_.has_begun();
  numbers_.wait();
}

SiteJob FileBlocks::job_of(const PooledBuffer& block, const MemorySites& sites) const noexcept {
  SiteJob job{};
  job.numbers = reinterpret_cast<const NumberPlace*>(numbers_.gpu());
  job.places = !sites.places.empty() ? reinterpret_cast<const long long*>(block.gpu()) : nullptr;
  job.first = reinterpret_cast<std::uintptr_t>(sites.first);
  job.stride = sites.stride;
  job.file = reinterpret_cast<unsigned char*>(block.gpu() + file_at_);
  job.crcs = reinterpret_cast<unsigned*>(block.gpu() + crcs_at_);
  job.sites = static_cast<unsigned>(sites.sites);
  job.site_numbers = static_cast<unsigned>(form_.numbers.size());
  job.memory_bytes = form_.memory_bytes;
  job.file_bytes = form_.file_bytes;
  job.swap = form_.swap ? 1 : 0;
  return job;
}

// Answers how many bytes they take.
std::size_t FileBlocks::put_places(const PooledBuffer& block, const MemorySites& sites) const {
  if (!sites.places.empty()) std::memcpy(block.host(), sites.places.data(), sites.places.size_bytes());
  return sites.places.size_bytes();
}

void FileBlocks::copy(Direction direction, const PooledBuffer& block, std::size_t begin, std::size_t end) const {
  if (begin < end)
    driver_.copy(direction, {block.gpu() + begin, end - begin, 0, 1}, block.host() + begin, block.stream());
}

template <class Move>
void FileBlocks::begin(std::size_t i, const MemorySites& sites, const Move& move) {
  const ContextScope inside(driver_, home_);
  PooledBuffer& block = blocks_[i];
  block.begins();
  const SiteJob job = job_of(block, sites);
  copy(Direction::to_device, block, 0, put_places(block, sites));
  move(block, job, file_at_ + static_cast<std::size_t>(sites.sites) * site_bytes());
  if (form_.has_crcs) {
    program_.launch(Kernel::crc, job, block.stream());
    copy(Direction::to_host, block, crcs_at_, crcs_at_ + sites.sites * sizeof(std::uint32_t));
  }
  block.has_begun();
}

void FileBlocks::begin_out(std::size_t i, const MemorySites& from) {
  begin(i, from, [this](const PooledBuffer& block, const SiteJob& job, std::size_t file_end) {
    program_.launch(Kernel::pack, job, block.stream());
    copy(Direction::to_host, block, file_at_, file_end);
  });
}

void FileBlocks::begin_in(std::size_t i, const MemorySites& to) {
  begin(i, to, [this](const PooledBuffer& block, const SiteJob& job, std::size_t file_end) {
    copy(Direction::to_device, block, file_at_, file_end);
    program_.launch(Kernel::unpack, job, block.stream());
  });
}

}  // namespace lq::device
