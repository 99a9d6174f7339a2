// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of sessions with HDF5 files.
#include <limequat/hdf5.hpp>

#include "options/shared_rows.hpp"

namespace lq::options {

Table hdf5_table() {
  using V = Hdf5Options;
  using C = lq_hdf5_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("Hdf5Options", "lq_hdf5_options", "A session with an HDF5 file");
  result.functions = {"hdf5.open"};
  result.others.push_back(c_member("communicator", &C::communicator));
  result.rows = {
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::layout, &C::layout>(
          {.name = "layout",
           .meaning = "of what is written: native, qdp or qlua (default native)",
           .advice =
               "Whose programs are to read them: native is for h5py and xarray and has a SHA-256 and a time stamp "
               "beside each object, qdp is what QDP++ reads, qlua what QLUA reads. What a layout has no place for "
               "is refused. A lattice field may have another one."}),
      Row::row<&V::time_stamps, &C::time_stamps>(
          {.name = "time_stamps",
           .meaning = "when an object was written (default on)",
           .advice =
               "Without them the same calls make the same bytes, at any time. QLUA expects one: it is 1970 then."}),
      Row::row<&V::digests, &C::digests>(
          {.name = "digests",
           .meaning = "what to do about the SHA-256 of small objects that are read (default check)",
           .advice = "check refuses numbers that are not those that were written, and objects of QLUA without a sum; "
                     "ignore returns them, and the status says ok, absent or mismatch."}),
      Row::row<&V::sync, &C::sync>(
          {.name = "sync",
           .meaning = "what has reached the disk after a flush (default full)",
           .advice =
               "none leaves it to the operating system: a program that is killed loses nothing by it, a machine that "
               "loses its power may lose what was appended last, and with it the order in which a journal protects "
               "the file."}),
  };
  append(result.rows, limit_rows<V, C, &V::limits>());
  for (Option& row : result.rows) row.not_in_lq = "sessions are held by programs";
  return result;
}

}  // namespace lq::options
