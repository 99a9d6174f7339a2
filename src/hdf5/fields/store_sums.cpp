// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/fields/store_sums.hpp"

#include <fmt/format.h>

#include "base/function_ref.hpp"
#include "format/unproven.hpp"
#include "hdf5/driver/driver.hpp"
#include "hdf5/layouts/layout_writer.hpp"
#include "hdf5/making/make.hpp"

namespace lq::hdf5 {
namespace {

// By what is next to it.
const LayoutWriter& layout_of(hid_t object) {
  const bool is_qlua = H5Iget_type(object) == H5I_GROUP || H5Aexists(object, ".kind") > 0;
  if (is_qlua) return qlua_writer();
  return H5Aexists(object, "limequat_layout") > 0 ? native_writer() : qdp_writer();
}

// What the library changes becomes changes of the file.
void edit(base::EditedSource& file, base::FunctionRef<void(hid_t)> change) {
  const Lock lock;
  Image image(file);
  Handle opened = open_in(image, Access::write);
  change(opened.get());
  close_in(std::move(opened), image);
  const auto changes = image.changes();
  if (image.size() > file.size()) file.append_zeros(image.size() - file.size());
  for (const auto& [offset, bytes] : changes) file.replace(offset, bytes.size(), bytes);
}

}  // namespace

void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const format::Digest& sums) {
  if (sums.sums.all.empty()) {
    return state_unproven(file, "since a repair: a field had no checksum that could be read, and the file was damaged");
  }
  const Where where{catalog.path, absolute_path(entry.name)};
  edit(file, [&](hid_t opened) {
    const Handle object = require(H5Oopen(opened, where.object.c_str(), H5P_DEFAULT), H5Oclose, where, "is not there");
    const LayoutWriter& layout = layout_of(object.get());
    format::FieldRequest request;
    request.name = entry.name;
    request.spec = entry.payload.spec;
    request.extents = entry.payload.extents;
    request.slice_checksums = sums.sums.find({SumKind::scidac, SumOf::slices}) != nullptr;
    const FieldDatasets plan = layout.datasets(request);
    std::vector<Handle> datasets;
    for (const DatasetPlan& one : plan.datasets) {
      datasets.push_back(require(H5Dopen2(opened, one.path.c_str(), H5P_DEFAULT), H5Dclose, where, "is not a dataset"));
    }
    layout.put_sums(datasets, plan, {request, sums, {}});
  });
}

void state_unproven(base::EditedSource& file, const std::string& why) {
  const Where where{file.path(), "/"};
  edit(file, [&](hid_t opened) {
    const Handle root = require(H5Oopen(opened, "/", H5P_DEFAULT), H5Oclose, where, "is not there");
    const std::string name(format::unproven_text);
    if (H5Aexists(root.get(), name.c_str()) <= 0) put_text(root.get(), name, why, where);
  });
}

}  // namespace lq::hdf5
