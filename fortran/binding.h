// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What module limequat needs of the C interface and cannot say in Fortran: descriptors of arrays, and structs of
// options.
#ifndef LIMEQUAT_FORTRAN_BINDING_H
#define LIMEQUAT_FORTRAN_BINDING_H

#include <ISO_Fortran_binding.h>
#include <limequat.h>

// Pairs of texts, a name and a value, each ended by NUL, one behind the other.
typedef struct lq_pairs {
  const char* texts;
  size_t count;
} lq_pairs;

// type(lq_report) of the module.
typedef struct lq_fortran_report {
  int64_t bytes;
  double seconds;
  int64_t suma, sumb;
  int checksum_status;
} lq_fortran_report;

// What a file says of a field, with its name and extents beside it.
typedef struct lq_fortran_facts {
  int kind, precision, colors, spins, links, is_complex, dimensions;
  int has_checksum, has_plaquette, has_link_trace;
  int64_t numbers, site_bytes, bytes, offset, suma, sumb;
  double plaquette, link_trace;
} lq_fortran_facts;

// A field in an array of any rank, whose type says the precision; `numbers` are real ones per site.
lq_field lq_fortran_gauge(const CFI_cdesc_t* data);
lq_field lq_fortran_spinor(const CFI_cdesc_t* data);
lq_field lq_fortran_propagator(const CFI_cdesc_t* data);
lq_field lq_fortran_sites(const CFI_cdesc_t* data, int64_t numbers);

// As the functions of limequat.h without `_fortran`, with options and metadata by name. Where options are wrong on this
// rank alone, all ranks are told.
lq_status lq_fortran_read(const char* path, const lq_grid* grid, const lq_field* field, lq_pairs options,
                          lq_fortran_report* report);
lq_status lq_fortran_write(const char* path, const lq_grid* grid, const lq_field* field, lq_pairs options,
                           lq_pairs metadata, lq_fortran_report* report);
lq_status lq_fortran_read_async(const char* path, const lq_grid* grid, const lq_field* field, lq_pairs options,
                                lq_pending** pending);
lq_status lq_fortran_write_async(const char* path, const lq_grid* grid, const lq_field* field, lq_pairs options,
                                 lq_pairs metadata, lq_pending** pending);
lq_status lq_fortran_create(const char* path, const lq_grid* grid, lq_pairs options, lq_writer** writer);
lq_status lq_fortran_writer_write(lq_writer* writer, const char* name, const lq_field* field, lq_pairs metadata);
lq_status lq_fortran_region_writer_create(const char* path, const lq_grid* grid, const lq_field* like, lq_pairs options,
                                          lq_pairs metadata, lq_region_writer** writer);
lq_status lq_fortran_region_writer_write(lq_region_writer* writer, const int64_t* lower, const int64_t* extents,
                                         const lq_field* field);
lq_status lq_fortran_region_writer_missing(const lq_region_writer* writer, int64_t* sites);
lq_status lq_fortran_open(const char* path, const lq_communicator* communicator, lq_pairs options, lq_file** file);
lq_status lq_fortran_file_read(const lq_file* file, const lq_grid* grid, const lq_field* field, lq_pairs options,
                               lq_fortran_report* report);
lq_status lq_fortran_inspect(const char* path, const lq_communicator* communicator, lq_pairs options, char** json);
lq_status lq_fortran_field_count(const char* path, const lq_communicator* communicator, int64_t* fields);
// `extents` has room for LQ_MAX_DIMENSIONS; `name` is to be freed.
lq_status lq_fortran_field_facts(const char* path, const lq_communicator* communicator, int64_t number,
                                 lq_fortran_facts* facts, int64_t* extents, char** name);
lq_status lq_fortran_verify(const char* path, const lq_communicator* communicator, lq_pairs options, int* is_sound,
                            char** json);
lq_status lq_fortran_convert(const char* from, const char* to, const lq_communicator* communicator, lq_pairs options);
lq_status lq_fortran_diff(const char* a, const char* b, const lq_communicator* communicator, lq_pairs options,
                          int* is_same, char** json);
lq_status lq_fortran_multifile_create(const char* path, const lq_communicator* communicator, lq_pairs options,
                                      int append, lq_multifile_writer** writer);
lq_status lq_fortran_multifile_write(lq_multifile_writer* writer, int stream, const CFI_cdesc_t* data);
lq_status lq_fortran_multifile_write_field(lq_multifile_writer* writer, const char* name, const lq_grid* grid,
                                           const lq_field* field, lq_pairs options);
lq_status lq_fortran_multifile_open(const char* path, const lq_communicator* communicator, lq_pairs options,
                                    lq_multifile_reader** reader);
lq_status lq_fortran_multifile_read(lq_multifile_reader* reader, int64_t task, int64_t position, CFI_cdesc_t* data,
                                    int64_t* got);
lq_status lq_fortran_multifile_read_field(const lq_multifile_reader* reader, const char* name, const lq_grid* grid,
                                          const lq_field* field, lq_pairs options);
lq_status lq_fortran_checkpoints_open(const char* folder, const lq_communicator* communicator, lq_pairs options,
                                      lq_checkpoints** checkpoints);
lq_status lq_fortran_checkpoints_add_stream(lq_checkpoints* checkpoints, const CFI_cdesc_t* data);
lq_status lq_fortran_checkpoints_add_field(lq_checkpoints* checkpoints, const char* name, const lq_grid* grid,
                                           const lq_field* field);
lq_status lq_fortran_checkpoints_add_state(lq_checkpoints* checkpoints, const char* name, const CFI_cdesc_t* data);
lq_status lq_fortran_checkpoints_save(lq_checkpoints* checkpoints, int64_t step, int in_background);
lq_status lq_fortran_checkpoint_read_field(const lq_checkpoint* checkpoint, const char* name, const lq_grid* grid,
                                           const lq_field* field);
lq_status lq_fortran_checkpoint_read_state(const lq_checkpoint* checkpoint, const char* name, CFI_cdesc_t* data);
lq_status lq_fortran_plaquette(const lq_grid* grid, const lq_field* field, double* values);

#endif
