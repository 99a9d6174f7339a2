/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The descriptions of a SciDAC file, its records and their checksums, as structures and as XML. */
#ifndef QIOXML_PRIVATE_H
#define QIOXML_PRIVATE_H

#include <qio_string.h>
#include <qioxml_internal.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QIO_FILEFORMATVERSION "1.1"
#define QIO_RECORDFORMATVERSION "1.1"
#define QIO_CHECKSUMFORMATVERSION "1.0"

/* --- A record (formats/scidac.md 4.2) --- */

/* The enclosing element. */
typedef struct {
  QIO_TagCharValue recordinfo_tags;
} QIO_RecordInfoWrapper;

#define QIO_RECORD_INFO_WRAPPER   \
  {                               \
    { "scidacRecord", "", "", 0 } \
  }

typedef struct {
  QIO_TagCharValue version;
  QIO_TagCharValue date;
  QIO_TagIntValue recordtype;
  QIO_TagIntValue spacetime;
  QIO_TagIntArrayValue hyperlower;
  QIO_TagIntArrayValue hyperupper;
  QIO_TagCharValue datatype;
  QIO_TagCharValue precision;
  QIO_TagIntValue colors;
  QIO_TagIntValue spins;
  QIO_TagIntValue typesize;
  QIO_TagIntValue datacount;
} QIO_RecordInfo;

#define QIO_RECORD_INFO_TEMPLATE                                                                       \
  {                                                                                                    \
    {"version", "", "", 0}, {"date", "", "", 0}, {"recordtype", "", 0, 0}, {"spacetime", "", 0, 0},    \
        {"hyperlower", "", {0}, 1, 0}, {"hyperupper", "", {0}, 1, 0}, {"datatype", "", "", 0},         \
        {"precision", "", "", 0}, {"colors", "", 0, 0}, {"spins", "", 0, 0}, {"typesize", "", 0, 0}, { \
      "datacount", "", 0, 0                                                                            \
    }                                                                                                  \
  }

/* Version 1.0 of it. */
typedef struct {
  QIO_TagCharValue version;
  QIO_TagCharValue date;
  QIO_TagIntValue globaldata;
  QIO_TagCharValue datatype;
  QIO_TagCharValue precision;
  QIO_TagIntValue colors;
  QIO_TagIntValue spins;
  QIO_TagIntValue typesize;
  QIO_TagIntValue datacount;
} QIO_RecordInfo_v1p0;

#define QIO_RECORD_INFO_TEMPLATE_v1p0                                                                  \
  {                                                                                                    \
    {"version", "", "", 0}, {"date", "", "", 0}, {"globaldata", "", 0, 0}, {"datatype", "", "", 0},    \
        {"precision", "", "", 0}, {"colors", "", 0, 0}, {"spins", "", 0, 0}, {"typesize", "", 0, 0}, { \
      "datacount", "", 0, 0                                                                            \
    }                                                                                                  \
  }

/* --- A file --- */

/* The enclosing element. */
typedef struct {
  QIO_TagCharValue fileinfo_tags;
} QIO_FileInfoWrapper;

#define QIO_FILE_INFO_WRAPPER   \
  {                             \
    { "scidacFile", "", "", 0 } \
  }

typedef struct {
  QIO_TagCharValue version;
  QIO_TagIntValue spacetime;
  QIO_TagIntArrayValue dims;
  QIO_TagIntValue volfmt;
} QIO_FileInfo;

#define QIO_FILE_INFO_TEMPLATE                                                                       \
  {                                                                                                  \
    {"version", "", "", 0}, {"spacetime", "", 0, 0}, {"dims", "", {0}, 1, 0}, { "volfmt", "", 0, 0 } \
  }

/* Version 1.0 of it. */
typedef struct {
  QIO_TagCharValue version;
  QIO_TagIntValue spacetime;
  QIO_TagIntArrayValue dims;
  QIO_TagIntValue multifile;
} QIO_FileInfo_v1p0;

#define QIO_FILE_INFO_TEMPLATE_v1p0                                                                     \
  {                                                                                                     \
    {"version", "", "", 0}, {"spacetime", "", 0, 0}, {"dims", "", {0}, 1, 0}, { "multifile", "", 0, 0 } \
  }

/* --- A checksum --- */

/* The enclosing element. */
typedef struct {
  QIO_TagCharValue checksuminfo_tags;
} QIO_ChecksumInfoWrapper;

#define QIO_CHECKSUM_INFO_WRAPPER   \
  {                                 \
    { "scidacChecksum", "", "", 0 } \
  }

typedef struct {
  QIO_TagCharValue version;
  QIO_TagHex32Value suma;
  QIO_TagHex32Value sumb;
} QIO_ChecksumInfo;

#define QIO_CHECKSUM_INFO_TEMPLATE                                   \
  {                                                                  \
    {"version", "", "", 0}, {"suma", "", 0, 0}, { "sumb", "", 0, 0 } \
  }

/* Local. From XML: QIO_SUCCESS, QIO_BAD_XML without the enclosing element, QIO_ERR_ALLOC without memory, or the number
 * of elements that are missing or occur twice. To XML: the string is set, or empty without memory. */
int QIO_decode_file_info(QIO_FileInfo* file_info, QIO_String* file_string);
void QIO_encode_file_info(QIO_String* file_string, QIO_FileInfo* file_info);
int QIO_decode_record_info(QIO_RecordInfo* record_info, QIO_String* record_string);
void QIO_encode_record_info(QIO_String* record_string, QIO_RecordInfo* record_info);
int QIO_decode_checksum_info(QIO_ChecksumInfo* checksum, QIO_String* file_string);
void QIO_encode_checksum_info(QIO_String* file_string, QIO_ChecksumInfo* checksum);

/* Local. Set elements: QIO_SUCCESS, QIO_BAD_ARG, or QIO_ERR_ALLOC if a text was truncated. Zero counts
 * as not given, except for the sums of a checksum. */
int QIO_insert_file_tag_string(QIO_FileInfoWrapper* wrapper, char* fileinfo_tags);
int QIO_insert_file_version(QIO_FileInfo* file_info, char* version);
int QIO_insert_spacetime_dims(QIO_FileInfo* file_info, int spacetime, int* dims);
int QIO_insert_volfmt(QIO_FileInfo* file_info, int volfmt);
int QIO_insert_record_tag_string(QIO_RecordInfoWrapper* wrapper, char* recordinfo_tags);
int QIO_insert_record_version(QIO_RecordInfo* record_info, char* version);
/* `date`: in the form of asctime(); its line end becomes a blank, and UTC follows. */
int QIO_insert_record_date(QIO_RecordInfo* record_info, char* date);
int QIO_insert_recordtype(QIO_RecordInfo* record_info, int recordtype);
int QIO_insert_hypercube_bounds(QIO_RecordInfo* record_info, int* lower, int* upper, int n);
int QIO_insert_datatype(QIO_RecordInfo* record_info, char* datatype);
int QIO_insert_precision(QIO_RecordInfo* record_info, char* precision);
int QIO_insert_colors(QIO_RecordInfo* record_info, int colors);
int QIO_insert_spins(QIO_RecordInfo* record_info, int spins);
int QIO_insert_typesize(QIO_RecordInfo* record_info, int typesize);
int QIO_insert_datacount(QIO_RecordInfo* record_info, int datacount);
int QIO_insert_checksum_tag_string(QIO_ChecksumInfoWrapper* wrapper, char* checksuminfo_tags);
int QIO_insert_checksum_version(QIO_ChecksumInfo* checksum_info, char* version);
int QIO_insert_suma_sumb(QIO_ChecksumInfo* checksum_info, uint32_t suma, uint32_t sumb);

/* Local. The value of an element, and whether it is present. */
char* QIO_get_file_info_tag_string(QIO_FileInfoWrapper* wrapper);
char* QIO_get_file_version(QIO_FileInfo* file_info);
int QIO_get_spacetime(QIO_FileInfo* file_info);
int* QIO_get_dims(QIO_FileInfo* file_info);
int QIO_get_volfmt(QIO_FileInfo* file_info);
int QIO_get_multifile(QIO_FileInfo_v1p0* file_info);
int QIO_defined_spacetime(QIO_FileInfo* file_info);
int QIO_defined_dims(QIO_FileInfo* file_info);
int QIO_defined_volfmt(QIO_FileInfo* file_info);
char* QIO_get_record_info_tag_string(QIO_RecordInfoWrapper* wrapper);
char* QIO_get_record_info_version(QIO_RecordInfo* record_info);
char* QIO_get_record_date(QIO_RecordInfo* record_info);
int QIO_get_globaldata(QIO_RecordInfo_v1p0* record_info);
int QIO_get_recordtype(QIO_RecordInfo* record_info);
int QIO_get_hyper_spacetime(QIO_RecordInfo* record_info);
int* QIO_get_hyperlower(QIO_RecordInfo* record_info);
int* QIO_get_hyperupper(QIO_RecordInfo* record_info);
char* QIO_get_datatype(QIO_RecordInfo* record_info);
char* QIO_get_precision(QIO_RecordInfo* record_info);
int QIO_get_colors(QIO_RecordInfo* record_info);
int QIO_get_spins(QIO_RecordInfo* record_info);
size_t QIO_get_typesize(QIO_RecordInfo* record_info);
int QIO_get_datacount(QIO_RecordInfo* record_info);
int QIO_defined_record_date(QIO_RecordInfo* record_info);
int QIO_defined_recordtype(QIO_RecordInfo* record_info);
int QIO_defined_datatype(QIO_RecordInfo* record_info);
int QIO_defined_precision(QIO_RecordInfo* record_info);
int QIO_defined_colors(QIO_RecordInfo* record_info);
int QIO_defined_spins(QIO_RecordInfo* record_info);
int QIO_defined_typesize(QIO_RecordInfo* record_info);
int QIO_defined_datacount(QIO_RecordInfo* record_info);
char* QIO_get_checksum_info_tag_string(QIO_ChecksumInfoWrapper* wrapper);
uint32_t QIO_get_suma(QIO_ChecksumInfo* checksum_info);
uint32_t QIO_get_sumb(QIO_ChecksumInfo* checksum_info);
int QIO_defined_suma(QIO_ChecksumInfo* checksum_info);
int QIO_defined_sumb(QIO_ChecksumInfo* checksum_info);

/* Local. Set elements unchanged. */
void QIO_set_recordtype(QIO_RecordInfo* record_info, int recordtype);
void QIO_set_datatype(QIO_RecordInfo* record_info, char* datatype);
void QIO_set_precision(QIO_RecordInfo* record_info, char* precision);
void QIO_set_record_date(QIO_RecordInfo* record_info, char* date);
void QIO_set_colors(QIO_RecordInfo* record_info, int colors);
void QIO_set_spins(QIO_RecordInfo* record_info, int spins);
void QIO_set_typesize(QIO_RecordInfo* record_info, int typesize);
void QIO_set_datacount(QIO_RecordInfo* record_info, int datacount);

/* Local. New objects; NULL without memory. A record's date is the time of the call. */
QIO_FileInfo* QIO_create_file_info(int spacetime, int* dims, int volfmt);
void QIO_destroy_file_info(QIO_FileInfo* file_info);
QIO_RecordInfo* QIO_create_record_info(int recordtype, int lower[], int upper[], int n, char* datatype, char* precision,
                                       int colors, int spins, int typesize, int datacount);
void QIO_destroy_record_info(QIO_RecordInfo* record_info);
QIO_ChecksumInfo* QIO_create_checksum_info(uint32_t suma, uint32_t sumb);
void QIO_destroy_checksum_info(QIO_ChecksumInfo* checksum_info);

/* Local. QIO_SUCCESS if all expected values were found and, except for records, are equal; QIO_ERR_FILE_INFO,
 * QIO_ERR_REC_INFO, QIO_ERR_CHECKSUM_INFO, QIO_CHECKSUM_MISMATCH. `myname` and `this_node` are for messages. */
int QIO_compare_file_info(QIO_FileInfo* found, QIO_FileInfo* expect, char* myname, int this_node);
int QIO_compare_record_info(QIO_RecordInfo* found, QIO_RecordInfo* expect);
int QIO_compare_checksum_info(QIO_ChecksumInfo* found, QIO_ChecksumInfo* expect, char* myname, int this_node);

#ifdef __cplusplus
}
#endif

#endif
