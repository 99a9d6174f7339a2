// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of HDF5 files that are open for objects.
#include "options/shared_rows.hpp"

namespace lq::options {

Table hdf5_table() {
  using V = Hdf5Options;
  using C = lq_hdf5_options;
  using Row = Rows<V, C>;
  auto result = table<C>("A session with an HDF5 file", {"hdf5.open"});
  result.rows = {
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::layout, &C::layout>(
          {.name = "layout",
           .meaning = "layout of what is written: native, qdp or qlua (default native)",
           .advice = "Choose by the programs that will read the objects: native is for h5py and xarray and stores a "
                     "SHA-256 and a time stamp with each object, qdp is what QDP++ reads, qlua what QLUA reads. What "
                     "a layout cannot represent is refused. A lattice field may have another layout."}),
      Row::row<&V::time_stamps, &C::time_stamps>(
          {.name = "time_stamps",
           .meaning = "store when an object was written (default on)",
           .advice = "Without time stamps the same calls produce the same bytes at any time. QLUA expects a time "
                     "stamp: it is then 1970."}),
      Row::row<&V::digests, &C::digests>(
          {.name = "digests",
           .meaning = "how the SHA-256 of small objects is handled in reading (default check)",
           .advice = "check refuses numbers that differ from those written, and also objects of QLUA without a "
                     "sum; ignore returns them, and the status says ok, absent or mismatch."}),
      Row::row<&V::sync, &C::sync>(
          {.name = "sync",
           .meaning = "what has reached the disk after a flush (default full)",
           .advice = "none leaves it to the operating system: a killed program loses nothing, but a power failure may "
                     "lose what was appended last, and with it the order in which a journal protects the file."}),
  };
  append(result.rows, limit_rows<V, C, &V::limits>());
  for (Option& row : result.rows) row.not_in_lq = "sessions exist only inside programs";
  return result;
}

}  // namespace lq::options
