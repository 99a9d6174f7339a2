// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limequat for C and for every language that can call C. limequat_mpi.h adds MPI. Conventions:
//  1. Functions return lq_status. LQ_OK is 0; any other value means that nothing was produced, and
//     lq_error_text() and its companions describe the last failure on this thread.
//  2. Handles (lq_grid, lq_writer, lq_pending, lq_communicator, ...) are opaque; each has one lq_x_free, which accepts
//  NULL.
//     Texts handed out through char ** are freed with lq_text_free. Every other pointer is borrowed: memory of
//     fields, names and options need only live as long as the call.
//  3. Output parameters come last and are set on success only. NULL where this header does not say "or NULL"
//     is LQ_INVALID_ARGUMENT. Queries of a handle return 0 for NULL (lq_grid_rank: -1).
//  4. Collective: called by all ranks of the grid or communicator; all get the same status and error. Local:
//     the others are not concerned. A grid or communicator must not be NULL on some ranks only.
//  5. Extents and coordinates are x, y, z, t; all sizes are 64 bit. 0 is false, anything else true.
//  6. Options: call the init function with sizeof(the struct), then change what should differ; NULL means the
//     defaults. Thus programs keep working when a later version adds members at the end.
//     Answers that are structs begin with struct_size, too: set it to sizeof(the struct), the rest is filled in.
//  7. Callbacks run on the calling thread (those of transfers in the background on another one) and must return
//     normally: no C++ exception, no longjmp.
//  8. Calls on different handles may run on different threads; one handle is used by one thread at a time.
#ifndef LIMEQUAT_H
#define LIMEQUAT_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/version.hpp>  // LQ_API and LQ_VERSION_MAJOR, _MINOR, _PATCH; C as well as C++

#ifdef __cplusplus
extern "C" {
#endif

// Pinned numbers, in decades; equal to lq::Code in C++ and limequat.Code in Python.
typedef enum lq_status {
  LQ_OK = 0,
  // the caller can fix it
  LQ_INVALID_ARGUMENT = 10,
  LQ_RANKS_DISAGREE = 11,
  LQ_WRONG_STATE = 12,
  LQ_UNSUPPORTED = 13,
  // the system said no
  LQ_NOT_FOUND = 20,
  LQ_EXISTS = 21,
  LQ_NO_PERMISSION = 22,
  LQ_NO_SPACE = 23,
  LQ_IO = 24,
  // the file is not what it should be
  LQ_UNKNOWN_FORMAT = 30,
  LQ_MALFORMED = 31,
  LQ_TRUNCATED = 32,
  LQ_CHECKSUM_MISMATCH = 33,
  LQ_NO_SUCH_RECORD = 34,
  // does not fit memory, format or an MPI limit
  LQ_OUT_OF_MEMORY = 40,
  LQ_TOO_LARGE = 41,
  // MPI failed
  LQ_COMMUNICATION = 50,
  // our bug; please report
  LQ_INTERNAL = 90
} lq_status;

// Local. "0.1.0": the version of the library that is linked. "no_space": the name of a status.
LQ_API const char* lq_version(void);
LQ_API const char* lq_status_name(lq_status status);

// Local. The last failure on this thread; a call that succeeds leaves it as it is. Texts belong to the library
// and last until the next failure on this thread. What does not apply is "", or -1 for offset and rank, or 0
// for errno. lq_error_json() is all of it as one JSON object.
LQ_API const char* lq_error_text(void);
LQ_API lq_status lq_error_code(void);
LQ_API const char* lq_error_path(void);
LQ_API const char* lq_error_record(void);
LQ_API int64_t lq_error_offset(void);
LQ_API int lq_error_rank(void);
LQ_API const char* lq_error_expected(void);
LQ_API const char* lq_error_found(void);
LQ_API int lq_error_errno(void);
LQ_API const char* lq_error_json(void);

// Local. Frees a text handed out through a char **; NULL is fine.
LQ_API void lq_text_free(char* text);

// A group of ranks (limequat_mpi.h makes one of an MPI communicator, lq_communicator_create of functions); wherever one
// is asked for, NULL means this process alone.
typedef struct lq_communicator lq_communicator;
// Over MPI collective: all ranks free their handles (grids, too) in the same order.
LQ_API void lq_communicator_free(lq_communicator* communicator);

// A group of ranks out of the program's own functions, where limequat_mpi cannot be used: another MPI, another
// language, no MPI at all. Functions return 0, or anything else for a failure, which becomes LQ_COMMUNICATION on that
// rank. They are called by the threads that make collective calls and lq_pending_test and _wait, one at a time.
typedef struct lq_operations {
  size_t struct_size;  // set by you: sizeof(lq_operations)
  int rank, size;
  uint64_t node;  // the same number on ranks that may share memory and see each other's process numbers
  int tags;  // tags are 0 to one less than this, at least 2048; 0: a million. Each 1024 are good for one group that
             // exists at the same time
  // Starts a message; `*message` is what test and drop get of it, 0 when it is done already. Messages between two ranks
  // with the same tag arrive in the order they were sent, both sides give the same size. The bytes stay where they are
  // until the message is done.
  int (*send)(void* context, const void* data, uint64_t bytes, int to, int tag, uint64_t* message);
  int (*receive)(void* context, void* data, uint64_t bytes, int from, int tag, uint64_t* message);
  // Whether it is done, after which nobody asks again. Never waits; messages move on in it.
  int (*test)(void* context, uint64_t message, int* done);
  void (*drop)(void* context, uint64_t message);  // or NULL: after a failure, nobody asks for it any more
  const char* (*failure)(void* context);          // or NULL: why the last function failed, a text until the next does
  void (*free)(void* context);                    // or NULL: nobody calls any function any more
  void* context;
} lq_operations;
// Local. `operations` are copied.
LQ_API lq_status lq_communicator_create(const lq_operations* operations, lq_communicator** communicator);

// Local.
LQ_API int lq_communicator_rank(const lq_communicator* communicator);
LQ_API int lq_communicator_size(const lq_communicator* communicator);
// A failure of the program's own, with what applies; the rest is NULL, -1 or 0.
typedef struct lq_failure {
  size_t struct_size;  // set by you
  int status;          // lq_status
  const char *sentence, *path, *record, *expected, *found;
  int64_t offset;
  int system_errno;
} lq_failure;
// Collective. When `failure` is not NULL on any rank, all ranks return that of the lowest such rank, as an error of the
// library with that rank: for what a program checks itself between two collective calls.
LQ_API lq_status lq_communicator_agree(const lq_communicator* communicator, const lq_failure* failure);

// ---- The lattice, dealt out over ranks -----------------------------------------------------------------------

typedef struct lq_grid lq_grid;

// Local. The whole lattice on this process. `dimensions` is 1 to 8.
LQ_API lq_status lq_grid_self(const int64_t* extents, int dimensions, lq_grid** grid);
LQ_API void lq_grid_free(lq_grid* grid);

typedef struct lq_grid_options {
  size_t struct_size;        // set by init
  const int64_t* processes;  // ranks in each dimension, or NULL: chosen
  const int* rank_order;     // dimensions in which consecutive ranks advance, fastest first, or NULL: x first
  const int* axes;           // lattice dimension d lies along dimension axes[d] of a Cartesian MPI communicator
                             // (T, X, Y, Z: {1, 2, 3, 0}), or NULL: d along d; others have no axes
  int idle_ranks;            // allow a process grid smaller than the communicator; default 0
  int holds_sites;           // 0 on ranks that hold nothing; default 1
} lq_grid_options;
LQ_API lq_status lq_grid_options_init(lq_grid_options* options, size_t struct_size);

// Collective over `communicator`, or NULL: this process alone. The lattice over its ranks. `processes` and `rank_order`
// have `dimensions` entries; options may be NULL. limequat_mpi.h has the same for an MPI communicator.
LQ_API lq_status lq_grid_create(const int64_t* extents, int dimensions, const lq_communicator* communicator,
                                const lq_grid_options* options, lq_grid** grid);

// Local.
LQ_API int lq_grid_dimensions(const lq_grid* grid);
LQ_API uint64_t lq_grid_volume(const lq_grid* grid);        // sites of the whole lattice
LQ_API uint64_t lq_grid_local_volume(const lq_grid* grid);  // sites of this rank
LQ_API int lq_grid_rank(const lq_grid* grid);
LQ_API int lq_grid_size(const lq_grid* grid);
// Local. One number per dimension: extents of the lattice, ranks in each dimension, and this rank's box.
LQ_API lq_status lq_grid_extents(const lq_grid* grid, int64_t* extents);
LQ_API lq_status lq_grid_processes(const lq_grid* grid, int64_t* processes);
LQ_API lq_status lq_grid_local_box(const lq_grid* grid, int64_t* lower, int64_t* extents);

// ---- Fields --------------------------------------------------------------------------------------------------

typedef enum lq_kind { LQ_GAUGE = 0, LQ_SPINOR = 1, LQ_PROPAGATOR = 2, LQ_GENERIC = 3 } lq_kind;
typedef enum lq_precision { LQ_AS_IN_MEMORY = 0, LQ_SINGLE = 32, LQ_DOUBLE = 64 } lq_precision;

// Fills `site` with the numbers of the site at global coordinate x, or takes them from there.
typedef void (*lq_site_fetch)(const int64_t* x, int dimensions, void* site, void* context);
typedef void (*lq_site_store)(const int64_t* x, int dimensions, const void* site, void* context);
// The same for the `sites` sites at x, x + 1, ... along dimension `axis`, one behind the other in `row`; all of them
// are this rank's.
typedef void (*lq_row_fetch)(const int64_t* x, int dimensions, int axis, uint64_t sites, void* row, void* context);
typedef void (*lq_row_store)(const int64_t* x, int dimensions, int axis, uint64_t sites, const void* row,
                             void* context);

// A table of an application's own of the places of its sites or links, for lq_field.memory with places= in it:
// docs/guide/memory.md says of what entry i is the place. No two are equal; the table lives as long as the field is
// used.
typedef struct lq_places {
  const uint64_t* table;
  uint64_t entries;
} lq_places;

// What one site holds and where this rank's sites are: in `data`, or behind the callbacks. Layout of a site:
// gauge [mu][row][column], spinor [spin][color], propagator [sink spin][source spin][sink color][source color],
// complex numbers as re, im. Passed by value; begin with a constructor below, then change members.
typedef struct lq_field {
  int kind;             // lq_kind
  int precision;        // LQ_SINGLE or LQ_DOUBLE: of the numbers in memory
  int colors;           // N of SU(N); 3
  int spins;            // spinor and propagator; 4
  int links;            // gauge: per site; 0 is one per lattice dimension
  int is_complex;       // generic
  uint64_t numbers;     // generic: real numbers per site
  void* data;           // of the host or of a GPU; only read through by functions that write files or measure
  uint64_t available;   // real numbers behind `data`; 0: as many as the grid's local sites need (C cannot know)
  const int* order;     // dimensions of the sites in `data` from fastest to slowest, or NULL: x fastest
  int order_length;     // dimensions in `order`
  lq_site_fetch fetch;  // instead of `data`, for functions that write
  lq_site_store store;  // instead of `data`, for functions that read
  void* context;  // handed to fetch and store, and to those for rows; or an lq_places, where `memory` says places=;
                  // beside another `memory` it is refused
  const char* problem;  // or NULL: why this is no field, found by a binding to another language; every call refuses it
  // What `data` is where it is not plain: a preset such as "milc" or "quda_host", or words such as
  // "parity=even-first links=outermost" (docs/guide/memory.md); or NULL. With links=in-arrays, `data` points to as many
  // pointers as a site has links; with norms=in-array also, at the end, to the norms, one float for each site: numbers
  // are then int16_t, and `precision` is LQ_SINGLE. The text and the pointers live as long as the field is used.
  const char* memory;
  lq_row_fetch fetch_rows;  // instead of `fetch`: rows of sites
  lq_row_store store_rows;  // instead of `store`
} lq_field;

// Local. Whether lq_field.memory may be this text; LQ_INVALID_ARGUMENT, with a text that names the word, if not.
LQ_API lq_status lq_memory_check(const char* memory);
// Local. How many pointers `data` points to with this text, for a field of so many links a site; 0: `data` is the
// memory. `has_norms`: 1 if the last of them is to norms, that is, if the numbers are of half precision (norms=).
LQ_API lq_status lq_memory_arrays(const char* memory, int links, int* pointers, int* has_norms);

// Local. SU(3), four spins, contiguous, x fastest. Any pointer to the first number will do.
LQ_API lq_field lq_gauge_f64(const void* data);
LQ_API lq_field lq_gauge_f32(const void* data);
LQ_API lq_field lq_spinor_f64(const void* data);
LQ_API lq_field lq_spinor_f32(const void* data);
LQ_API lq_field lq_propagator_f64(const void* data);
LQ_API lq_field lq_propagator_f32(const void* data);
// `numbers` counts real numbers per site: two for each complex one.
LQ_API lq_field lq_sites_f64(const void* data, uint64_t numbers, int is_complex);
LQ_API lq_field lq_sites_f32(const void* data, uint64_t numbers, int is_complex);
// Local. 1 if `memory` is a GPU's and a driver in this process knows it (CUDA), so that it may be the `data` of a
// field; 0 for all else.
LQ_API int lq_is_device_memory(const void* memory);

// ---- Answers ---------------------------------------------------------------------------------------------------

// What a site of a field in a file holds.
typedef struct lq_spec {
  int kind;          // lq_kind
  int precision;     // LQ_SINGLE or LQ_DOUBLE
  int colors;        // 0 for generic
  int spins;         // spinor and propagator
  int links;         // gauge: per site
  int is_complex;    // the numbers
  uint64_t numbers;  // real numbers per site
} lq_spec;

// The SciDAC checksum.
typedef struct lq_checksum {
  uint32_t suma, sumb;
} lq_checksum;
typedef enum lq_checksum_status {
  LQ_CHECKSUM_OK = 0,        // stored and equal
  LQ_CHECKSUM_ABSENT = 1,    // the file stores none
  LQ_CHECKSUM_DIFFERS = 2,   // stored and different
  LQ_CHECKSUM_UNCHECKED = 3  // not compared
} lq_checksum_status;

enum { LQ_MAX_DIMENSIONS = 8 };

// Why the stripes of a new file are as they are; lq::StripeReason in C++.
typedef enum lq_stripe_reason {
  LQ_STRIPES_NONE = 0,            // the file system has none, or none that a program can set
  LQ_STRIPES_FOLDER_DECIDES = 1,  // they are set on the folder
  LQ_STRIPES_PROGRESSIVE = 2,     // they grow with the file
  LQ_STRIPES_SIZE_UNKNOWN = 3,    // and nothing was asked
  LQ_STRIPES_LEFT = 4,            // nothing was asked, and nothing is to be gained
  LQ_STRIPES_FITTING = 5,         // they were right already
  LQ_STRIPES_BY_SIZE = 6,         // set
  LQ_STRIPES_ASKED = 7,           // set
  LQ_STRIPES_REFUSED = 8          // by the file system
} lq_stripe_reason;

// What a transfer did. Seconds are those of the slowest rank.
typedef struct lq_report {
  size_t struct_size;  // set by you
  lq_spec spec;        // in the file
  int dimensions;
  int64_t extents[LQ_MAX_DIMENSIONS];
  int ranks;
  int is_written;        // else read
  int strategy;          // lq_strategy, the one taken
  int is_read_back;      // the file was read again and compared
  uint64_t bytes;        // of the payload
  int checksum_status;   // lq_checksum_status
  int has_stored;        // there is a checksum in the file
  lq_checksum checksum;  // of the data that passed
  lq_checksum stored;
  uint64_t zero_sites;  // gauge: sites that are all zero
  double seconds;       // the whole call
  double pack_seconds, exchange_seconds, storage_seconds, sync_seconds;
  char format[16];
  char file_system[32];                 // its kind: "lustre"; "": not known
  uint64_t block_bytes;                 // block or stripe, which two writers did not share; 0: not known
  int single_owner;                     // two writers in one block would have lost bytes: each had one
  int stripe_reason;                    // lq_stripe_reason, of a new file
  uint64_t stripe_count, stripe_bytes;  // of a new file; 0: not known
  uint64_t ranks_at_file;               // that touched it
  double open_seconds;                  // until the first site moved
} lq_report;

// ---- Reading and writing one field ---------------------------------------------------------------------------

typedef enum lq_verify_mode { LQ_VERIFY_NONE = 0, LQ_VERIFY_CHECKSUM = 1, LQ_VERIFY_READ_BACK = 2 } lq_verify_mode;
typedef enum lq_sync_mode { LQ_SYNC_NONE = 0, LQ_SYNC_DATA = 1, LQ_SYNC_FULL = 2 } lq_sync_mode;

// How sites travel between the ranks that hold them and the file; lq::Strategy in C++.
typedef enum lq_strategy {
  LQ_AUTO = 0,     // what the plan finds fastest
  LQ_DIRECT = 1,   // every rank moves its own rows
  LQ_SHARED = 2,   // rows meet in memory that the ranks of a node share; messages between nodes
  LQ_PULL = 3,     // writing: a rank takes rows out of its neighbours' memory; reading: as shared
  LQ_MESSAGES = 4  // rows meet by messages, within a node, too
} lq_strategy;

// A named text that travels with a field, for example "xlf-info".
typedef struct lq_metadata {
  const char* name;
  const char* text;
} lq_metadata;

typedef struct lq_write_options {
  size_t struct_size;    // set by init
  const char* format;    // "ildg", "scidac", "lime", or NULL: by the suffix of the path
  const char* name;      // of the field, or NULL: its kind
  int precision;         // lq_precision in the file
  int verify;            // lq_verify_mode; default LQ_VERIFY_CHECKSUM
  int sync;              // lq_sync_mode; default LQ_SYNC_FULL
  int overwrite;         // default 0
  int measure;           // gauge: store plaquette and link trace; default 0
  int slice_checksums;   // default 1
  uint64_t block_bytes;  // packed at a time
  const lq_metadata* metadata;
  size_t metadata_count;
  char** report_json;         // or NULL: where to put a report (docs/reference/json.md)
  int strategy;               // lq_strategy; default LQ_AUTO. The same on all ranks, as are the next four; 0: chosen
  uint64_t aggregators;       // how many ranks touch the file; all of them with LQ_DIRECT
  uint64_t chunk_bytes;       // assembled and moved at a time
  uint64_t alignment;         // file domains begin at multiples of it: a page, block or stripe
  uint64_t memory_bytes;      // at most, per rank, beyond the field; default 16 MiB
  int threads;                // of this rank; 0: as many as it has cores to itself
  lq_report* report;          // or NULL: what the transfer did
  const char* profile;        // of the machine (`lq doctor --save-profile` makes one), or NULL: that of this site
  const char* layout;         // of formats that know several: "native", "qdp", "qlua" of HDF5; or NULL: the default
  const char* dataset_chunk;  // "slice", or extents "8x8x8x4", or NULL: in one piece
  const char* filters;        // of chunks, in their order: "shuffle,deflate:6,fletcher32"; or NULL: none
  int time_stamps;            // default 1; 0: equal fields give equal bytes
  const char* parts;          // into how many files each dimension is cut: "1x1x1x4"; or NULL: one file
  uint64_t stripe_count;      // servers that a new file is spread over; 0: as stripes_by_size says
  uint64_t stripe_bytes;      // in one piece on a server; 0: as stripes_by_size says
  int stripes_by_size;        // default 1; 0: what is not asked for is left as the folder has it
} lq_write_options;

typedef struct lq_read_options {
  size_t struct_size;             // set by init
  const char* field;              // or NULL: the first
  uint64_t index;                 // which of those with that name, from 0
  const int64_t* region_lower;    // part of the file's lattice, or NULL: all of it
  const int64_t* region_extents;  // equal to the grid's extents
  int region_dimensions;
  int verify;  // lq_verify_mode: compare with the stored checksum; default LQ_VERIFY_CHECKSUM
  uint64_t block_bytes;
  uint64_t limit_records;  // bounds on what a file may ask of its reader
  uint64_t limit_text_bytes;
  char** report_json;     // or NULL
  int strategy;           // lq_strategy; default LQ_AUTO. The same on all ranks, as are the next four; 0: chosen
  uint64_t aggregators;   // how many ranks touch the file; all of them with LQ_DIRECT
  uint64_t chunk_bytes;   // assembled and moved at a time
  uint64_t alignment;     // file domains begin at multiples of it: a page, block or stripe
  uint64_t memory_bytes;  // at most, per rank, beyond the field; default 16 MiB
  int threads;            // of this rank; 0: as many as it has cores to itself
  lq_report* report;      // or NULL: what the transfer did
  const char* profile;    // of the machine (`lq doctor --save-profile` makes one), or NULL: that of this site
} lq_read_options;

// Local. The defaults; and one option by name, from a text as `lq` takes it: for programs that let their users set
// options. Every struct of options has both. Texts are borrowed as those of members are; metadata, regions and
// functions are set by their members alone. LQ_INVALID_ARGUMENT tells what is expected.
LQ_API lq_status lq_write_options_init(lq_write_options* options, size_t struct_size);
LQ_API lq_status lq_write_options_set(lq_write_options* options, const char* name, const char* value);
LQ_API lq_status lq_read_options_init(lq_read_options* options, size_t struct_size);
LQ_API lq_status lq_read_options_set(lq_read_options* options, const char* name, const char* value);
// Local. All options there are, with what they mean, as JSON: docs/reference/options.md in a form for programs.
LQ_API lq_status lq_options_json(char** json);

// Collective. One field to one new file, which appears under its name only when it is complete.
LQ_API lq_status lq_write(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options);
// Collective. Whatever process grid wrote it; precision is converted.
LQ_API lq_status lq_read(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options);

// ---- Transfers in the background -----------------------------------------------------------------------------

// A transfer in flight. Several may be; all ranks start them and wait for them in the same order.
typedef struct lq_pending lq_pending;

// Collective. As lq_write and lq_read, but they return when the transfer is under way; errors known by then are
// returned here. The memory of the field is borrowed until lq_pending_wait, _cancel or _free returns: that of a write
// must not change, that of a read must not be touched. Everything else, the grid too, need only live as long as the
// call. fetch, store and their context are used on another thread until then; they must not call MPI. report_json
// and report of the options are not used.
LQ_API lq_status lq_write_async(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options,
                                lq_pending** pending);
LQ_API lq_status lq_read_async(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options,
                               lq_pending** pending);
// Local. *done is 1 when lq_pending_wait would find nothing left to do on this rank. Where ranks of several nodes
// exchange sites, the transfer moves on in this call and in lq_pending_wait only: call it now and then.
LQ_API lq_status lq_pending_test(lq_pending* pending, int* done);
// Collective. Completes the transfer; its errors surface here. `report_json` may be NULL. LQ_WRONG_STATE when it is
// over already, and in debug builds when the field was changed meanwhile.
LQ_API lq_status lq_pending_wait(lq_pending* pending, char** report_json);
// Collective. Gives the transfer up: a write leaves no file, and what existed stays.
LQ_API lq_status lq_pending_cancel(lq_pending* pending);
// NULL is fine. A transfer that nobody waited for is cancelled; then all ranks free it.
LQ_API void lq_pending_free(lq_pending* pending);

// ---- Several fields in one file ------------------------------------------------------------------------------

typedef struct lq_writer lq_writer;

// Collective. `defaults`, or NULL, are the options of the file and of each field; its report_json is not used.
LQ_API lq_status lq_writer_create(const char* path, const lq_grid* grid, const lq_write_options* defaults,
                                  lq_writer** writer);
// Collective. `metadata` may be NULL when `count` is 0; report_json may be NULL.
LQ_API lq_status lq_writer_write(lq_writer* writer, const char* name, lq_field field, const lq_metadata* metadata,
                                 size_t count, char** report_json);
// Collective. A record of text or bytes; the contents of rank 0 are written.
LQ_API lq_status lq_writer_record(lq_writer* writer, const char* type, const void* contents, size_t bytes);
// Collective. Completes and publishes the file; without it lq_writer_free abandons the file.
LQ_API lq_status lq_writer_close(lq_writer* writer);
LQ_API void lq_writer_free(lq_writer* writer);

// ---- Multifiles: a stream per task (docs/guide/checkpoints.md) ------------------------------------------------

typedef struct lq_multifile_writer lq_multifile_writer;
typedef struct lq_multifile_reader lq_multifile_reader;

enum { LQ_COMPRESSION_NONE = 0, LQ_COMPRESSION_LZ4 = 1, LQ_COMPRESSION_ZSTD = 2 };

// Of options that may be left to what is there.
enum { LQ_AS_IT_IS = -1 };

typedef struct lq_multifile_options {
  size_t struct_size;                   // set by init
  const lq_communicator* communicator;  // or NULL: this process alone
  int streams;                          // tasks of this rank; default 1
  uint64_t expected_bytes;              // of each of them, roughly; 0: not known
  int files;                            // physical files; 0: as many as the file system wants
  int compression;                      // LQ_COMPRESSION_*; default none
  int level;                            // of the compression; 0: its usual one
  int checksums;                        // of every chunk; default 1
  int overwrite;                        // replace a set; default 0
  int sync;                             // LQ_SYNC_*, when it is closed; default full
  uint64_t buffer_bytes;                // smaller writes are collected in so much memory per stream
  uint64_t stripe_count;                // as in lq_write_options, of each new physical file
  uint64_t stripe_bytes;
  int stripes_by_size;  // by the size that is expected; default 1
} lq_multifile_options;

typedef struct lq_multifile_read_options {
  size_t struct_size;                   // set by init
  const lq_communicator* communicator;  // or NULL: this process alone
  uint64_t record_bytes;                // windows are multiples of it; default 1
  int verify;                           // lq_verify_mode: compare with the checksums there are; default checksum
  int accept_missing;                   // open a set without physical files that are lost for good; default 0
} lq_multifile_read_options;

LQ_API lq_status lq_multifile_options_init(lq_multifile_options* options, size_t struct_size);
LQ_API lq_status lq_multifile_options_set(lq_multifile_options* options, const char* name, const char* value);
LQ_API lq_status lq_multifile_read_options_init(lq_multifile_read_options* options, size_t struct_size);
LQ_API lq_status lq_multifile_read_options_set(lq_multifile_read_options* options, const char* name, const char* value);

// Collective over the options' communicator. A new set; or one that is gone on with, rank by rank.
LQ_API lq_status lq_multifile_create(const char* path, const lq_multifile_options* options,
                                     lq_multifile_writer** writer);
LQ_API lq_status lq_multifile_append(const char* path, const lq_multifile_options* options,
                                     lq_multifile_writer** writer);
// Local. Stream `stream` (from 0) of this rank; streams may be used by different threads. `text` ends with NUL.
LQ_API lq_status lq_multifile_write(lq_multifile_writer* writer, int stream, const void* data, uint64_t bytes);
LQ_API lq_status lq_multifile_write_text(lq_multifile_writer* writer, int stream, const char* text);
// Local. Everything written so far survives the end of this process.
LQ_API lq_status lq_multifile_flush(lq_multifile_writer* writer, int stream);
// Local. The stream's number in the set, and its bytes.
LQ_API lq_status lq_multifile_stream(const lq_multifile_writer* writer, int stream, int64_t* task, uint64_t* bytes);
// Collective, over all ranks of the set. A field beside the streams, of which `options` or NULL say how it is written;
// format, name, sync and overwrite of them are not used. After an error the set goes on without that field.
LQ_API lq_status lq_multifile_write_field(lq_multifile_writer* writer, const char* name, const lq_grid* grid,
                                          lq_field field, const lq_write_options* options);
// Collective. Completes and publishes the set; or leaves nothing of a new one.
LQ_API lq_status lq_multifile_close(lq_multifile_writer* writer);
LQ_API lq_status lq_multifile_discard(lq_multifile_writer* writer);
// A set that was not closed stays as .NAME.xxxxxxxx, of which lq_multifile_repair makes one.
LQ_API void lq_multifile_writer_free(lq_multifile_writer* writer);

// Collective over the options' communicator. A set written by any number of ranks.
LQ_API lq_status lq_multifile_open(const char* path, const lq_multifile_read_options* options,
                                   lq_multifile_reader** reader);
LQ_API void lq_multifile_reader_free(lq_multifile_reader* reader);
LQ_API int64_t lq_multifile_tasks(const lq_multifile_reader* reader);  // of the set
// Local. The tasks dealt to this rank, and its window of the one stream of all tasks; each may be NULL.
LQ_API lq_status lq_multifile_share(const lq_multifile_reader* reader, int64_t* first_task, int64_t* tasks,
                                    uint64_t* window_begin, uint64_t* window_bytes);
// Local. Bytes of the stream of one of these tasks.
LQ_API lq_status lq_multifile_size(const lq_multifile_reader* reader, int64_t task, uint64_t* bytes);
// Local. *got bytes from `position` on: as many as there are. Task LQ_MULTIFILE_WINDOW is this rank's window.
enum { LQ_MULTIFILE_WINDOW = -1 };
LQ_API lq_status lq_multifile_read(lq_multifile_reader* reader, int64_t task, uint64_t position, void* data,
                                   uint64_t bytes, uint64_t* got);
typedef struct lq_multifile_facts {
  size_t struct_size;  // set by you
  int64_t tasks;
  uint64_t bytes;         // of all streams
  uint64_t stored_bytes;  // that they take in the files
  uint64_t chunks, files, fields;
  int has_records;  // written by this interface: checked, can be recovered and appended to
  int has_checksums;
  int compression;    // LQ_COMPRESSION_*
  uint64_t findings;  // what is wrong with a set that is read all the same: lq_multifile_info has the sentences
} lq_multifile_facts;
// Local. What is known of the set: as a struct, and as JSON with names of files.
LQ_API lq_status lq_multifile_known(const lq_multifile_reader* reader, lq_multifile_facts* facts);
LQ_API lq_status lq_multifile_info(const lq_multifile_reader* reader, char** json);
// Local. Its fields: name, lattice, process grid of the writer, precision.
LQ_API lq_status lq_multifile_fields(const lq_multifile_reader* reader, char** json);
// Collective over the grid, which may be any; `options`, or NULL: field and index of them are not used.
LQ_API lq_status lq_multifile_read_field(const lq_multifile_reader* reader, const char* name, const lq_grid* grid,
                                         lq_field field, const lq_read_options* options);

// Local. Every chunk compared; damage is an answer, no failure. `json` may be NULL.
LQ_API lq_status lq_multifile_verify(const char* path, int* is_sound, char** json);

typedef struct lq_multifile_repair_options {
  size_t struct_size;  // set by init
  int overwrite;       // replace a set of that name; default 0
  int dry_run;         // find what can be recovered, write nothing; default 0
} lq_multifile_repair_options;
LQ_API lq_status lq_multifile_repair_options_init(lq_multifile_repair_options* options, size_t struct_size);
LQ_API lq_status lq_multifile_repair_options_set(lq_multifile_repair_options* options, const char* name,
                                                 const char* value);
// Local. Makes a set of what a writer left behind; `output` may be NULL: the name it was to have; `options` and `json`
// may be NULL.
LQ_API lq_status lq_multifile_repair(const char* path, const char* output, const lq_multifile_repair_options* options,
                                     char** json);

// ---- Questions to files: answers are JSON text (docs/reference/json.md) --------------------------------------

// Called on rank 0 while long operations run.
typedef void (*lq_progress)(uint64_t done, uint64_t total, void* context);

typedef struct lq_scan_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  uint64_t limit_records;
  uint64_t limit_text_bytes;
} lq_scan_options;

typedef enum lq_measure_mode {
  LQ_MEASURE_WHEN_IT_FITS = 0,
  LQ_MEASURE_ALWAYS = 1,
  LQ_MEASURE_NEVER = 2
} lq_measure_mode;

typedef struct lq_verify_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  int physics;            // lq_measure_mode, for gauge fields
  uint64_t memory_bytes;  // of all ranks together, for LQ_MEASURE_WHEN_IT_FITS
  uint64_t block_bytes;
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  int threads;  // of this rank; 0: as many as it has cores to itself
} lq_verify_options;

typedef struct lq_convert_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  const lq_write_options* write;  // of the new file, or NULL; its report_json is not used
  int dry_run;                    // check everything, write nothing
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  int allow_loss;  // leave out what the new file has no place for; default 0: refuse
} lq_convert_options;

typedef struct lq_diff_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  double tolerance;   // absolute
  const char* field;  // or NULL: the first
  uint64_t index;
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  struct lq_difference* difference;  // or NULL: the answer as a struct
  int threads;                       // of this rank; 0: as many as it has cores to itself
} lq_diff_options;

typedef struct lq_diagnose_options {
  size_t struct_size;  // set by init
  const char* field;   // or NULL: the first
  uint64_t index;
  const char* lattice;   // "8x8x8x16", or NULL: as the header says
  const char* sums;      // "a2c41090/11193c39", or NULL: as the file states
  uint64_t whole_bytes;  // fields of more are sampled only
  double seconds;        // after which no more orders of the sites are tried; default 60
  const char* rewrite;   // a new file with the numbers as they should stand, or NULL
  int overwrite;         // replace an existing one; default 0
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  int threads;  // 0: as many as the process has cores to itself
} lq_diagnose_options;

LQ_API lq_status lq_scan_options_init(lq_scan_options* options, size_t struct_size);
LQ_API lq_status lq_scan_options_set(lq_scan_options* options, const char* name, const char* value);
LQ_API lq_status lq_verify_options_init(lq_verify_options* options, size_t struct_size);
LQ_API lq_status lq_verify_options_set(lq_verify_options* options, const char* name, const char* value);
LQ_API lq_status lq_diagnose_options_init(lq_diagnose_options* options, size_t struct_size);
LQ_API lq_status lq_diagnose_options_set(lq_diagnose_options* options, const char* name, const char* value);
LQ_API lq_status lq_convert_options_init(lq_convert_options* options, size_t struct_size);
LQ_API lq_status lq_convert_options_set(lq_convert_options* options, const char* name, const char* value);
LQ_API lq_status lq_diff_options_init(lq_diff_options* options, size_t struct_size);
LQ_API lq_status lq_diff_options_set(lq_diff_options* options, const char* name, const char* value);

// Local. The formats there are: name, what their files hold, suffixes.
LQ_API lq_status lq_formats(char** json);
// Collective. What is in the file: records, fields, metadata, findings.
LQ_API lq_status lq_inspect(const char* path, const lq_scan_options* options, char** json);
// Collective. Structure, sizes, checksums, physics. A damaged file is an answer, not a failure: *is_sound is 0. `json`
// may be NULL.
LQ_API lq_status lq_verify(const char* path, const lq_verify_options* options, int* is_sound, char** json);
// Local. What is wrong with a file, in words, as `lq diagnose`; the answer as JSON. A wrong file is an answer, not a
// failure: *is_ok is 0.
LQ_API lq_status lq_diagnose(const char* path, const lq_diagnose_options* options, int* is_ok, char** json);
// Collective. Any format to any, checksums verified on the way. `json` may be NULL.
LQ_API lq_status lq_convert(const char* from, const char* to, const lq_convert_options* options, char** json);
// Collective. A small HDF5 file `to` that shows the fields of `from` without a copy of their numbers.
LQ_API lq_status lq_export_virtual(const char* from, const char* to, const lq_convert_options* options);
// Collective. Two fields number by number. `json` may be NULL.
LQ_API lq_status lq_diff(const char* a, const char* b, const lq_diff_options* options, int* is_same, char** json);
// Local. The rules of the format that the file breaks; and every header byte with its name.
LQ_API lq_status lq_validate(const char* path, const lq_scan_options* options, char** json);
LQ_API lq_status lq_explain(const char* path, const lq_scan_options* options, char** json);

// Files into a multifile and out of it, multifiles written anew, and what is damaged made whole, by one process. Of the
// options, which may be NULL, each function takes those that the verb of `lq` takes (docs/reference/options.md).
typedef struct lq_repack_options {
  size_t struct_size;   // set by init
  int overwrite;        // replace existing files, which stay until the new ones are complete; default 0
  int dry_run;          // check everything, write nothing; default 0
  int sync;             // LQ_SYNC_*; default full
  uint64_t block_size;  // chunks are multiples of it; 0: that of the file system, or of the multifile read
  uint64_t unit;        // lq_repair: data came in multiples of so many bytes; default 1
  int checkpoint;       // lq_defragment: whether the new multifile is one; default LQ_AS_IT_IS
  int compression;      // of a checkpoint: LQ_COMPRESSION_*; default LQ_AS_IT_IS
  int verify;           // of a checkpoint: LQ_VERIFY_NONE takes chunks that disagree with their checksums as they are
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  int threads;  // 0: as many as the process has cores to itself
} lq_repack_options;
LQ_API lq_status lq_repack_options_init(lq_repack_options* options, size_t struct_size);
LQ_API lq_status lq_repack_options_set(lq_repack_options* options, const char* name, const char* value);

// Local. `json` tells what was written, and what is guessed, lost or left behind; it may be NULL.
// One logical file for each of `count` inputs.
LQ_API lq_status lq_pack(const char* path, const char* const* inputs, uint64_t count, const lq_repack_options* options,
                         char** json);
// A file in `folder` for each record of a file of any format, named after it.
LQ_API lq_status lq_unpack(const char* path, const char* folder, const lq_repack_options* options, char** json);
// Record number `index` of a type, from 0, into a file.
LQ_API lq_status lq_extract(const char* path, const char* type, uint64_t index, const char* to,
                            const lq_repack_options* options, char** json);
// One physical file with one chunk for each task.
LQ_API lq_status lq_defragment(const char* from, const char* to, const lq_repack_options* options, char** json);
// A whole file of one that is damaged, as `lq repair`; `output` may be NULL for a checkpoint only.
LQ_API lq_status lq_repair(const char* path, const char* output, const lq_repack_options* options, char** json);

// Copying files, by all ranks together.
typedef struct lq_copy_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  int verify;            // LQ_VERIFY_*; default LQ_VERIFY_CHECKSUM; LQ_VERIFY_READ_BACK compares with the source's sums
  int resume;            // go on with what an interrupted copy left; default 0
  int overwrite;         // replace existing files, which stay until the new ones are complete; default 0
  int recursive;         // folders, with all that is in them; default 0
  int dry_run;           // check everything, write nothing; default 0
  int sync;              // LQ_SYNC_*; default full
  uint64_t block_bytes;  // moved, summed and recorded at a time by a rank
  lq_progress progress;  // or NULL
  void* progress_context;
} lq_copy_options;
LQ_API lq_status lq_copy_options_init(lq_copy_options* options, size_t struct_size);
LQ_API lq_status lq_copy_options_set(lq_copy_options* options, const char* name, const char* value);
// Collective. Each of `count` sources to `target`: into it where it is a folder or ends in a slash, or there are
// several, else by that name; "NAME:REST" is below the folders that the site profile calls NAME. `json` tells what was
// copied; it may be NULL.
LQ_API lq_status lq_copy(const char* const* sources, uint64_t count, const char* target, const lq_copy_options* options,
                         char** json);

// Files as sets of subfiles and back, byte for byte, by all ranks together; gone on with after a kill.
typedef struct lq_repartition_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  const char* to;          // the new partition, "t=block:4,x=cyclic:2"; "whole" or NULL: one plain file
  const char* folders;     // of the subfiles, "DIR,DIR"; NULL: beside the target
  const char* extents;     // of the array that is dealt out, "16x16x16x32"; NULL: as the file says
  uint64_t element_bytes;  // with extents; default 1
  uint64_t begin;          // with extents: byte of the first element
  int verify;              // LQ_VERIFY_*; default LQ_VERIFY_CHECKSUM
  int resume;              // go on with what an interrupted call left; default 0
  int overwrite;           // replace an existing file, which stays until all is complete; default 0
  int dry_run;             // check everything, write nothing; default 0
  int sync;                // LQ_SYNC_*; default full
  uint64_t block_bytes;    // moved, summed and recorded at a time by a rank; default 8 MiB
  lq_progress progress;    // or NULL
  void* progress_context;
} lq_repartition_options;
LQ_API lq_status lq_repartition_options_init(lq_repartition_options* options, size_t struct_size);
LQ_API lq_status lq_repartition_options_set(lq_repartition_options* options, const char* name, const char* value);
// Collective. The file or set `from` as `to`: a plain file, or the description of a set. `json` tells what was done; it
// may be NULL.
LQ_API lq_status lq_repartition(const char* from, const char* to, const lq_repartition_options* options, char** json);

// An array of a file; a partition of it is a text, "t=block:4", "whole".
typedef struct lq_file_array {
  uint64_t begin;  // byte of the first element
  uint64_t element_bytes;
  int axes;                // 0: the array of a set, the sites of a lattice file's first field, or bytes
  const int64_t* extents;  // of the axes, the fastest first
} lq_file_array;
// Local. How a file lies in its pieces: path, bytes, begin, element_bytes, extents, partition, parts, is_set, files.
// With `access`, the partition among processes, how well both match: matching with bytes, pairs, runs, mean_run_bytes,
// degree; and with `parts` above 0 which partition into so many subfiles fits that access: proposed, and
// proposed_matching.
LQ_API lq_status lq_partition_of(const char* path, const lq_file_array* array, const char* access, uint64_t parts,
                                 char** json);
// Local. Where element number `element` of an array is in a partition, and which element is at a place.
LQ_API lq_status lq_partition_place(const lq_file_array* array, const char* partition, uint64_t element, uint64_t* part,
                                    uint64_t* position);
LQ_API lq_status lq_partition_element(const lq_file_array* array, const char* partition, uint64_t part,
                                      uint64_t position, uint64_t* element);

// A window on part number `part` of a partition of a file or set, used like a file. NULL for `partition` is the whole
// file, with what is before and behind its array. All functions are local.
typedef struct lq_view lq_view;
LQ_API lq_status lq_view_open(const char* path, const char* partition, uint64_t part, const lq_file_array* array,
                              int writable, lq_view** view);
LQ_API lq_status lq_view_size(const lq_view* view, uint64_t* bytes);
LQ_API lq_status lq_view_seek(lq_view* view, uint64_t offset);
LQ_API lq_status lq_view_tell(const lq_view* view, uint64_t* offset);
// From where the last one ended on; `got` is less than `bytes` only at the end.
LQ_API lq_status lq_view_read(lq_view* view, void* buffer, uint64_t bytes, uint64_t* got);
LQ_API lq_status lq_view_write(lq_view* view, const void* buffer, uint64_t bytes);
// Collective, directed by the disks: all bytes of each rank's view, `bytes` as many as it has; chunk_bytes 0 is 4 MiB.
LQ_API lq_status lq_view_read_all(lq_view* view, void* buffer, uint64_t bytes, const lq_communicator* communicator,
                                  uint64_t chunk_bytes);
LQ_API lq_status lq_view_write_all(lq_view* view, const void* buffer, uint64_t bytes,
                                   const lq_communicator* communicator, uint64_t chunk_bytes);
LQ_API lq_status lq_view_sync(lq_view* view);
// Tells what closing the files says; the view can then only be freed.
LQ_API lq_status lq_view_close(lq_view* view);
LQ_API void lq_view_free(lq_view* view);  // closes silently

// Files in half of their bytes, and back byte for byte, by all ranks together.
typedef struct lq_squeeze_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  int verify;            // LQ_VERIFY_*; default LQ_VERIFY_CHECKSUM: what was encoded is decoded again and compared
  int overwrite;         // replace an existing file, which stays until the new one is complete; default 0
  int sync;              // LQ_SYNC_*; default full
  lq_progress progress;  // or NULL
  void* progress_context;
  int threads;  // of this rank; 0: as many as it has cores to itself
} lq_squeeze_options;
LQ_API lq_status lq_squeeze_options_init(lq_squeeze_options* options, size_t struct_size);
LQ_API lq_status lq_squeeze_options_set(lq_squeeze_options* options, const char* name, const char* value);
// Collective. The file `from` into an archive `to`, which is read like any other file; and the original out of it.
// `json` tells the sizes; it may be NULL.
LQ_API lq_status lq_squeeze(const char* from, const char* to, const lq_squeeze_options* options, char** json);
LQ_API lq_status lq_unsqueeze(const char* from, const char* to, const lq_squeeze_options* options, char** json);

// Catalogues of ensembles. All functions are local; `json` is as docs/reference/json.md says.
typedef struct lq_catalogue_options {
  size_t struct_size;      // set by init
  const char* db;          // file of the catalogue; NULL: "lq-catalogue.db" of this folder or the nearest one above
  int threads;             // that read files; 0: one for each core
  int forget;              // lq_index: forget files that are no longer there; default 0
  const char* since;       // lq_scrub: files verified within it are not due, "30d"; NULL: all are
  int physics;             // lq_scrub: LQ_MEASURE_*; default when it fits
  const char* sort;        // lq_find: by a column, "-trajectory" downwards; NULL: by path
  uint64_t most;           // lq_find: files at most; 0: all
  const char* title;       // lq_report_page; NULL: the folder
  int overwrite;           // lq_report_page: replace an existing file; default 0
  uint64_t limit_records;  // as in lq_scan_options
  uint64_t limit_text_bytes;
  lq_progress progress;  // files done, and all of them; or NULL
  void* progress_context;
} lq_catalogue_options;
LQ_API lq_status lq_catalogue_options_init(lq_catalogue_options* options, size_t struct_size);
LQ_API lq_status lq_catalogue_options_set(lq_catalogue_options* options, const char* name, const char* value);
// Keeps in the catalogue what the headers of the lattice files below `count` folders say; none: those of before.
LQ_API lq_status lq_index(const char* const* folders, uint64_t count, const lq_catalogue_options* options, char** json);
// The files that fulfil an expression, "beta=6.0 trajectory>=1000"; "" is all of them.
LQ_API lq_status lq_find(const char* expression, const lq_catalogue_options* options, char** json);
// Verifies files again that are due. `is_ok`: none fails.
LQ_API lq_status lq_scrub(const lq_catalogue_options* options, int* is_ok, char** json);
// Duplicates, gaps in trajectory numbers, outliers of the plaquette.
LQ_API lq_status lq_assess(const lq_catalogue_options* options, char** json);
// A page of HTML about the files of the folders; none: all of the catalogue. `json` may be NULL.
LQ_API lq_status lq_report_page(const char* const* folders, uint64_t count, const char* page,
                                const lq_catalogue_options* options, char** json);

// QCDml documents of configurations, as catalogues of ILDG want them. All functions are local.
typedef struct lq_qcdml_options {
  size_t struct_size;           // set by init
  const char* schema;           // "1.3" or "2.0"; NULL: 1.3
  const char* crc;              // what the checksum is of: "data" or "file"; NULL: data
  const lq_metadata* metadata;  // texts of the document by path, "markovStep/series"
  size_t metadata_count;
  uint64_t limit_records;  // as in lq_scan_options
  uint64_t limit_text_bytes;
} lq_qcdml_options;
LQ_API lq_status lq_qcdml_options_init(lq_qcdml_options* options, size_t struct_size);
LQ_API lq_status lq_qcdml_options_set(lq_qcdml_options* options, const char* name, const char* value);
// The document of a file: its text, sums, and what is missing in it.
LQ_API lq_status lq_ildg_document(const char* path, const lq_qcdml_options* options, char** json);
// A file against a document; NULL for `document`: the file against the rules of ILDG alone.
LQ_API lq_status lq_ildg_check(const char* path, const char* document, const lq_qcdml_options* options, int* is_ok,
                               char** json);
// The logical file name in a file.
LQ_API lq_status lq_ildg_lfn(const char* path, const lq_qcdml_options* options, char** json);

// What differs between two fields.
typedef struct lq_difference {
  size_t struct_size;  // set by you
  int is_same;         // no number differs by more than the tolerance
  double largest_absolute;
  double largest_relative;          // |a - b| / max(|a|, |b|)
  int dimensions;                   // of the site; 0: nothing differs
  int64_t site[LQ_MAX_DIMENSIONS];  // of the largest absolute difference
  uint64_t number;                  // which number of that site
  double a, b;                      // the two values there
  uint64_t differing_numbers;
  uint64_t compared_numbers;
} lq_difference;

// The answer of lq_inspect, piece by piece. Texts belong to the catalog and live as long.
typedef struct lq_catalog lq_catalog;

typedef struct lq_file_info {
  size_t struct_size;                            // set by you
  const char* format;                            // "ildg", "scidac", ...
  uint64_t bytes;                                // of all physical files
  int is_complete;                               // 0: the file ends early
  uint64_t records, fields, findings, metadata;  // how many there are
  uint64_t errors;                               // findings that make the file unusable in part or whole
} lq_file_info;

typedef struct lq_record_info {
  size_t struct_size;  // set by you
  const char* type;
  int file;  // which physical file
  uint64_t header_offset;
  uint64_t offset;  // of the payload
  uint64_t bytes;   // of the payload
} lq_record_info;

typedef struct lq_field_info {
  size_t struct_size;  // set by you
  const char* name;
  lq_spec spec;
  int dimensions;
  int64_t extents[LQ_MAX_DIMENSIONS];
  uint64_t offset;    // of the sites
  uint64_t bytes;     // of the sites
  uint64_t record;    // number of the record that holds them
  uint64_t metadata;  // texts that belong to this field
  int has_checksum;
  lq_checksum checksum;  // as stored
  int has_plaquette;
  int has_link_trace;
  double plaquette;  // as the file's texts state it
  double link_trace;
} lq_field_info;

typedef enum lq_severity { LQ_NOTE = 0, LQ_WARNING = 1, LQ_ERROR = 2 } lq_severity;

typedef struct lq_finding {
  size_t struct_size;   // set by you
  int severity;         // lq_severity
  int code;             // of errors: the lq_status that a reader returns
  const char* rule;     // stable: "lime-magic"
  const char* message;  // a sentence
  const char* record;   // type of the record concerned, or ""
  int64_t offset;       // first byte concerned, or -1
  int64_t bytes;        // concerned, or -1
} lq_finding;

// Collective.
LQ_API lq_status lq_catalog_open(const char* path, const lq_scan_options* options, lq_catalog** catalog);
LQ_API void lq_catalog_free(lq_catalog* catalog);
// Local. Numbers count from 0; beyond the last is LQ_INVALID_ARGUMENT.
LQ_API lq_status lq_catalog_file(const lq_catalog* catalog, lq_file_info* info);
LQ_API lq_status lq_catalog_record(const lq_catalog* catalog, uint64_t number, lq_record_info* info);
LQ_API lq_status lq_catalog_field(const lq_catalog* catalog, uint64_t number, lq_field_info* info);
LQ_API lq_status lq_catalog_finding(const lq_catalog* catalog, uint64_t number, lq_finding* finding);
// Local. A text of the file, or of a field.
LQ_API lq_status lq_catalog_metadata(const lq_catalog* catalog, uint64_t number, lq_metadata* text);
LQ_API lq_status lq_catalog_field_metadata(const lq_catalog* catalog, uint64_t field, uint64_t number,
                                           lq_metadata* text);

// The answer of lq_verify, piece by piece. Texts and slices belong to the verification and live as long.
typedef struct lq_verification lq_verification;

typedef struct lq_verdict {
  size_t struct_size;  // set by you
  int is_sound;        // no finding is an error
  const char* format;
  uint64_t fields, findings;  // how many there are
  uint64_t errors;            // findings that are
  uint64_t chunks_checked;    // of a checkpoint
  uint64_t fields_checked;    // of a checkpoint
} lq_verdict;

typedef struct lq_field_verdict {
  size_t struct_size;  // set by you
  const char* name;
  uint64_t index;       // which of those with that name
  int checksum_status;  // lq_checksum_status
  int has_stored;
  lq_checksum computed;
  lq_checksum stored;
  uint64_t zero_sites;            // gauge: sites that are all zero
  const int64_t* damaged_slices;  // time slices whose stored checksum differs
  uint64_t damaged_count;
  int has_physics;  // gauge: the rest was measured
  double plaquette, spatial_plaquette, temporal_plaquette;
  double link_trace;
  double unitarity;     // largest |element| of U U^dagger - 1
  uint64_t not_finite;  // numbers that are NaN or infinite
} lq_field_verdict;

// Collective.
LQ_API lq_status lq_verification_run(const char* path, const lq_verify_options* options,
                                     lq_verification** verification);
LQ_API void lq_verification_free(lq_verification* verification);
// Local.
LQ_API lq_status lq_verification_verdict(const lq_verification* verification, lq_verdict* verdict);
LQ_API lq_status lq_verification_field(const lq_verification* verification, uint64_t number, lq_field_verdict* verdict);
LQ_API lq_status lq_verification_finding(const lq_verification* verification, uint64_t number, lq_finding* finding);

// Local. Hands the bytes of record number `index` (from 0) of that type to `sink` in pieces.
typedef void (*lq_sink)(const void* data, uint64_t bytes, void* context);
LQ_API lq_status lq_read_record(const char* path, const char* type, uint64_t index, lq_sink sink, void* context);
// Local. The numbers of one site; `numbers` has room for `capacity` of them, *count is how many there are.
// With `numbers` NULL and `capacity` 0 only the count is given. LQ_INVALID_ARGUMENT when there is too little room.
LQ_API lq_status lq_read_site(const char* path, const int64_t* x, int dimensions, const lq_read_options* options,
                              double* numbers, uint64_t capacity, uint64_t* count);

// ---- Files that stay open ------------------------------------------------------------------------------------

// A file that was looked through once; fields are read without looking again.
typedef struct lq_file lq_file;

// Collective over the communicator of the options. Errors as lq_inspect.
LQ_API lq_status lq_file_open(const char* path, const lq_scan_options* options, lq_file** file);
// Local. What is in it, as from lq_inspect.
LQ_API lq_status lq_file_catalog(const lq_file* file, char** json);
// Collective; of the grid all ranks that opened the file. As lq_read: field and index of the options say which field,
// an index alone means that field of the file; the limits are those that the file was opened with. LQ_IO: it was
// written to meanwhile and holds something else, or a rank that reads for the first time finds another file of its
// name.
LQ_API lq_status lq_file_read(const lq_file* file, const lq_grid* grid, lq_field field, const lq_read_options* options);
// Collective. As lq_read_async; the file may be freed before the transfer is over.
LQ_API lq_status lq_file_read_async(const lq_file* file, const lq_grid* grid, lq_field field,
                                    const lq_read_options* options, lq_pending** pending);
// Local. As lq_read_record. LQ_UNSUPPORTED: streams of a multifile.
LQ_API lq_status lq_file_read_record(const lq_file* file, const char* type, uint64_t index, lq_sink sink,
                                     void* context);
// Local.
LQ_API void lq_file_free(lq_file* file);

// ---- A file that the ranks of a node read together (docs/guide/reading.md) ---------------------------------------

// What several of them want is read once and shared in their memory.
typedef struct lq_node_cache lq_node_cache;

// Of this node, by all its ranks, since the cache was made.
typedef struct lq_node_cache_counts {
  size_t struct_size;     // set by you
  uint64_t reads;         // of blocks, from the file
  uint64_t bytes_read;    // by them, and by those who read past the cache
  uint64_t bytes_given;   // to callers
  uint64_t waits;         // for a block that another rank was reading
  uint64_t reads_beside;  // past the cache: it was full of blocks in use, or who read a block was gone
  uint64_t memory_bytes;  // that it takes; 0: the node has no memory to share
} lq_node_cache_counts;

// Collective over the communicator, or NULL. `bytes`: of memory on each node, at most, 0 for 64 MiB; `block_bytes`:
// read at a time, a power of two, 0 for 1 MiB.
LQ_API lq_status lq_node_cache_open(const char* path, const lq_communicator* communicator, uint64_t bytes,
                                    uint64_t block_bytes, lq_node_cache** cache);
// Local, in any thread. *got: how many bytes there were, less than asked for only at the end of the file.
LQ_API lq_status lq_node_cache_read(lq_node_cache* cache, uint64_t offset, void* bytes, uint64_t count, uint64_t* got);
// Local.
LQ_API uint64_t lq_node_cache_size(const lq_node_cache* cache);  // of the file, in bytes
LQ_API lq_status lq_node_cache_count(const lq_node_cache* cache, lq_node_cache_counts* counts);
LQ_API void lq_node_cache_free(lq_node_cache* cache);

// ---- Sets of modes (docs/guide/modes.md) -----------------------------------------------------------------------

// Many vectors on one lattice in one file, each with its eigenvalue: open for reading, and open for adding to.
typedef struct lq_modes lq_modes;
typedef struct lq_modes_writer lq_modes_writer;

// LQ_MODES_FIXED16: integers of 16 bits, wrong by at most 1/65000 of the largest number of the site.
typedef enum lq_modes_storage { LQ_MODES_FIXED16 = 16, LQ_MODES_SINGLE = 32, LQ_MODES_DOUBLE = 64 } lq_modes_storage;
// The sites of one parity are a lattice of half the extent in x (limequat/modes.hpp says which site is where).
typedef enum lq_modes_parity { LQ_MODES_BOTH = 0, LQ_MODES_EVEN = 1, LQ_MODES_ODD = 2 } lq_modes_parity;
typedef enum lq_modes_type {
  LQ_MODES_INTEGER = 0,  // .integer
  LQ_MODES_REAL = 1,     // .re
  LQ_MODES_COMPLEX = 2,  // .re, .im
  LQ_MODES_TEXT = 3      // .text
} lq_modes_type;

// A number or a text about the operator or the solver.
typedef struct lq_modes_parameter {
  const char* name;
  int type;  // lq_modes_type
  int64_t integer;
  double re, im;
  const char* text;
} lq_modes_parameter;

// What all vectors of a set have in common.
typedef struct lq_modes_description {
  size_t struct_size;  // set by init; by you where it is an answer
  int dimensions;
  int64_t lattice[LQ_MAX_DIMENSIONS];  // of the gauge field
  int kind;                            // of a vector at a site: LQ_SPINOR, LQ_PROPAGATOR or LQ_GENERIC; default spinor
  int colors, spins;                   // default 3, 4
  int is_complex;                      // generic; default 1
  uint64_t numbers;                    // real numbers per site, for one s; generic
  int storage;                         // lq_modes_storage; default LQ_MODES_DOUBLE
  int parity;                          // lq_modes_parity; default LQ_MODES_BOTH
  int64_t ls;                          // extent of the fifth dimension, slowest within a site; default 1
  const char* operator_name;           // or NULL
  const lq_modes_parameter* parameters;
  size_t parameter_count;
  uint64_t room;  // modes that the first piece of the index has room for; it grows when there are more; default 512
  // Local coherence: the first `basis` modes are stored whole, of the others the coefficients of these for each block
  // of sites, which is given by as many extents as the lattice has. A mode that is wrong by more than `tolerance`,
  // relative to its norm, is stored whole, too. Default 0: all are.
  uint64_t basis;
  int64_t block[LQ_MAX_DIMENSIONS];
  double tolerance;  // default 0.01
} lq_modes_description;

// What is known of one vector.
typedef struct lq_mode {
  double eigenvalue_re, eigenvalue_im;
  double residual;  // norm of (operator - eigenvalue) vector; negative: not known
} lq_mode;

LQ_API lq_status lq_modes_description_init(lq_modes_description* description, size_t struct_size);

// Collective. A new set, which is there, without modes, when this returns; or one that is there. Of the options, or
// NULL, overwrite, sync, verify, block_bytes and those of the route are used.
LQ_API lq_status lq_modes_create(const char* path, const lq_grid* grid, const lq_modes_description* description,
                                 const lq_write_options* options, lq_modes_writer** writer);
LQ_API lq_status lq_modes_append(const char* path, const lq_grid* grid, const lq_write_options* options,
                                 lq_modes_writer** writer);
// Collective. When it returns the vector is in the set for good, whenever the program ends; if it fails, the set is as
// before. `report_json` may be NULL.
LQ_API lq_status lq_modes_writer_append(lq_modes_writer* writer, lq_field vector, const lq_mode* mode,
                                        char** report_json);
LQ_API uint64_t lq_modes_writer_size(const lq_modes_writer* writer);  // modes in the set
LQ_API void lq_modes_writer_free(lq_modes_writer* writer);
// Collective. All vectors of a set at once; modes[k] tells of vectors[k].
LQ_API lq_status lq_modes_write(const char* path, const lq_grid* grid, const lq_modes_description* description,
                                const lq_field* vectors, const lq_mode* modes, size_t count,
                                const lq_write_options* options);

// Collective over the options' communicator.
LQ_API lq_status lq_modes_open(const char* path, const lq_scan_options* options, lq_modes** set);
LQ_API void lq_modes_free(lq_modes* set);
// Local. How many there are; what is known of all, whose texts live as long as the handle; and of mode number k, from
// 0.
LQ_API uint64_t lq_modes_size(const lq_modes* set);
LQ_API lq_status lq_modes_known(lq_modes* set, lq_modes_description* description);
LQ_API lq_status lq_modes_mode(const lq_modes* set, uint64_t k, lq_mode* mode);
// Local. By how much mode k is wrong at most, relative to its norm, where it is stored as coefficients; negative: it
// is stored whole.
LQ_API lq_status lq_modes_error(const lq_modes* set, uint64_t k, double* error);
// Collective. Vector number k, on any process grid of the sites, in any precision; field and index of the options are
// not used. In the background: call it for the next vectors before you work on this one.
LQ_API lq_status lq_modes_read(const lq_modes* set, uint64_t k, const lq_grid* grid, lq_field vector,
                               const lq_read_options* options);
LQ_API lq_status lq_modes_read_async(const lq_modes* set, uint64_t k, const lq_grid* grid, lq_field vector,
                                     const lq_read_options* options, lq_pending** pending);
// Collective over the communicator, or NULL. A set from the modes first to last - 1 of another one (last beyond their
// number: all), stored as lq_modes_storage says; 0: as they are.
LQ_API lq_status lq_modes_convert(const char* from, const char* to, int storage, uint64_t first, uint64_t last,
                                  int overwrite, const lq_communicator* communicator);

// The same, of all modes, with local coherence as in lq_modes_description; `block` has as many extents as the lattice.
LQ_API lq_status lq_modes_convert_coherent(const char* from, const char* to, int storage, uint64_t basis,
                                           const int64_t* block, double tolerance, int overwrite,
                                           const lq_communicator* communicator);

// Sets of vectors of QUDA, MILC, Grid, Hadrons (a file, or a folder of files v0.bin, ...), QDP++ (.mod) and of
// eigen-comp (a folder) are opened and converted like sets of modes. These two also say what their files do not: the
// extent `ls` of the fifth dimension (QUDA; 1), of vectors on half of the sites the parity (Grid), an lq_modes_parity
// (LQ_MODES_BOTH: not said), and the four extents of the lattice (eigen-comp; NULL: not said). Of the new set `format`
// is "modes" or NULL, "quda", "milc", "grid", "grid-folder" or "mod". Vectors of other programs are not read in the
// background (LQ_UNSUPPORTED).
LQ_API lq_status lq_modes_open_vectors(const char* path, int64_t ls, int parity, const int64_t* lattice,
                                       const lq_scan_options* options, lq_modes** set);
LQ_API lq_status lq_modes_convert_vectors(const char* from, const char* to, const char* format, int64_t ls, int parity,
                                          const int64_t* lattice, int storage, uint64_t first, uint64_t last,
                                          int overwrite, const lq_communicator* communicator);
// Local. Who wrote the set: "modes" (this library), "quda", "milc", "grid", "mod", "eigen-comp"; the text lives for
// ever.
LQ_API const char* lq_modes_family(const lq_modes* set);

// ---- Sessions with HDF5 files (docs/guide/hdf5.md) -------------------------------------------------------------

// A file that is browsed like folders: small objects, lattice fields, attributes. Paths are absolute, or relative to
// the group the session is in. All functions but lq_hdf5_pwd and lq_hdf5_free are collective over the communicator of
// the options. LQ_UNSUPPORTED where the library was built without HDF5.
typedef struct lq_hdf5 lq_hdf5;

typedef enum lq_hdf5_mode {
  LQ_HDF5_READ = 0,    // an existing file
  LQ_HDF5_CREATE = 1,  // a new file, which gets its name when it is closed
  LQ_HDF5_APPEND = 2   // an existing file, in place; it survives a kill at any moment. Where there is none: a new one
} lq_hdf5_mode;
typedef enum lq_digests_mode { LQ_DIGESTS_CHECK = 0, LQ_DIGESTS_IGNORE = 1 } lq_digests_mode;

typedef struct lq_hdf5_options {
  size_t struct_size;                   // set by init
  const lq_communicator* communicator;  // or NULL: this process alone
  int overwrite;                        // LQ_HDF5_CREATE: replace an existing file; default 0
  const char* layout;                   // "native", "qdp", "qlua", or NULL: native; a field may have its own
  int time_stamps;                      // default 1
  int digests;                          // lq_digests_mode: of small objects that are read; default check
  int sync;                             // lq_sync_mode, at a flush; default full
  uint64_t limit_records;               // bounds on what a file may ask of its reader
  uint64_t limit_text_bytes;            // of a small object
} lq_hdf5_options;
LQ_API lq_status lq_hdf5_options_init(lq_hdf5_options* options, size_t struct_size);
LQ_API lq_status lq_hdf5_options_set(lq_hdf5_options* options, const char* name, const char* value);

LQ_API lq_status lq_hdf5_open(const char* path, int mode, const lq_hdf5_options* options, lq_hdf5** file);
// What was done so far is in the file, all of it or nothing; lq_hdf5_close gives a new file its name, too. What was
// not flushed is lost when the session is freed, over MPI by all ranks.
LQ_API lq_status lq_hdf5_flush(lq_hdf5* file);
LQ_API lq_status lq_hdf5_close(lq_hdf5* file);
LQ_API void lq_hdf5_free(lq_hdf5* file);

// Local. The group the session is in; the text lasts until it changes.
LQ_API const char* lq_hdf5_pwd(const lq_hdf5* file);
LQ_API lq_status lq_hdf5_cd(lq_hdf5* file, const char* path);
// The same, but missing groups are made; and back to where push came from.
LQ_API lq_status lq_hdf5_push(lq_hdf5* file, const char* path);
LQ_API lq_status lq_hdf5_pop(lq_hdf5* file);

typedef enum lq_hdf5_kind {
  LQ_HDF5_GROUP = 0,
  LQ_HDF5_DATASET = 1,
  LQ_HDF5_TYPE = 2,
  LQ_HDF5_LINK = 3,  // that leads nowhere, or into another file
  LQ_HDF5_OTHER = 4
} lq_hdf5_kind;

// Called for each member of a group, in order of name; `target` is that of a link, else "".
typedef void (*lq_hdf5_visit)(const char* name, int kind, const char* target, void* context);
LQ_API lq_status lq_hdf5_ls(lq_hdf5* file, const char* path, lq_hdf5_visit visit, void* context);

enum { LQ_HDF5_MAX_DIMENSIONS = 32 };

// What is known of an object. Texts belong to the session and last until the next lq_hdf5_stat.
typedef struct lq_hdf5_facts {
  size_t struct_size;  // set by you
  int kind;            // lq_hdf5_kind
  int dimensions;      // of the dataspace
  uint64_t extents[LQ_HDF5_MAX_DIMENSIONS];
  int is_chunked;
  uint64_t chunk[LQ_HDF5_MAX_DIMENSIONS];
  uint64_t bytes;         // of all elements; of a group: of the datasets in it, at any depth
  uint64_t unused_bytes;  // of "/": those of the file that hold no data
  int has_time;
  int64_t microseconds;  // since 1970, when it was written
  uint64_t attributes;   // how many there are
  const char* path;      // absolute, links resolved
  const char* type;      // of an element: "float64"
  const char* storage;   // "contiguous", "chunked", "compact", "external", "virtual"
  const char* filters;   // separated by commas
  const char* checksum;  // as stored, in hexadecimal digits
  const char* layout;    // "native", "qdp", "qlua", or ""
  const char* object;    // what its writer calls it: "gauge", "LatticeColorMatrix", or ""
} lq_hdf5_facts;
LQ_API lq_status lq_hdf5_stat(lq_hdf5* file, const char* path, lq_hdf5_facts* facts);
LQ_API lq_status lq_hdf5_exists(lq_hdf5* file, const char* path, int* exists);

LQ_API lq_status lq_hdf5_mkdir(lq_hdf5* file, const char* path);
LQ_API lq_status lq_hdf5_remove(lq_hdf5* file, const char* path);
LQ_API lq_status lq_hdf5_rename(lq_hdf5* file, const char* from, const char* to);
LQ_API lq_status lq_hdf5_copy(lq_hdf5* file, const char* from, const char* to);

typedef enum lq_hdf5_type {
  LQ_HDF5_INT32 = 0,
  LQ_HDF5_INT64 = 1,
  LQ_HDF5_UINT64 = 2,
  LQ_HDF5_FLOAT = 3,
  LQ_HDF5_DOUBLE = 4,
  LQ_HDF5_COMPLEX_FLOAT = 5,   // re, im
  LQ_HDF5_COMPLEX_DOUBLE = 6,  // re, im
  LQ_HDF5_TEXT = 7             // `data` is an array of const char*
} lq_hdf5_type;

// The name of a dimension and, or NULL, as many coordinates as its extent.
typedef struct lq_hdf5_axis {
  const char* name;
  const double* coordinates;
} lq_hdf5_axis;

// One number or text (0 dimensions), or an array of them, the last extent fastest.
typedef struct lq_hdf5_array {
  int type;  // lq_hdf5_type
  int dimensions;
  uint64_t extents[LQ_HDF5_MAX_DIMENSIONS];
  const void* data;
  const lq_hdf5_axis* axes;  // one for each dimension, or NULL
} lq_hdf5_array;

LQ_API lq_status lq_hdf5_write(lq_hdf5* file, const char* path, const lq_hdf5_array* array, int replace);
// An array that was read; what it holds lasts as long as the value.
typedef struct lq_hdf5_value lq_hdf5_value;
LQ_API lq_status lq_hdf5_read(lq_hdf5* file, const char* path, lq_hdf5_value** value);
// Local.
LQ_API const lq_hdf5_array* lq_hdf5_value_array(const lq_hdf5_value* value);
LQ_API int lq_hdf5_value_status(const lq_hdf5_value* value);  // lq_checksum_status of its SHA-256
LQ_API void lq_hdf5_value_free(lq_hdf5_value* value);

// Lattice fields, by the ranks of the grid. Of the options `overwrite` replaces an object of that name; format, name,
// sync, field, index and the limits are not used.
LQ_API lq_status lq_hdf5_write_field(lq_hdf5* file, const char* path, const lq_grid* grid, lq_field field,
                                     const lq_write_options* options);
LQ_API lq_status lq_hdf5_read_field(lq_hdf5* file, const char* path, const lq_grid* grid, lq_field field,
                                    const lq_read_options* options);
// All fields, by path without the first slash, as from lq_inspect; what was done so far is flushed.
LQ_API lq_status lq_hdf5_catalog(lq_hdf5* file, char** json);

LQ_API lq_status lq_hdf5_set_attribute(lq_hdf5* file, const char* path, const char* name, const lq_hdf5_array* array);
LQ_API lq_status lq_hdf5_attribute(lq_hdf5* file, const char* path, const char* name, lq_hdf5_value** value);
LQ_API lq_status lq_hdf5_remove_attribute(lq_hdf5* file, const char* path, const char* name);
// Called for each attribute, in order of name.
typedef void (*lq_hdf5_visit_attribute)(const char* name, const lq_hdf5_array* array, void* context);
LQ_API lq_status lq_hdf5_attributes(lq_hdf5* file, const char* path, lq_hdf5_visit_attribute visit, void* context);

// ---- File systems --------------------------------------------------------------------------------------------

// Local. What is known of the file system of a path: kind, block, stripes, targets, locks, coherent between clients or
// not, space; null is what it does not tell.
LQ_API lq_status lq_file_system_of(const char* path, char** json);

// A call of the file system that has not returned. Texts last as long as the call of lq_stall_tell.
typedef struct lq_stall {
  size_t struct_size;  // set by the library
  const char* call;    // "write", "read", "sync", "open", "rename", ...
  const char* path;    // of a file that is not complete, its temporary name
  uint64_t offset;
  uint64_t bytes;        // 0: the call moves none
  double seconds;        // that it has taken so far
  const char* sentence;  // "waits for 30 s in write of 1048576 bytes at byte 4096 of PATH"
} lq_stall;
typedef void (*lq_stall_tell)(const lq_stall* stall, void* context);

// Local. From now on `tell` gets every call of this process that takes longer than `seconds`, and gets it again each
// time that twice as many have passed; on a thread of its own. NULL ends it, and then `tell` is not under way any more.
// Calls that are under way already are not seen. Not to be called by `tell`.
LQ_API lq_status lq_watch_stalls(double seconds, lq_stall_tell tell, void* context);

// ---- Plans ---------------------------------------------------------------------------------------------------

typedef struct lq_plan_options {
  size_t struct_size;       // set by init
  int reading;              // 0: writing
  int checksum;             // default 1
  uint64_t payload_offset;  // byte in the file at which the sites begin
  const int* rank_order;    // dimensions in which consecutive ranks advance, fastest first, or NULL: x first
  const char* profile;      // of the machine (`lq doctor --save-profile` makes one), or NULL: that of this site
  const char* folder;       // whose file system is taken, or NULL: that of the profile
  int strategy;             // as in lq_write_options, and the next four, too
  uint64_t aggregators;
  uint64_t chunk_bytes;
  uint64_t alignment;
  uint64_t memory_bytes;
  int threads;
} lq_plan_options;
LQ_API lq_status lq_plan_options_init(lq_plan_options* options, size_t struct_size);
LQ_API lq_status lq_plan_options_set(lq_plan_options* options, const char* name, const char* value);

// Local. Who would move which bytes of a file, by which strategy, and how long that should take; for any number of
// ranks. `lattice`, `processes` and rank_order have `dimensions` entries. `field` is as in the file; its memory is not
// looked at.
LQ_API lq_status lq_plan(const int64_t* lattice, const int64_t* processes, int dimensions, lq_field field,
                         const lq_plan_options* options, char** json);

// ---- Physics of gauge fields in memory -----------------------------------------------------------------------

// Collective. values: average, spatial, temporal.
LQ_API lq_status lq_plaquette(const lq_grid* grid, lq_field field, double values[3]);
// Collective. Average of Re Tr U / N over the links.
LQ_API lq_status lq_link_trace(const lq_grid* grid, lq_field field, double* value);
// Collective. values: largest |element| of U U^dagger - 1, its mean over links, largest |det U - 1|.
LQ_API lq_status lq_unitarity(const lq_grid* grid, lq_field field, double values[3]);
// Collective. Any field: how many numbers are NaN or infinite.
LQ_API lq_status lq_count_not_finite(const lq_grid* grid, lq_field field, uint64_t* count);
// Collective. All of it from one pass, as JSON.
LQ_API lq_status lq_measure(const lq_grid* grid, lq_field field, char** json);

typedef struct lq_generate_options {
  size_t struct_size;                             // set by init
  double beta;                                    // 6.0
  int sweeps;                                     // 100
  int over_relaxation;                            // 3 after each heat bath sweep
  uint64_t seed;                                  // 1
  int hot_start;                                  // 0: all links are 1
  void (*after_sweep)(int sweep, void* context);  // or NULL
  void* context;
  int threads;  // of this rank; 0: as many as it has cores to itself
} lq_generate_options;
LQ_API lq_status lq_generate_options_init(lq_generate_options* options, size_t struct_size);
LQ_API lq_status lq_generate_options_set(lq_generate_options* options, const char* name, const char* value);

// Collective. A thermalised SU(2) or SU(3) configuration into a double precision gauge field, x fastest.
LQ_API lq_status lq_generate(const lq_grid* grid, lq_field field, const lq_generate_options* options);

#ifdef __cplusplus
}
#endif

#endif
