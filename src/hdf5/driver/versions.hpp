// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The few functions of the HDF5 library that differ between its versions 1.10 and 2. All of them under a Lock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hdf5.h>

namespace lq::hdf5 {

inline constexpr std::uint64_t no_address = ~std::uint64_t{0};

struct RawLink {
  std::string name;
  H5L_type_t type = H5L_TYPE_ERROR;
  std::uint64_t address = no_address;  // hard links: of the object's header, from the end of the user block on
  std::size_t value_bytes = 0;         // other links: of what they point to
};
struct RawLinks {
  std::vector<RawLink> links;
  bool is_all = true;  // false: there are more than were asked for
};
// Of a group, as they come. Negative `status`: the library failed.
herr_t list_links(hid_t group, std::uint64_t most, RawLinks& found);
herr_t link_facts(hid_t group, const char* name, RawLink& link);

struct RawObject {
  H5O_type_t type = H5O_TYPE_UNKNOWN;
  std::uint64_t address = no_address;  // from the end of the user block on
  std::uint64_t attributes = 0;
};
herr_t object_facts(hid_t object, RawObject& facts);
// Of a member of a group that is a hard link.
herr_t object_facts(hid_t group, const char* name, RawObject& facts);

// The bytes of the chunk that begins with that element, as they lie in the file; `skipped`: filters that were not
// applied. Negative: there is none, or the library failed.
herr_t read_chunk(hid_t dataset, const hsize_t* first, std::uint32_t& skipped, void* bytes);

}  // namespace lq::hdf5
