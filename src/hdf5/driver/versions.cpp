// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/driver/versions.hpp"

#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {
namespace {

#if H5_VERSION_GE(1, 12, 0)
using LinkInfo = H5L_info2_t;
using ObjectInfo = H5O_info2_t;
std::uint64_t address_of(hid_t place, const H5O_token_t& token) {
  haddr_t address = HADDR_UNDEF;
  return H5VLnative_token_to_addr(place, token, &address) < 0 ? no_address : address;
}
std::uint64_t address_of(hid_t group, const LinkInfo& info) { return address_of(group, info.u.token); }
std::uint64_t address_of(hid_t object, const ObjectInfo& info) { return address_of(object, info.token); }
#else
using LinkInfo = H5L_info_t;
using ObjectInfo = H5O_info_t;
std::uint64_t address_of(hid_t, const LinkInfo& info) { return info.u.address; }
std::uint64_t address_of(hid_t, const ObjectInfo& info) { return info.addr; }
#endif

RawLink raw_link(hid_t group, const char* name, const LinkInfo& info) {
  const bool is_hard = info.type == H5L_TYPE_HARD;
  return {.name = name,
          .type = info.type,
          .address = is_hard ? address_of(group, info) : no_address,
          .value_bytes = is_hard ? 0 : info.u.val_size};
}

struct Listing {
  RawLinks* found;
  std::uint64_t most;
};

extern "C" herr_t lq_hdf5_take_link(hid_t group, const char* name, const LinkInfo* info, void* data) {
  auto& listing = *static_cast<Listing*>(data);
  try {
    RawLinks& found = *listing.found;
    if (found.links.size() >= listing.most) {
      found.is_all = false;
      return 1;
    }
    found.links.push_back(raw_link(group, name, *info));
    return 0;
  } catch (...) {
    keep_driver_failure();
    return -1;
  }
}

void take(hid_t place, const ObjectInfo& info, RawObject& facts) {
  facts = {.type = info.type, .address = address_of(place, info), .attributes = info.num_attrs};
}

}  // namespace

herr_t list_links(hid_t group, std::uint64_t most, RawLinks& found) {
  Listing listing{&found, most};
  hsize_t at = 0;
#if H5_VERSION_GE(1, 12, 0)
  return H5Literate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, lq_hdf5_take_link, &listing);
#else
  return H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, lq_hdf5_take_link, &listing);
#endif
}

herr_t link_facts(hid_t group, const char* name, RawLink& link) {
  LinkInfo info;
#if H5_VERSION_GE(1, 12, 0)
  const herr_t status = H5Lget_info2(group, name, &info, H5P_DEFAULT);
#else
  const herr_t status = H5Lget_info(group, name, &info, H5P_DEFAULT);
#endif
  if (status >= 0) link = raw_link(group, name, info);
  return status;
}

herr_t object_facts(hid_t object, RawObject& facts) {
  ObjectInfo info;
#if H5_VERSION_GE(1, 12, 0)
  const herr_t status = H5Oget_info3(object, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS);
#else
  const herr_t status = H5Oget_info2(object, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS);
#endif
  if (status >= 0) take(object, info, facts);
  return status;
}

herr_t object_facts(hid_t group, const char* name, RawObject& facts) {
  ObjectInfo info;
#if H5_VERSION_GE(1, 12, 0)
  const herr_t status = H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS, H5P_DEFAULT);
#else
  const herr_t status = H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS, H5P_DEFAULT);
#endif
  if (status >= 0) take(group, info, facts);
  return status;
}

herr_t read_chunk(hid_t dataset, const hsize_t* first, std::uint32_t& skipped, void* bytes) {
#if H5_VERSION_GE(2, 0, 0)
  std::size_t room = SIZE_MAX;
  return H5Dread_chunk2(dataset, H5P_DEFAULT, first, &skipped, bytes, &room);
#else
  return H5Dread_chunk(dataset, H5P_DEFAULT, first, &skipped, bytes);
#endif
}

}  // namespace lq::hdf5
