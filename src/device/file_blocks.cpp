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

FileBlocks::FileBlocks(const Driver& driver, Home home, const Program& program, const FileForm& form,
                       std::size_t most_bytes)
    : driver_(driver),
      home_(home),
      program_(program),
      form_(form),
      most_sites_(std::max<std::uint64_t>(most_bytes / form.site_bytes(), 1)),
      file_at_(aligned(static_cast<std::size_t>(most_sites_) * form.groups * sizeof(std::int64_t))),
      crcs_at_(file_at_ + aligned(static_cast<std::size_t>(most_sites_) * form.site_bytes())),
      end_(crcs_at_ + (form.has_crcs ? static_cast<std::size_t>(most_sites_) * sizeof(std::uint32_t) : 0)) {
  const Inside inside(driver_, home_);
  try {
    driver_.wait_for_all();
    make();
  } catch (...) {
    free();
    throw;
  }
}

void FileBlocks::make() {
  for (Block& block : blocks_) {
    block.host = driver_.allocate_locked(end_);
    block.gpu = driver_.allocate(end_);
    block.stream = driver_.make_stream();
    block.done = driver_.make_event();
  }
  // By way of a block, which holds them perhaps only in parts.
  const std::size_t bytes = form_.numbers.size() * sizeof(NumberPlace);
  numbers_ = driver_.allocate(bytes);
  const auto* const from = reinterpret_cast<const std::byte*>(form_.numbers.data());
  const Block& block = blocks_.front();
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t some = std::min(bytes - done, end_);
    std::memcpy(block.host, from + done, some);
    driver_.copy(Direction::to_device, {numbers_ + done, some, 0, 1}, block.host, block.stream);
    driver_.wait_for_stream(block.stream);
    done += some;
  }
}

// What was begun for nobody any more must not run into memory that is gone.
FileBlocks::~FileBlocks() {
  for (const Block& block : blocks_) {
    try {
      const Inside inside(driver_, home_);
      if (block.is_moving) driver_.wait_for_stream(block.stream);
    } catch (const Error&) {  // what failed for good has failed before, for whoever waited for it
    }
  }
  try {
    const Inside inside(driver_, home_);
    free();
  } catch (const Error&) {
    free();
  }
}

void FileBlocks::free() noexcept {
  for (const Block& block : blocks_) {
    if (block.done != nullptr) driver_.destroy_event(block.done);
    if (block.stream != nullptr) driver_.destroy_stream(block.stream);
    if (block.gpu != nullptr) driver_.free(block.gpu);
    if (block.host != nullptr) driver_.free_locked(block.host);
  }
  if (numbers_ != nullptr) driver_.free(numbers_);
}

SiteJob FileBlocks::job_of(const Block& block, const MemorySites& sites) const noexcept {
  SiteJob job{};
  job.numbers = reinterpret_cast<const NumberPlace*>(numbers_);
  job.places = !sites.places.empty() ? reinterpret_cast<const long long*>(block.gpu) : nullptr;
  job.first = reinterpret_cast<std::uintptr_t>(sites.first);
  job.stride = sites.stride;
  job.file = reinterpret_cast<unsigned char*>(block.gpu + file_at_);
  job.crcs = reinterpret_cast<unsigned*>(block.gpu + crcs_at_);
  job.sites = static_cast<unsigned>(sites.sites);
  job.site_numbers = static_cast<unsigned>(form_.numbers.size());
  job.memory_bytes = form_.memory_bytes;
  job.file_bytes = form_.file_bytes;
  job.swap = form_.swap ? 1 : 0;
  return job;
}

// Answers how many bytes they take.
std::size_t FileBlocks::put_places(const Block& block, const MemorySites& sites) const {
  if (!sites.places.empty()) std::memcpy(block.host, sites.places.data(), sites.places.size_bytes());
  return sites.places.size_bytes();
}

void FileBlocks::copy(Direction direction, const Block& block, std::size_t begin, std::size_t end) const {
  if (begin < end) driver_.copy(direction, {block.gpu + begin, end - begin, 0, 1}, block.host + begin, block.stream);
}

void FileBlocks::begin_out(std::size_t i, const MemorySites& from) {
  const Inside inside(driver_, home_);
  Block& block = blocks_[i];
  block.is_moving = true;
  const SiteJob job = job_of(block, from);
  const std::size_t bytes = static_cast<std::size_t>(from.sites) * site_bytes();
  copy(Direction::to_device, block, 0, put_places(block, from));
  program_.launch(Kernel::pack, job, block.stream);
  copy(Direction::to_host, block, file_at_, file_at_ + bytes);
  if (form_.has_crcs) {
    program_.launch(Kernel::crc, job, block.stream);
    copy(Direction::to_host, block, crcs_at_, crcs_at_ + from.sites * sizeof(std::uint32_t));
  }
  driver_.record(block.done, block.stream);
}

void FileBlocks::begin_in(std::size_t i, const MemorySites& to) {
  const Inside inside(driver_, home_);
  Block& block = blocks_[i];
  block.is_moving = true;
  const SiteJob job = job_of(block, to);
  const std::size_t bytes = static_cast<std::size_t>(to.sites) * site_bytes();
  copy(Direction::to_device, block, 0, put_places(block, to));
  copy(Direction::to_device, block, file_at_, file_at_ + bytes);
  program_.launch(Kernel::unpack, job, block.stream);
  if (form_.has_crcs) {
    program_.launch(Kernel::crc, job, block.stream);
    copy(Direction::to_host, block, crcs_at_, crcs_at_ + to.sites * sizeof(std::uint32_t));
  }
  driver_.record(block.done, block.stream);
}

bool FileBlocks::wait(std::size_t i) {
  Block& block = blocks_[i];
  if (!block.is_moving) return false;
  const Inside inside(driver_, home_);
  driver_.wait(block.done);
  block.is_moving = false;
  return true;
}

}  // namespace lq::device
