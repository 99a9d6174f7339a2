// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/fields/store_sums.hpp"

#include <fmt/format.h>

#include "hdf5/driver/driver.hpp"
#include "hdf5/layouts/layout_writer.hpp"

namespace lq::hdf5 {
namespace {

// By what is beside it.
const LayoutWriter& layout_of(hid_t object) {
  const bool is_qlua = H5Iget_type(object) == H5I_GROUP || H5Aexists(object, ".kind") > 0;
  if (is_qlua) return qlua_writer();
  return H5Aexists(object, "limequat_layout") > 0 ? native_writer() : qdp_writer();
}

}  // namespace

void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const format::Digest& sums) {
  const Lock lock;
  Image image(file);
  Handle opened = open_in(image, Access::write);
  const Where where{catalog.path, absolute_path(entry.name)};
  {
    const Handle object =
        require(H5Oopen(opened.get(), where.object.c_str(), H5P_DEFAULT), H5Oclose, where, "is not there");
    const LayoutWriter& layout = layout_of(object.get());
    format::FieldRequest request;
    request.name = entry.name;
    request.spec = entry.payload.spec;
    request.extents = entry.payload.extents;
    request.slice_checksums = sums.sums.find({SumKind::scidac, SumOf::slices}) != nullptr;
    const FieldDatasets plan = layout.datasets(request);
    std::vector<Handle> datasets;
    for (const DatasetPlan& one : plan.datasets) {
      datasets.push_back(
          require(H5Dopen2(opened.get(), one.path.c_str(), H5P_DEFAULT), H5Dclose, where, "is not a dataset"));
    }
    layout.put_sums(datasets, plan, {request, sums, {}});
  }
  close_in(std::move(opened), image);
  const auto changes = image.changes();
  if (image.size() > file.size()) file.append_zeros(image.size() - file.size());
  for (const auto& [offset, bytes] : changes) file.replace(offset, bytes.size(), bytes);
}

}  // namespace lq::hdf5
