/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program over QIO: writes records whose bytes follow from their site, reads them back, tells codes.
 * driver RUN [, RUN ...], one after the other; what it says in run 3 begins with "3: ".
 * RUN: FILE ACTION [in=FOLDER] [lat=4x4x4x8] [layout=KIND] [ext=1] [volfmt=N] [serpar=N] [io=N] [ildg=1] [lfn=TEXT]
 * (io=0: no functions of I/O nodes) [keep=1 (of the style for all records)] [blind=1 (get_coords must not be called)]
 * [mode=N] [watch=1] [half=1] ACTION: write, read, skip, single, vectors, discover, codes, split, join, master (what
 * the master node's file is) */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "layouts.h"
#include "nodes.h"

static int run_number;

// Lines of several nodes do not mix: each is written at once, although MPI may take the buffer of the stream away.
static void say(const char* format, ...) {
  static char line[8192];
  static size_t used = 0;
  va_list arguments;
  if (used == 0) used = (size_t)snprintf(line, sizeof line, "%d: ", run_number);
  va_start(arguments, format);
  const int more = vsnprintf(line + used, sizeof line - used, format, arguments);
  va_end(arguments);
  used = more < 0 || used + (size_t)more >= sizeof line ? sizeof line - 1 : used + (size_t)more;
  if (used == 0 || (line[used - 1] != '\n' && used < sizeof line - 1)) return;
  fwrite(line, 1, used, stdout);
  fflush(stdout);
  used = 0;
}

static int argument_count;
static char** arguments;

static const char* option(const char* name, const char* otherwise) {
  int i;
  const size_t length = strlen(name);
  for (i = 3; i < argument_count; ++i) {
    if (strncmp(arguments[i], name, length) == 0 && arguments[i][length] == '=') return arguments[i] + length + 1;
  }
  return otherwise;
}

static int number(const char* name, int otherwise) {
  const char* text = option(name, NULL);
  return text == NULL ? otherwise : atoi(text);
}

static int io_every = 1;
static int io_node(const int node) { return node / io_every * io_every; }
static int master_node(void) { return 0; }

/* One record: what its words are follows from site and word. */
typedef struct {
  const char* datatype;
  const char* precision;
  int type, typesize, count, word;
} Record;

static const Record records[] = {
    {"QDP_D3_ColorMatrix", "D", QIO_FIELD, 144, 4, 8},
    {"QDP_F_Real", "F", QIO_GLOBAL, 4, 3, 4},
    {"QDP_F_Real", "F", QIO_HYPER, 4, 1, 4},
    {"USQCD_F3_ColorVector", "F", QIO_FIELD, 24, 2, 4},
    {"Bytes", "I", QIO_FIELD, 7, 1, 1},
};
enum { record_count = sizeof records / sizeof *records };

static const Record vector_record = {"USQCD_F3_DiracFermion", "F", QIO_FIELD, 96, 1, 4};
static int vector_number; /* of the set that is written or read; else 0 */

static const Record* current;
static long mismatches, calls;

static void fill(char* buf, size_t site) {
  const int bytes = current->typesize * current->count;
  int at, j = 0;
  for (at = 0; at < bytes; at += current->word, ++j) {
    const double d = (double)site * 100 + j;
    const float f = (float)site + (float)j / 64 + (float)(7 * vector_number);
    const unsigned char b = (unsigned char)(site * 3 + (size_t)j);
    memcpy(buf + at,
           current->word == 8   ? (const void*)&d
           : current->word == 4 ? (const void*)&f
                                : (const void*)&b,
           (size_t)current->word);
  }
}

static size_t site_of_call(size_t index) { return current->type == QIO_GLOBAL ? 0 : site_of_index[this_node()][index]; }

static void get(char* buf, size_t index, int count, void* arg) {
  ++calls;
  if (arg != &calls || count != current->count) abort();
  fill(buf, site_of_call(index));
}

static void put(char* buf, size_t index, int count, void* arg) {
  char expected[1024];
  ++calls;
  if (arg != &calls || count != current->count) abort();
  fill(expected, site_of_call(index));
  if (memcmp(expected, buf, (size_t)(current->typesize * current->count)) != 0) ++mismatches;
}

static size_t bytes_of(const Record* record) { return (size_t)(record->typesize * record->count); }

static QIO_Layout layout;
static QIO_Filesystem filesystem;

static QIO_Writer* open_writer(const char* name) {
  QIO_Oflag flags;
  QIO_Writer* writer;
  QIO_String* xml = QIO_string_create();
  QIO_String* lfn = QIO_string_create();
  QIO_string_set(xml, "<file>of a test</file>");
  QIO_string_set(lfn, option("lfn", "none"));
  flags.serpar = number("serpar", QIO_SERIAL);
  flags.mode = number("mode", QIO_TRUNC);
  flags.ildgstyle = number("ildg", 0) ? QIO_ILDGLAT : QIO_ILDGNO;
  flags.ildgLFN = option("lfn", NULL) == NULL ? NULL : lfn;
  writer = QIO_open_write(xml, name, number("volfmt", QIO_SINGLEFILE), &layout, &filesystem, &flags);
  QIO_string_destroy(xml);
  QIO_string_destroy(lfn);
  return writer;
}

static int write_one(QIO_Writer* writer, const Record* record) {
  int lower[4] = {1, 0, 0, 2}, upper[4] = {2, 3, 3, 2}, code;
  QIO_String* xml = QIO_string_create();
  QIO_RecordInfo* info = QIO_create_record_info(record->type, lower, upper, 4, (char*)record->datatype,
                                                (char*)record->precision, 3, 0, record->typesize, record->count);
  QIO_string_set(xml, record->datatype);
  current = record;
  code = QIO_write(writer, info, xml, get, bytes_of(record), record->word, &calls);
  QIO_destroy_record_info(info);
  QIO_string_destroy(xml);
  return code;
}

static int write_file(const char* name) {
  int i, code;
  QIO_Writer* writer = open_writer(name);
  if (writer == NULL) {
    say("%d open NULL\n", this_node());
    return 1;
  }
  for (i = 0; i < record_count; ++i) {
    QIO_Oflag flags = {QIO_SERIAL, QIO_TRUNC, QIO_ILDGNO, NULL};
    if (i == 1 && !number("keep", 0)) QIO_reset_writer_ILDG_flags(writer, &flags);
    code = write_one(writer, &records[i]);
    if (code != QIO_SUCCESS) say("%d write %d\n", this_node(), code);
  }
  if (number("watch", 0)) {
    FILE* file = fopen(name, "rb");
    wait_for_nodes();
    say("%d while open %s\n", this_node(), file == NULL ? "absent" : fgetc(file) == 'o' ? "old" : "new");
    if (file != NULL) fclose(file);
    wait_for_nodes();
  }
  code = QIO_close_write(writer);
  if (code != QIO_SUCCESS) say("%d close %d\n", this_node(), code);
  return 0;
}

static QIO_Reader* open_reader(const char* name, QIO_String* xml) {
  QIO_Iflag flags;
  flags.serpar = number("serpar", QIO_SERIAL);
  flags.volfmt = QIO_UNKNOWN;
  return QIO_open_read(xml, name, &layout, &filesystem, &flags);
}

static int read_file(const char* name, int skip) {
  int i = 0, code;
  static QIO_RecordInfo info;
  QIO_String* xml = QIO_string_create();
  QIO_Reader* reader = open_reader(name, xml);
  if (reader == NULL) {
    say("%d open NULL\n", this_node());
    QIO_string_destroy(xml);
    return 1;
  }
  if (this_node() == 0)
    say("file %s volfmt %d format %d\n", QIO_string_ptr(xml), QIO_get_reader_volfmt(reader),
        QIO_get_reader_format(reader));
  while ((code = QIO_read_record_info(reader, &info, xml)) == QIO_SUCCESS) {
    current = &records[i % record_count];
    calls = 0;
    if (skip && i % 2 == 0) {
      code = QIO_next_record(reader);
    } else {
      code = QIO_read_record_data(reader, put, bytes_of(current), current->word, &calls);
    }
    if (strcmp(QIO_string_ptr(xml), current->datatype) != 0 || QIO_get_recordtype(&info) != current->type) ++mismatches;
    if (this_node() == 0) {
      say("record %d %s code %d sums %x %x", i, QIO_get_datatype(&info), code, QIO_get_reader_last_checksuma(reader),
          QIO_get_reader_last_checksumb(reader));
      say(" lfn %s\n", QIO_get_ILDG_LFN(reader) == NULL ? "-" : QIO_get_ILDG_LFN(reader));
    }
    if (current->type == QIO_FIELD && calls != 0 && calls != (long)layout.sites_on_node) ++mismatches;
    if (code != QIO_SUCCESS) say("%d data %d\n", this_node(), code);
    if (code == QIO_ERR_BAD_READ_BYTES || code == QIO_ERR_BAD_SITELIST) break; /* the record is still the next one */
    ++i;
  }
  say("%d end %d mismatches %ld\n", this_node(), code, mismatches);
  QIO_close_read(reader);
  QIO_string_destroy(xml);
  return mismatches != 0;
}

/* A field read site by site, from the last site to the first. */
static int read_single(const char* name) {
  static QIO_RecordInfo info;
  DML_Checksum sum;
  QIO_ChecksumInfo* stored;
  QIO_String* xml = QIO_string_create();
  QIO_Reader* reader = open_reader(name, xml);
  LIME_type type = (LIME_type)QIO_LIMETYPE_BINARY_DATA, found = NULL;
  uint64_t bytes = 0;
  DML_SiteRank site;
  int code;
  if (reader == NULL) return 1;
  current = &records[3];
  code = QIO_read_record_info(reader, &info, xml);
  if (code == QIO_SUCCESS) code = QIO_init_read_field(reader, 48, &type, 1, &sum, &found);
  for (site = (DML_SiteRank)lattice_volume - 1; site >= 0 && code == QIO_SUCCESS; --site) {
    code = QIO_seek_read_field_datum(reader, site, put, 2, 48, 4, &calls);
  }
  if (code == QIO_SUCCESS) code = QIO_close_read_field(reader, &bytes);
  if (bytes != layout.sites_on_node * 48) ++mismatches;
  DML_checksum_combine(&sum);
  stored = QIO_read_checksum(reader);
  if (stored != NULL) code = QIO_compare_checksum(this_node(), stored, &sum);
  say("%d single %d mismatches %ld found %s\n", this_node(), code, mismatches, found == NULL ? "-" : found);
  say("%d end %d\n", this_node(), QIO_read_record_info(reader, &info, xml));
  QIO_close_read(reader);
  QIO_destroy_checksum_info(stored);
  QIO_string_destroy(xml);
  return code != QIO_SUCCESS || mismatches != 0;
}

/* The same, written in that way before. */
static int single(const char* name) {
  DML_Checksum sum;
  QIO_String* xml = QIO_string_create();
  QIO_Writer* writer = open_writer(name);
  QIO_RecordInfo* made = QIO_create_record_info(QIO_FIELD, NULL, NULL, 0, "T", "F", 3, 0, 24, 2);
  LIME_type type = (LIME_type)QIO_LIMETYPE_BINARY_DATA;
  uint64_t bytes = 0;
  DML_SiteRank site;
  int begins, ends, code;
  if (writer == NULL) return 1;
  QIO_string_set(xml, "<single/>");
  current = &records[3];
  code = QIO_write_record_info(writer, made, 48, 4, xml, &begins, &ends);
  if (code == QIO_SUCCESS) code = QIO_init_write_field(writer, begins, ends, 48, &sum, type);
  for (site = (DML_SiteRank)lattice_volume - 1; site >= 0 && code == QIO_SUCCESS; --site) {
    code = QIO_seek_write_field_datum(writer, site, get, 2, 48, 4, &calls);
  }
  say("%d written %d", this_node(), code);
  if (code == QIO_SUCCESS) code = QIO_close_write_field(writer, &bytes);
  say(" bytes %d\n", bytes == layout.sites_on_node * 48);
  DML_checksum_combine(&sum);
  if (code == QIO_SUCCESS) code = QIO_write_checksum(writer, &sum);
  QIO_close_write(writer);
  QIO_destroy_record_info(made);
  QIO_string_destroy(xml);
  return read_single(name) || code != QIO_SUCCESS;
}

static long most_kibibytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* A set of vectors, a record each; how much memory all but the first ones take. */
static int vectors(const char* name) {
  enum { count = 64, first = 4 };
  static QIO_RecordInfo info;
  long memory = 0, grown;
  int code = QIO_SUCCESS;
  QIO_String* xml = QIO_string_create();
  QIO_Writer* writer = open_writer(name);
  QIO_Reader* reader;
  if (writer == NULL) return 1;
  for (vector_number = 0; vector_number < count && code == QIO_SUCCESS; ++vector_number) {
    code = write_one(writer, &vector_record);
    if (vector_number == first) memory = most_kibibytes();
  }
  grown = most_kibibytes() - memory;
  say("%d written %d close %d bounded %d\n", this_node(), code, QIO_close_write(writer), grown < 4096);
  reader = open_reader(name, xml);
  if (reader == NULL) return 1;
  for (vector_number = 0; vector_number < count && code == QIO_SUCCESS; ++vector_number) {
    code = QIO_read(reader, &info, xml, put, bytes_of(&vector_record), vector_record.word, &calls);
    if (vector_number == first) memory = most_kibibytes();
  }
  grown = most_kibibytes() - memory;
  say("%d read %d mismatches %ld bounded %d end %d\n", this_node(), code, mismatches, grown < 4096,
      QIO_read_record_info(reader, &info, xml));
  QIO_close_read(reader);
  QIO_string_destroy(xml);
  return code != QIO_SUCCESS || mismatches != 0;
}

static int discover(const char* name) {
  int d;
  QIO_Reader* reader;
  QIO_String* xml = QIO_string_create();
  layout.latdim = 0;
  layout.latsize = NULL;
  layout.volume = 0;
  reader = open_reader(name, xml);
  if (reader == NULL) return 1;
  say("%d dims", this_node());
  for (d = 0; d < QIO_get_reader_latdim(reader); ++d) say(" %d", QIO_get_reader_latsize(reader)[d]);
  say(" xml %s\n", QIO_string_ptr(xml));
  QIO_close_read(reader);
  QIO_string_destroy(xml);
  return 0;
}

/* The original's programs look at a file through the first step of opening it alone. */
static int look_at_master(const char* name) {
  QIO_Iflag flags = {QIO_SERIAL, QIO_UNKNOWN};
  QIO_Reader* reader = QIO_open_read_master(name, &layout, &flags, io_node, master_node);
  if (reader == NULL) return 1;
  if (count_nodes() > 1) { /* as QDP++ sends from node to node */
    char sent[3] = {0, 0, 0};
    if (this_node() == 1) memcpy(sent, "ab", 3);
    if (DML_route_bytes(sent, 3, 1, 0) != 0 || (this_node() == 0 && strcmp(sent, "ab") != 0)) return 1;
  }
  say("%d master volfmt %d format %d\n", this_node(), QIO_get_reader_volfmt(reader), QIO_get_reader_format(reader));
  return QIO_close_read(reader) != QIO_SUCCESS;
}

/* A single file into parts for `nodes` nodes, or back. */
static int convert(const char* name) {
  int nodes[64], i, code;
  const int count = number("nodes", 1);
  QIO_String* lfn = QIO_string_create();
  QIO_string_set(lfn, "lfn://a");
  for (i = 0; i < count; i += io_every) nodes[i / io_every] = i;
  memset(&filesystem, 0, sizeof filesystem);
  filesystem.my_io_node = io_node;
  filesystem.master_io_node = master_node;
  filesystem.number_io_nodes = i / io_every;
  filesystem.io_node = nodes;
  code = strcmp(arguments[2], "split") == 0
             ? QIO_single_to_part(name, &filesystem, &layout, number("volfmt", QIO_PARTFILE))
             : QIO_part_to_single(name, number("ildg", 0) ? QIO_ILDGLAT : QIO_ILDGNO, lfn, &filesystem, &layout);
  say("%d convert %d\n", this_node(), code);
  QIO_string_destroy(lfn);
  return code != QIO_SUCCESS;
}

/* Record information compared with what QDP/C expects: the values of another program, or something that is not there.
 */
static void compare(QIO_RecordInfo found) {
  QIO_RecordInfo* other = QIO_create_record_info(QIO_FIELD, NULL, NULL, 0, "another name", "D", 2, 1, 48, 1);
  QIO_RecordInfo* plain = QIO_create_record_info(QIO_FIELD, NULL, NULL, 0, "T", "F", 3, 0, 24, 2);
  QIO_set_colors(&found, 3);
  QIO_set_spins(&found, 4);
  say("%d other %d\n", this_node(), QIO_compare_record_info(&found, other));
  found.spins.occur = 0;
  found.spins.value = 0;
  say("%d spinless %d\n", this_node(), QIO_compare_record_info(&found, plain));
  say("%d nospins %d\n", this_node(), QIO_compare_record_info(&found, other) == QIO_ERR_REC_INFO);
  QIO_destroy_record_info(other);
  QIO_destroy_record_info(plain);
}

/* What wrong calls return. */
static int codes(const char* name) {
  static QIO_RecordInfo info;
  Record wrong = records[3];
  QIO_String* xml = QIO_string_create();
  QIO_Writer* writer = open_writer(name);
  QIO_Reader* reader;
  QIO_RecordInfo* made;
  int outside[4] = {0, 0, 0, 99}, zero[4] = {0, 0, 0, 0}, long_ago;
  if (writer == NULL) return 1;
  current = &records[3];
  made = QIO_create_record_info(QIO_FIELD, NULL, NULL, 0, "T", "F", 3, 0, 24, 2);
  say("%d bytes %d\n", this_node(), QIO_write(writer, made, NULL, get, 47, 4, &calls));
  QIO_destroy_record_info(made);
  made = QIO_create_record_info(QIO_HYPER, zero, outside, 4, "T", "F", 3, 0, 24, 2);
  say("%d subset %d\n", this_node(), QIO_write(writer, made, NULL, get, 48, 4, &calls));
  QIO_destroy_record_info(made);
  made = QIO_create_record_info(QIO_FIELD, NULL, NULL, 0, "T", "F", 3, 0, 24, 2);
  say("%d word %d\n", this_node(), QIO_write(writer, made, NULL, get, 48, 2, &calls));
  QIO_destroy_record_info(made);
  if (this_node() == 0) wrong.count = 1; /* on one node only */
  if (count_nodes() > 1) say("%d unlike %d\n", this_node(), write_one(writer, &wrong));
  say("%d good %d\n", this_node(), write_one(writer, &records[3]));
  QIO_close_write(writer);
  reader = open_reader(name, xml);
  if (reader == NULL) return 1;
  say("%d missed %d\n", this_node(), QIO_read_record_data(reader, put, 48, 4, &calls));
  long_ago = QIO_read_record_info(reader, &info, xml);
  say("%d again %d %d\n", this_node(), long_ago, QIO_read_record_info(reader, &info, xml));
  compare(info);
  say("%d size %d\n", this_node(), QIO_read_record_data(reader, put, 24, 4, &calls));
  say("%d data %d\n", this_node(), QIO_read_record_data(reader, put, 48, 4, &calls));
  say("%d end %d\n", this_node(), QIO_read_record_info(reader, &info, xml));
  say("%d skip %d\n", this_node(), QIO_next_record(reader));
  QIO_close_read(reader);
  say("%d absent %d\n", this_node(), open_reader("no such file", xml) == NULL);
  lattice[0] *= 2;
  say("%d lattice %d\n", this_node(), open_reader(name, xml) == NULL);
  lattice[0] /= 2;
  QIO_string_destroy(xml);
  return 0;
}

/* `argument_count` words from `arguments` on, of which the first is none of its own. */
static int run(void) {
  int failed = 0;
  const char* text = option("in", NULL);
  char home[4096];
  if (getcwd(home, sizeof home) == NULL || (text != NULL && chdir(text) != 0)) abort();
  if (number("half", 0)) arguments[1][0] = (char)('0' + take_half());
  lattice_dims = 0;
  mismatches = calls = callbacks = 0;
  vector_number = 0;
  for (text = option("lat", "4x4x4x8"), lattice_volume = 1; *text != '\0'; ++lattice_dims) {
    lattice[lattice_dims] = (int)strtol(text, (char**)&text, 10);
    lattice_volume *= (size_t)lattice[lattice_dims];
    if (*text == 'x') ++text;
  }
  make_layout(&layout, option("layout", "box"), number("nodes", count_nodes()), this_node(), number("ext", 0));
  io_every = number("io", 1);
  is_blind = number("blind", 0);
  if (strcmp(arguments[2], "split") == 0 || strcmp(arguments[2], "join") == 0) failed = convert(arguments[1]);
  /* Programs set these two and leave the rest as it was. */
  memset(&filesystem, 0x5a, sizeof filesystem);
  filesystem.my_io_node = io_every > 0 ? io_node : NULL;
  filesystem.master_io_node = io_every > 0 ? master_node : NULL;
  if (strcmp(arguments[2], "write") == 0) failed = write_file(arguments[1]);
  if (strcmp(arguments[2], "read") == 0) failed = read_file(arguments[1], 0);
  if (strcmp(arguments[2], "skip") == 0) failed = read_file(arguments[1], 1);
  if (strcmp(arguments[2], "discover") == 0) failed = discover(arguments[1]);
  if (strcmp(arguments[2], "master") == 0) failed = look_at_master(arguments[1]);
  if (strcmp(arguments[2], "single") == 0) failed = single(arguments[1]);
  if (strcmp(arguments[2], "seek") == 0) failed = read_single(arguments[1]);
  if (strcmp(arguments[2], "vectors") == 0) failed = vectors(arguments[1]);
  if (strcmp(arguments[2], "codes") == 0) failed = codes(arguments[1]);
  if (number("calls", 0) && this_node() == 0) say("callbacks %ld\n", callbacks);
  free_tables(number("nodes", count_nodes()));
  wait_for_nodes();
  return chdir(home) != 0 || failed;
}

int main(int argc, char** argv) {
  int failed = 0;
  start_nodes(&argc, &argv);
  for (arguments = argv; arguments < argv + argc; arguments += argument_count, ++run_number) {
    for (argument_count = 1; arguments + argument_count < argv + argc; ++argument_count) {
      if (strcmp(arguments[argument_count], ",") == 0) break;
    }
    failed |= run();
  }
  end_nodes();
  return failed;
}
