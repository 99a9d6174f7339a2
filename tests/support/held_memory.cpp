// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In front of each piece stand its owner and its size.
#include "support/held_memory.hpp"

#include <cstdlib>
#include <new>

namespace {

struct alignas(16) Label {
  lq::testing::HeldMemory* owner;
  std::size_t bytes;
};

void* allocate(std::size_t bytes) {
  if (lq::testing::HeldMemory* const owner = lq::testing::memory_owner; owner != nullptr && owner->fail_at >= 0) {
    const std::int64_t number = owner->asked++;
    if (number == owner->fail_at || (owner->for_good && number > owner->fail_at)) throw std::bad_alloc();
  }
  void* const place = std::malloc(sizeof(Label) + bytes);
  if (place == nullptr) throw std::bad_alloc();
  Label* const label = new (place) Label{lq::testing::memory_owner, bytes};
  if (label->owner != nullptr) {
    const std::int64_t now = label->owner->now += static_cast<std::int64_t>(bytes);
    if (now > label->owner->most.load()) label->owner->most = now;
  }
  return label + 1;
}

void release(void* bytes) noexcept {
  if (bytes == nullptr) return;
  Label* const label = static_cast<Label*>(bytes) - 1;
  if (label->owner != nullptr) label->owner->now -= static_cast<std::int64_t>(label->bytes);
  std::free(label);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept try {
  return allocate(bytes);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* bytes) noexcept { release(bytes); }
void operator delete[](void* bytes) noexcept { release(bytes); }
void operator delete(void* bytes, std::size_t) noexcept { release(bytes); }
void operator delete[](void* bytes, std::size_t) noexcept { release(bytes); }
void operator delete(void* bytes, const std::nothrow_t&) noexcept { release(bytes); }
