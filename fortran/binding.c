// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See binding.h.
#include "binding.h"

#include <stdlib.h>
#include <string.h>

// ---- Arrays ----------------------------------------------------------------------------------------------------

// How many elements an array has; -1 where only its caller knows (assumed size).
static int64_t elements_of(const CFI_cdesc_t* data) {
  int64_t count = 1;
  for (int d = 0; d < data->rank; ++d) {
    if (data->dim[d].extent < 0) return -1;
    count *= data->dim[d].extent;
  }
  return count;
}

// Real numbers in an element and their precision; 0 for types that are not numbers.
static int numbers_of(const CFI_cdesc_t* data, int* precision) {
  switch (data->type) {
    case CFI_type_float:
      *precision = LQ_SINGLE;
      return 1;
    case CFI_type_double:
      *precision = LQ_DOUBLE;
      return 1;
    case CFI_type_float_Complex:
      *precision = LQ_SINGLE;
      return 2;
    case CFI_type_double_Complex:
      *precision = LQ_DOUBLE;
      return 2;
    default:
      return 0;
  }
}

static lq_field empty_field(int kind, int precision, int64_t numbers, int is_complex) {
  const int is_single = precision == LQ_SINGLE;
  switch (kind) {
    case LQ_GAUGE:
      return is_single ? lq_gauge_f32(NULL) : lq_gauge_f64(NULL);
    case LQ_SPINOR:
      return is_single ? lq_spinor_f32(NULL) : lq_spinor_f64(NULL);
    case LQ_PROPAGATOR:
      return is_single ? lq_propagator_f32(NULL) : lq_propagator_f64(NULL);
    default:
      return is_single ? lq_sites_f32(NULL, (uint64_t)numbers, is_complex)
                       : lq_sites_f64(NULL, (uint64_t)numbers, is_complex);
  }
}

static lq_field field_of(int kind, const CFI_cdesc_t* data, int64_t numbers) {
  int precision = LQ_DOUBLE;
  const int each = numbers_of(data, &precision);
  lq_field field = empty_field(kind, precision, numbers, each == 2);
  if (each == 0) {
    field.problem = "the array of the field: expected real or complex numbers of 32 or 64 bits";
  } else if (data->base_addr == NULL) {
    field.problem = "the array of the field is not allocated";
  } else if (elements_of(data) > 0 && !CFI_is_contiguous(data)) {
    field.problem = "the array of the field is a section with gaps; give a whole array, or a copy of the section";
  } else if (elements_of(data) != 0) {  // an array of no elements stays NULL: the field of a rank without sites
    field.data = data->base_addr;
    field.available = elements_of(data) < 0 ? 0 : (uint64_t)(elements_of(data) * each);
  }
  return field;
}

lq_field lq_fortran_gauge(const CFI_cdesc_t* data) { return field_of(LQ_GAUGE, data, 0); }
lq_field lq_fortran_spinor(const CFI_cdesc_t* data) { return field_of(LQ_SPINOR, data, 0); }
lq_field lq_fortran_propagator(const CFI_cdesc_t* data) { return field_of(LQ_PROPAGATOR, data, 0); }
lq_field lq_fortran_sites(const CFI_cdesc_t* data, int64_t numbers) { return field_of(LQ_GENERIC, data, numbers); }

// ---- Options ---------------------------------------------------------------------------------------------------

// Takes the next pair of texts from the front of `pairs`.
static lq_metadata next_pair(lq_pairs* pairs) {
  lq_metadata pair;
  pair.name = pairs->texts;
  pair.text = pair.name + strlen(pair.name) + 1;
  pairs->texts = pair.text + strlen(pair.text) + 1;
  --pairs->count;
  return pair;
}

// set_TYPE: the defaults of an options struct, then what the pairs say.
#define LQ_SETTER(TYPE)                                        \
  static lq_status set_##TYPE(TYPE* options, lq_pairs pairs) { \
    lq_status status = TYPE##_init(options, sizeof *options);  \
    while (status == LQ_OK && pairs.count > 0) {               \
      const lq_metadata pair = next_pair(&pairs);              \
      status = TYPE##_set(options, pair.name, pair.text);      \
    }                                                          \
    return status;                                             \
  }
LQ_SETTER(lq_read_options)
LQ_SETTER(lq_write_options)
LQ_SETTER(lq_scan_options)
LQ_SETTER(lq_verify_options)
LQ_SETTER(lq_diff_options)
LQ_SETTER(lq_multifile_options)
LQ_SETTER(lq_multifile_read_options)
LQ_SETTER(lq_checkpoints_options)

// Those of a conversion are its own and those of the new file.
static lq_status set_conversion(lq_convert_options* own, lq_write_options* write, lq_pairs pairs) {
  lq_status status = lq_convert_options_init(own, sizeof *own);
  if (status == LQ_OK) status = lq_write_options_init(write, sizeof *write);
  while (status == LQ_OK && pairs.count > 0) {
    const lq_metadata pair = next_pair(&pairs);
    if (lq_convert_options_set(own, pair.name, pair.text) != LQ_OK) {
      status = lq_write_options_set(write, pair.name, pair.text);
    }
  }
  own->write = write;
  return status;
}

// NULL where there are none, or no memory for them.
static lq_metadata* metadata_of(lq_pairs pairs) {
  lq_metadata* metadata = pairs.count == 0 ? NULL : malloc(pairs.count * sizeof *metadata);
  for (size_t i = 0; metadata != NULL && pairs.count > 0; ++i) metadata[i] = next_pair(&pairs);
  return metadata;
}

// What went wrong on this rank before the call; its texts are those of the last error.
static lq_failure failure_of(lq_status status) {
  const lq_failure failure = {.struct_size = sizeof failure,
                              .status = (int)status,
                              .sentence = lq_error_text(),
                              .path = lq_error_path(),
                              .record = lq_error_record(),
                              .expected = lq_error_expected(),
                              .found = lq_error_found(),
                              .offset = lq_error_offset(),
                              .system_errno = lq_error_errno()};
  return failure;
}

// Collective. Whether options were right on all ranks: none begins a call that another one stays away from.
static lq_status agreed(const lq_communicator* communicator, lq_status status) {
  const lq_failure failure = failure_of(status);
  return lq_communicator_agree(communicator, status == LQ_OK ? NULL : &failure);
}

// The field, or what was wrong before it was reached: the call it is handed to tells all ranks.
static lq_field unless(lq_field field, int is_wrong, const char* problem) {
  if (is_wrong && field.problem == NULL) field.problem = problem;
  return field;
}

static void take_report(lq_fortran_report* out, const lq_report* report) {
  if (out == NULL) return;
  out->bytes = (int64_t)report->bytes;
  out->seconds = report->seconds;
  out->suma = report->checksum.suma;
  out->sumb = report->checksum.sumb;
  out->checksum_status = report->checksum_status;
}

// ---- One field -------------------------------------------------------------------------------------------------

typedef struct lq_fortran_writing {
  lq_write_options options;
  lq_metadata* metadata;
  lq_field field;
} lq_fortran_writing;

static void begin_writing(lq_fortran_writing* writing, const lq_field* field, lq_pairs options, lq_pairs metadata) {
  const int is_wrong = set_lq_write_options(&writing->options, options) != LQ_OK;
  writing->field = unless(*field, is_wrong, lq_error_text());
  writing->metadata = metadata_of(metadata);
  writing->field =
      unless(writing->field, metadata.count > 0 && writing->metadata == NULL, "no memory for the metadata");
  writing->options.metadata = writing->metadata;
  writing->options.metadata_count = metadata.count;
}

lq_status lq_fortran_read(const char* path, const lq_grid* grid, const lq_field* field, lq_pairs options,
                          lq_fortran_report* report) {
  lq_read_options all;
  lq_report done = {.struct_size = sizeof done};
  const int is_wrong = set_lq_read_options(&all, options) != LQ_OK;
  all.report = &done;
  const lq_status status = lq_read(path, grid, unless(*field, is_wrong, lq_error_text()), &all);
  if (status == LQ_OK) take_report(report, &done);
  return status;
}

lq_status lq_fortran_write(const char* path, const lq_grid* grid, const lq_field* field, lq_pairs options,
                           lq_pairs metadata, lq_fortran_report* report) {
  lq_fortran_writing writing;
  lq_report done = {.struct_size = sizeof done};
  begin_writing(&writing, field, options, metadata);
  writing.options.report = &done;
  const lq_status status = lq_write(path, grid, writing.field, &writing.options);
  if (status == LQ_OK) take_report(report, &done);
  free(writing.metadata);
  return status;
}

lq_status lq_fortran_read_async(const char* path, const lq_grid* grid, const lq_field* field, lq_pairs options,
                                lq_pending** pending) {
  lq_read_options all;
  const int is_wrong = set_lq_read_options(&all, options) != LQ_OK;
  return lq_read_async(path, grid, unless(*field, is_wrong, lq_error_text()), &all, pending);
}

lq_status lq_fortran_write_async(const char* path, const lq_grid* grid, const lq_field* field, lq_pairs options,
                                 lq_pairs metadata, lq_pending** pending) {
  lq_fortran_writing writing;
  begin_writing(&writing, field, options, metadata);
  const lq_status status = lq_write_async(path, grid, writing.field, &writing.options, pending);
  free(writing.metadata);
  return status;
}

// ---- Files -----------------------------------------------------------------------------------------------------

lq_status lq_fortran_create(const char* path, const lq_grid* grid, lq_pairs options, lq_writer** writer) {
  lq_write_options all;
  const lq_status mine = set_lq_write_options(&all, options);
  const lq_failure failure = failure_of(mine);
  const lq_status status = lq_grid_agree(grid, mine == LQ_OK ? NULL : &failure);
  return status == LQ_OK ? lq_writer_create(path, grid, &all, writer) : status;
}

lq_status lq_fortran_writer_write(lq_writer* writer, const char* name, const lq_field* field, lq_pairs metadata) {
  lq_metadata* all = metadata_of(metadata);
  const lq_field checked = unless(*field, metadata.count > 0 && all == NULL, "no memory for the metadata");
  const lq_status status = lq_writer_write(writer, name, checked, all, all == NULL ? 0 : metadata.count, NULL);
  free(all);
  return status;
}

lq_status lq_fortran_region_writer_create(const char* path, const lq_grid* grid, const lq_field* like, lq_pairs options,
                                          lq_pairs metadata, lq_region_writer** writer) {
  lq_fortran_writing writing;
  begin_writing(&writing, like, options, metadata);
  const lq_status status = lq_region_writer_create(path, grid, writing.field, &writing.options, writer);
  free(writing.metadata);
  return status;
}

lq_status lq_fortran_region_writer_write(lq_region_writer* writer, const int64_t* lower, const int64_t* extents,
                                         const lq_field* field) {
  return lq_region_writer_write(writer, lower, extents, *field);
}

lq_status lq_fortran_region_writer_missing(const lq_region_writer* writer, int64_t* sites) {
  uint64_t count = 0;
  const lq_status status = lq_region_writer_missing(writer, &count);
  *sites = (int64_t)count;
  return status;
}

lq_status lq_fortran_open(const char* path, const lq_communicator* communicator, lq_pairs options, lq_file** file) {
  lq_scan_options all;
  const lq_status status = agreed(communicator, set_lq_scan_options(&all, options));
  all.communicator = communicator;
  return status == LQ_OK ? lq_file_open(path, &all, file) : status;
}

lq_status lq_fortran_file_read(const lq_file* file, const lq_grid* grid, const lq_field* field, lq_pairs options,
                               lq_fortran_report* report) {
  lq_read_options all;
  lq_report done = {.struct_size = sizeof done};
  const int is_wrong = set_lq_read_options(&all, options) != LQ_OK;
  all.report = &done;
  const lq_status status = lq_file_read(file, grid, unless(*field, is_wrong, lq_error_text()), &all);
  if (status == LQ_OK) take_report(report, &done);
  return status;
}

lq_status lq_fortran_inspect(const char* path, const lq_communicator* communicator, lq_pairs options, char** json) {
  lq_scan_options all;
  const lq_status status = agreed(communicator, set_lq_scan_options(&all, options));
  all.communicator = communicator;
  return status == LQ_OK ? lq_inspect(path, &all, json) : status;
}

static lq_status open_catalog(const char* path, const lq_communicator* communicator, lq_catalog** catalog) {
  lq_scan_options all;
  lq_scan_options_init(&all, sizeof all);
  all.communicator = communicator;
  return lq_catalog_open(path, &all, catalog);
}

lq_status lq_fortran_field_count(const char* path, const lq_communicator* communicator, int64_t* fields) {
  lq_catalog* catalog = NULL;
  lq_file_info file = {.struct_size = sizeof file};
  lq_status status = open_catalog(path, communicator, &catalog);
  if (status == LQ_OK) status = lq_catalog_file(catalog, &file);
  *fields = (int64_t)file.fields;
  lq_catalog_free(catalog);
  return status;
}

static void take_facts(const lq_field_info* field, lq_fortran_facts* facts, int64_t* extents) {
  const lq_spec* const spec = &field->spec;
  *facts = (lq_fortran_facts){.kind = spec->kind,
                              .precision = spec->precision,
                              .colors = spec->colors,
                              .spins = spec->spins,
                              .links = spec->links,
                              .is_complex = spec->is_complex,
                              .dimensions = field->dimensions,
                              .has_checksum = field->has_checksum,
                              .has_plaquette = field->has_plaquette,
                              .has_link_trace = field->has_link_trace,
                              .numbers = (int64_t)spec->numbers,
                              .site_bytes = (int64_t)spec->numbers * (spec->precision / 8),
                              .bytes = (int64_t)field->bytes,
                              .offset = (int64_t)field->offset,
                              .suma = field->checksum.suma,
                              .sumb = field->checksum.sumb,
                              .plaquette = field->plaquette,
                              .link_trace = field->link_trace};
  memcpy(extents, field->extents, sizeof field->extents);
}

lq_status lq_fortran_field_facts(const char* path, const lq_communicator* communicator, int64_t number,
                                 lq_fortran_facts* facts, int64_t* extents, char** name) {
  lq_catalog* catalog = NULL;
  lq_field_info field = {.struct_size = sizeof field};
  lq_status status = open_catalog(path, communicator, &catalog);
  // A number below 0 is beyond the last one, too.
  if (status == LQ_OK) status = lq_catalog_field(catalog, (uint64_t)number, &field);
  if (status == LQ_OK) {
    take_facts(&field, facts, extents);
    *name = malloc(strlen(field.name) + 1);
    if (*name != NULL) strcpy(*name, field.name);
  }
  lq_catalog_free(catalog);
  return status;
}

lq_status lq_fortran_verify(const char* path, const lq_communicator* communicator, lq_pairs options, int* is_sound,
                            char** json) {
  lq_verify_options all;
  const lq_status status = agreed(communicator, set_lq_verify_options(&all, options));
  all.communicator = communicator;
  return status == LQ_OK ? lq_verify(path, &all, is_sound, json) : status;
}

lq_status lq_fortran_convert(const char* from, const char* to, const lq_communicator* communicator, lq_pairs options) {
  lq_convert_options all;
  lq_write_options write;
  const lq_status status = agreed(communicator, set_conversion(&all, &write, options));
  all.communicator = communicator;
  return status == LQ_OK ? lq_convert(from, to, &all, NULL) : status;
}

lq_status lq_fortran_diff(const char* a, const char* b, const lq_communicator* communicator, lq_pairs options,
                          int* is_same, char** json) {
  lq_diff_options all;
  const lq_status status = agreed(communicator, set_lq_diff_options(&all, options));
  all.communicator = communicator;
  return status == LQ_OK ? lq_diff(a, b, &all, is_same, json) : status;
}

lq_status lq_fortran_plaquette(const lq_grid* grid, const lq_field* field, double* values) {
  return lq_plaquette(grid, *field, values);
}

// ---- Multifiles ------------------------------------------------------------------------------------------------

// An array of assumed size has no number of bytes: it goes as one byte at NULL, which the library refuses.
static uint64_t bytes_of(const CFI_cdesc_t* data, int64_t count) {
  return count < 0 ? 1 : (uint64_t)count * data->elem_len;
}

lq_status lq_fortran_multifile_create(const char* path, const lq_communicator* communicator, lq_pairs options,
                                      int append, lq_multifile_writer** writer) {
  lq_multifile_options all;
  const lq_status status = agreed(communicator, set_lq_multifile_options(&all, options));
  all.communicator = communicator;
  if (status != LQ_OK) return status;
  return append ? lq_multifile_append(path, &all, writer) : lq_multifile_create(path, &all, writer);
}

lq_status lq_fortran_multifile_write(lq_multifile_writer* writer, int stream, const CFI_cdesc_t* data) {
  const int64_t count = elements_of(data);
  return lq_multifile_write(writer, stream, count < 0 ? NULL : data->base_addr, bytes_of(data, count));
}

lq_status lq_fortran_multifile_write_field(lq_multifile_writer* writer, const char* name, const lq_grid* grid,
                                           const lq_field* field, lq_pairs options) {
  lq_write_options all;
  const int is_wrong = set_lq_write_options(&all, options) != LQ_OK;
  return lq_multifile_write_field(writer, name, grid, unless(*field, is_wrong, lq_error_text()), &all);
}

lq_status lq_fortran_multifile_open(const char* path, const lq_communicator* communicator, lq_pairs options,
                                    lq_multifile_reader** reader) {
  lq_multifile_read_options all;
  const lq_status status = agreed(communicator, set_lq_multifile_read_options(&all, options));
  all.communicator = communicator;
  return status == LQ_OK ? lq_multifile_open(path, &all, reader) : status;
}

lq_status lq_fortran_multifile_read(lq_multifile_reader* reader, int64_t task, int64_t position, CFI_cdesc_t* data,
                                    int64_t* got) {
  uint64_t bytes = 0;
  const int64_t count = elements_of(data);
  const lq_status status = lq_multifile_read(reader, task, (uint64_t)position, count < 0 ? NULL : data->base_addr,
                                             bytes_of(data, count), &bytes);
  *got = (int64_t)bytes;
  return status;
}

lq_status lq_fortran_multifile_read_field(const lq_multifile_reader* reader, const char* name, const lq_grid* grid,
                                          const lq_field* field, lq_pairs options) {
  lq_read_options all;
  const int is_wrong = set_lq_read_options(&all, options) != LQ_OK;
  return lq_multifile_read_field(reader, name, grid, unless(*field, is_wrong, lq_error_text()), &all);
}

// ---- Checkpoints -----------------------------------------------------------------------------------------------

lq_status lq_fortran_checkpoints_open(const char* folder, const lq_communicator* communicator, lq_pairs options,
                                      lq_checkpoints** checkpoints) {
  lq_checkpoints_options all;
  const lq_status status = agreed(communicator, set_lq_checkpoints_options(&all, options));
  all.communicator = communicator;
  return status == LQ_OK ? lq_checkpoints_open(folder, &all, checkpoints) : status;
}

lq_status lq_fortran_checkpoints_add_stream(lq_checkpoints* checkpoints, const CFI_cdesc_t* data) {
  const int64_t count = elements_of(data);
  return lq_checkpoints_add_stream(checkpoints, count < 0 ? NULL : data->base_addr, bytes_of(data, count));
}

lq_status lq_fortran_checkpoints_add_field(lq_checkpoints* checkpoints, const char* name, const lq_grid* grid,
                                           const lq_field* field) {
  return lq_checkpoints_add_field(checkpoints, name, grid, *field, NULL);
}

lq_status lq_fortran_checkpoints_add_state(lq_checkpoints* checkpoints, const char* name, const CFI_cdesc_t* data) {
  const int64_t count = elements_of(data);
  return lq_checkpoints_add_state(checkpoints, name, count < 0 ? NULL : data->base_addr, bytes_of(data, count));
}

lq_status lq_fortran_checkpoints_save(lq_checkpoints* checkpoints, int64_t step, int in_background) {
  return in_background ? lq_checkpoints_save_async(checkpoints, (uint64_t)step)
                       : lq_checkpoints_save(checkpoints, (uint64_t)step, NULL);
}

lq_status lq_fortran_checkpoint_read_field(const lq_checkpoint* checkpoint, const char* name, const lq_grid* grid,
                                           const lq_field* field) {
  return lq_checkpoint_read_field(checkpoint, name, grid, *field, NULL);
}

lq_status lq_fortran_checkpoint_read_state(const lq_checkpoint* checkpoint, const char* name, CFI_cdesc_t* data) {
  const int64_t count = elements_of(data);
  return lq_checkpoint_read_state(checkpoint, name, count < 0 ? NULL : data->base_addr, bytes_of(data, count));
}
