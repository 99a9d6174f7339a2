/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SciDAC files with the interface of QIO, over Limequat: fields of a lattice with any distribution of sites over the
 * nodes of a program, written and read by all nodes together. docs/guide/porting-from-qio.md.
 *
 * A call that is collective is made by all nodes, and returns the same code on all of them. Nothing here ends the
 * program. */
#ifndef QIO_H
#define QIO_H

#include <dml.h>
#include <lime.h>
#include <lrl.h>
#include <qio_config.h>
#include <qio_string.h>
#include <qioxml.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QIO_UNKNOWN DML_UNKNOWN
#define QIO_SINGLEFILE DML_SINGLEFILE
#define QIO_MULTIFILE DML_MULTIFILE
#define QIO_PARTFILE DML_PARTFILE
#define QIO_PARTFILE_DIR DML_PARTFILE_DIR

#define QIO_FIELD DML_FIELD
#define QIO_GLOBAL DML_GLOBAL
#define QIO_HYPER DML_HYPER

#define QIO_SERIAL DML_SERIAL
#define QIO_PARALLEL DML_PARALLEL

#define QIO_CREAT LRL_CREAT
#define QIO_TRUNC LRL_TRUNC
#define QIO_APPEND LRL_APPEND

#define QIO_ILDGNO 0
#define QIO_ILDGLAT 1

/* The kind of a file being read. */
#define QIO_SCIDAC_NATIVE 1
#define QIO_ILDG_ALIEN 2

#define QIO_SUCCESS (0)
#define QIO_EOF (-1)
#define QIO_ERR_BAD_WRITE_BYTES (-2)
#define QIO_ERR_OPEN_READ (-3)
#define QIO_ERR_OPEN_WRITE (-4)
#define QIO_ERR_BAD_READ_BYTES (-5)
#define QIO_ERR_ALLOC (-6)
#define QIO_ERR_CLOSE (-7)
#define QIO_ERR_INFO_MISSED (-8)
#define QIO_ERR_BAD_SITELIST (-9)
#define QIO_ERR_PRIVATE_FILE_INFO (-10)
#define QIO_ERR_PRIVATE_REC_INFO (-11)
#define QIO_BAD_XML (-12)
#define QIO_BAD_ARG (-13)
#define QIO_CHECKSUM_MISMATCH (-14)
#define QIO_ERR_FILE_INFO (-15)
#define QIO_ERR_REC_INFO (-16)
#define QIO_ERR_CHECKSUM_INFO (-17)
#define QIO_ERR_SKIP (-18)
#define QIO_ERR_BAD_TOTAL_BYTES (-19)
#define QIO_ERR_BAD_GLOBAL_TYPE (-20)
#define QIO_ERR_BAD_VOLFMT (-21)
#define QIO_ERR_BAD_IONODE (-22)
#define QIO_ERR_BAD_SEEK (-23)
#define QIO_ERR_BAD_SUBSET (-24)

#define QIO_LIMETYPE_PRIVATE_FILE_XML "scidac-private-file-xml"
#define QIO_LIMETYPE_SITELIST "scidac-sitelist"
#define QIO_LIMETYPE_FILE_XML "scidac-file-xml"
#define QIO_LIMETYPE_PRIVATE_RECORD_XML "scidac-private-record-xml"
#define QIO_LIMETYPE_RECORD_XML "scidac-record-xml"
#define QIO_LIMETYPE_BINARY_DATA "scidac-binary-data"
#define QIO_LIMETYPE_ILDG_FORMAT "ildg-format"
#define QIO_LIMETYPE_ILDG_BINARY_DATA "ildg-binary-data"
#define QIO_LIMETYPE_ILDG_DATA_LFN "ildg-data-lfn"

#define QIO_MAX_FILENAME_LENGTH 512
#define QIO_HAS_EXTENDED_LAYOUT

typedef DML_Index QIO_Index;

/* The node of a site and the site's number there, and the reverse; the number of sites of a node. A node queries its
 * own sites once, when a file is opened. The functions with _ext are used if given. `volume` is the lattice's. */
typedef struct {
  DML_LAYOUT_OF_SITES
} QIO_Layout;

/* Programs obtain one from QIO_open_write; sites and dml_record_out are NULL. */
typedef struct {
  LRL_FileWriter* lrl_file_out;
  int volfmt;
  int serpar;
  int ildgstyle;
  QIO_String* ildgLFN;
  DML_Layout* layout;
  DML_SiteList* sites;
  DML_Checksum last_checksum;
  DML_RecordWriter* dml_record_out;
  void* limequat;
} QIO_Writer;

/* QIO_Reader.read_state: what comes next. */
#define QIO_RECORD_INFO_PRIVATE_NEXT 0
#define QIO_RECORD_INFO_USER_NEXT 1
#define QIO_RECORD_ILDG_INFO_NEXT 2
#define QIO_RECORD_DATA_NEXT 3
#define QIO_RECORD_CHECKSUM_NEXT 4

/* From QIO_open_read; sites and dml_record_in are NULL. */
typedef struct {
  LRL_FileReader* lrl_file_in;
  int volfmt;
  int serpar;
  int format;
  int ildgstyle;
  int ildg_precision;
  DML_Layout* layout;
  DML_SiteList* sites;
  int read_state;
  QIO_String* xml_record;
  QIO_String* ildgLFN;
  QIO_RecordInfo record_info;
  DML_Checksum last_checksum;
  DML_RecordReader* dml_record_in;
  void* limequat;
} QIO_Reader;

typedef struct {
  int serpar;
  int volfmt;
} QIO_Iflag;

typedef struct {
  int serpar;
  int mode; /* QIO_CREAT, QIO_TRUNC, QIO_APPEND */
  int ildgstyle;
  QIO_String* ildgLFN;
} QIO_Oflag;

#define QIO_SINGLE_PATH 0
#define QIO_MULTI_PATH 1

/* The writing nodes. The node paths are for programs that convert files on another machine. */
typedef struct {
  int number_io_nodes;
  int type; /* QIO_SINGLE_PATH, QIO_MULTI_PATH */
  DML_io_node_t my_io_node;
  DML_master_io_node_t master_io_node;
  DML_io_node_ext my_io_node_ext;
  DML_master_io_node_ext master_io_node_ext;
  void* arg;
  int* io_node;
  char** node_path;
} QIO_Filesystem;

/* Local. Sets how much is printed on standard output; returns the previous level. */
int QIO_verbose(int level);
int QIO_verbosity(void);

#define QIO_VERB_OFF 0
#define QIO_VERB_LOW 1
#define QIO_VERB_MED 2
#define QIO_VERB_REG 3
#define QIO_VERB_HIGH 4
#define QIO_VERB_DEBUG 5

/* Not in the original. Collective over the present nodes, if a file was opened already. `mpi_comm` points to an
 * MPI_Comm, whose processes are the nodes from the next opening on; it must stay valid while used. NULL: back to QMP's
 * communicator if the program has QMP, else to MPI_COMM_WORLD. QIO_SUCCESS, QIO_BAD_ARG in a library without
 * MPI. */
#define QIO_HAS_SET_COMMUNICATOR
int QIO_set_communicator(const void* mpi_comm);

/* Collective. Opens a file for writing and writes its header; NULL on all nodes if that fails on any. `fs` and `oflag`
 * may be NULL: every node writes, node 0 for all; truncated, in ILDG style. One node writes a single file.
 * QIO_APPEND: records are appended to an existing file with the same lattice. */
QIO_Writer* QIO_open_write(QIO_String* xml_file, const char* filename, int volfmt, QIO_Layout* layout,
                           QIO_Filesystem* fs, QIO_Oflag* oflag);
/* Collective. A record: get() fills `datum_size` bytes of the node's site number `index` (all data, of the master node,
 * for global data). QIO_SUCCESS, QIO_ERR_BAD_WRITE_BYTES, QIO_ERR_BAD_SUBSET, QIO_ERR_ALLOC, QIO_BAD_ARG. */
int QIO_write(QIO_Writer* out, QIO_RecordInfo* record_info, QIO_String* xml_record,
              void (*get)(char* buf, size_t index, int count, void* arg), size_t datum_size, int word_size, void* arg);
/* Collective. QIO_SUCCESS, or QIO_ERR_CLOSE if bytes were not written; with LIMEQUAT_QIO_RENAME=1 also if a record was
 * not, because the file does not get its name then. */
int QIO_close_write(QIO_Writer* out);
uint32_t QIO_get_writer_last_checksuma(QIO_Writer* out);
uint32_t QIO_get_writer_last_checksumb(QIO_Writer* out);
/* Local. For later records; the LFN is copied. */
void QIO_reset_writer_ILDG_flags(QIO_Writer* out, QIO_Oflag* oflag);

/* Collective. Opens a file for reading and reads its file XML; NULL on all nodes if that fails on any. Its extents are
 * the layout's, or with latdim 0 taken from the file; then only record information and global data can be read.
 * Files in parts can be read by any nodes. */
QIO_Reader* QIO_open_read(QIO_String* xml_file, const char* filename, QIO_Layout* layout, QIO_Filesystem* fs,
                          QIO_Iflag* iflag);
/* Collective. Describes the next record; may be repeated until its data are read. QIO_SUCCESS, QIO_EOF,
 * QIO_ERR_OPEN_READ, QIO_ERR_PRIVATE_REC_INFO, QIO_ERR_BAD_SUBSET. `xml_record` may be NULL. */
int QIO_read_record_info(QIO_Reader* in, QIO_RecordInfo* record_info, QIO_String* xml_record);
/* Collective. put() receives the sites of this node in the form of get(); global data go to every node. QIO_SUCCESS,
 * QIO_ERR_INFO_MISSED, QIO_EOF, QIO_ERR_OPEN_READ, QIO_ERR_BAD_READ_BYTES, QIO_ERR_CHECKSUM_INFO,
 * QIO_CHECKSUM_MISMATCH. */
int QIO_read_record_data(QIO_Reader* in, void (*put)(char* buf, size_t index, int count, void* arg), size_t datum_size,
                         int word_size, void* arg);
/* Collective. Both. */
int QIO_read(QIO_Reader* in, QIO_RecordInfo* record_info, QIO_String* xml_record,
             void (*put)(char* buf, size_t index, int count, void* arg), size_t datum_size, int word_size, void* arg);
/* Collective. To the next record, whatever was read of this one. QIO_SUCCESS, QIO_ERR_SKIP after the last one. */
int QIO_next_record(QIO_Reader* in);
/* Collective. NULL is allowed. */
int QIO_close_read(QIO_Reader* in);

int QIO_get_reader_latdim(QIO_Reader* in);
int* QIO_get_reader_latsize(QIO_Reader* in);
uint32_t QIO_get_reader_last_checksuma(QIO_Reader* in);
uint32_t QIO_get_reader_last_checksumb(QIO_Reader* in);
/* Local. Position of the next LIME header in this node's file; for a single file the master node's applies. */
off_t QIO_get_reader_pointer(QIO_Reader* qio_in);
int QIO_set_reader_pointer(QIO_Reader* qio_in, off_t offset);
char* QIO_get_ILDG_LFN(QIO_Reader* qio_in);
int QIO_get_ildgstyle(QIO_Reader* in);
int QIO_get_reader_volfmt(QIO_Reader* in);
int QIO_get_reader_format(QIO_Reader* in);
void QIO_set_record_info(QIO_Reader* in, QIO_RecordInfo* rec_info);
/* Local. Global data then go to the master node only. */
void QIO_suppress_global_broadcast(QIO_Reader* qio_in);

/* A field site by site. Collective: the beginning of the record (of one of these types; none: of any) and
 * its end. Local: a site, by its lexicographic rank, which its node reads or writes and adds to `checksum`;
 * other nodes do nothing. Writing: QIO_write_record_info, QIO_init_write_field, the sites, QIO_close_write_field,
 * DML_checksum_combine, QIO_write_checksum. Reading: QIO_read_record_info, QIO_init_read_field, sites,
 * QIO_close_read_field, QIO_read_checksum. */
int QIO_init_read_field(QIO_Reader* in, size_t datum_size, LIME_type* lime_type_list, int ntypes,
                        DML_Checksum* checksum, LIME_type* lime_type);
int QIO_seek_read_field_datum(QIO_Reader* in, DML_SiteRank seeksite,
                              void (*put)(char* buf, size_t index, int count, void* arg), int count, size_t datum_size,
                              int word_size, void* arg);
int QIO_close_read_field(QIO_Reader* in, uint64_t* nbytes);
int QIO_init_write_field(QIO_Writer* out, int msg_begin, int msg_end, size_t datum_size, DML_Checksum* checksum,
                         const LIME_type lime_type);
int QIO_seek_write_field_datum(QIO_Writer* out, DML_SiteRank seeksite,
                               void (*get)(char* buf, size_t index, int count, void* arg), int count, size_t datum_size,
                               int word_size, void* arg);
int QIO_close_write_field(QIO_Writer* out, uint64_t* nbytes);
/* Collective. The records before and after the data; the position of the next record in its message. */
int QIO_write_record_info(QIO_Writer* out, QIO_RecordInfo* record_info, size_t datum_size, int word_size,
                          QIO_String* xml_record, int* msg_begin, int* msg_end);
int QIO_write_checksum(QIO_Writer* out, DML_Checksum* checksum);
/* Collective. For QIO_destroy_checksum_info; NULL if there is none, and on nodes other than the master. */
QIO_ChecksumInfo* QIO_read_checksum(QIO_Reader* in);
/* Local. QIO_SUCCESS, QIO_CHECKSUM_MISMATCH. */
int QIO_compare_checksum(int this_node, QIO_ChecksumInfo* checksum_info_expect, DML_Checksum* checksum);

/* Collective. The file of the master node only: its description, not its data. */
QIO_Reader* QIO_open_read_master(const char* filename, QIO_Layout* layout, QIO_Iflag* iflag, int (*io_node)(int),
                                 int (*master_io_node)(void));

/* Local. In one process: converts a single file to the part files of these nodes, volfmt QIO_PARTFILE or
 * QIO_PARTFILE_DIR, and back; the layout is the nodes', with number_of_nodes; `fs` has the I/O nodes and their paths.
 * QIO_SUCCESS, QIO_BAD_ARG, QIO_ERR_BAD_IONODE, QIO_ERR_BAD_VOLFMT, QIO_ERR_BAD_SITELIST, QIO_ERR_FILE_INFO,
 * QIO_ERR_BAD_READ_BYTES, QIO_ERR_OPEN_READ, QIO_ERR_OPEN_WRITE. */
int QIO_single_to_part(const char filename[], QIO_Filesystem* fs, QIO_Layout* layout, int volfmt);
int QIO_part_to_single(const char filename[], int ildgstyle, QIO_String* ildgLFN, QIO_Filesystem* fs,
                       QIO_Layout* layout);

/* Local. The path of a file of an I/O node, from malloc: `filename` in the folder node_path[node], if `fs` has
 * one. */
char* QIO_set_filepath(QIO_Filesystem* fs, const char* const filename, int node);

/* Local. Seconds since 1970; waits that many. */
double QIO_time(void);
void QIO_wait(double sec);
/* Local. The name of a node's file, from malloc; NULL for a name that is too long. */
char* QIO_filename_edit(const char* filename, int volfmt, int this_node);

#ifndef _QIO_UNUSED_ARGUMENT
#define _QIO_UNUSED_ARGUMENT(x) ((void)(x))
#endif

#ifdef __cplusplus
}
#endif

#endif
