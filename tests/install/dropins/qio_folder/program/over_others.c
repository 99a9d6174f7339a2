/* Copyright (c) 2026 The Limequat authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* QIO, C-LIME and QMP, all by linking to QIO. */
#include <lime.h>
#include <qio.h>
#include <stdio.h>
#ifndef WITHOUT_QMP
#include <qmp.h>
#endif

int main(void) {
  FILE* file = tmpfile();
  LimeWriter* writer = file == NULL ? NULL : limeCreateWriter(file);
  if (writer == NULL || limeDestroyWriter(writer) != LIME_SUCCESS) return 1;
  fclose(file);
#ifndef WITHOUT_QMP
  if (QMP_of_this_test() != 0) return 1;
#endif
  puts(QIO_verbosity() >= 0 ? "same" : "mute");
  return 0;
}
