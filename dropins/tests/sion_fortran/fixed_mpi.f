! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Fortran 77: no module, the type of the data in the names.
      PROGRAM FIXED
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INCLUDE 'sion_f77.h'
      INTEGER IERR, RANK, SID, NFILES, FSBLK, GRANK, LCOMM, EOF, I
      INTEGER*8 CHUNK, SIZE, N, RC, AVAIL
      INTEGER*8 FSION_BYTES_AVAIL_IN_BLOCK
      EXTERNAL FSION_BYTES_AVAIL_IN_BLOCK
      INTEGER A(20), B(20)
      REAL R(4)
      DOUBLE PRECISION X(1000), Y(1000)
      CHARACTER*8 TEXT, BACK
      CHARACTER*255 NAME
      INTEGER*8 POS

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      DO 10 I = 1, 20
        A(I) = 1000 * RANK + I
   10 CONTINUE
      DO 20 I = 1, 1000
        X(I) = RANK + I / 1024.0D0
   20 CONTINUE
      DO 30 I = 1, 4
        R(I) = I
   30 CONTINUE
      TEXT = 'eight ch'
      NFILES = 1
      CHUNK = 8000
      FSBLK = 1024
      GRANK = RANK
      LCOMM = MPI_COMM_WORLD
      CALL FSION_PAROPEN_MPI('fixed.sion', 'bw', NFILES,
     &  MPI_COMM_WORLD, LCOMM, CHUNK, FSBLK, GRANK, NAME, SID)
      IF (SID .LT. 0) STOP 1
      IF (NAME .NE. 'fixed.sion') STOP 2
      SIZE = 4
      N = 20
      CALL FSION_WRITE_INTEGER(A, SIZE, N, SID, RC)
      IF (RC .NE. 20) STOP 3
      N = 4
      CALL FSION_WRITE_REAL(R, SIZE, N, SID, RC)
      SIZE = 1
      N = 8
      CALL FSION_FWRITE_CHARACTER(TEXT, SIZE, N, SID, RC)
      IF (RC .NE. 8) STOP 4
!     This one does not fit into what is left of the first chunk.
      SIZE = 8
      N = 1000
      CALL FSION_WRITE(X, SIZE, N, SID, RC)
      IF (RC .NE. 1000) STOP 5
      CALL FSION_PARCLOSE_MPI(SID, IERR)
      IF (IERR .NE. SION_SUCCESS) STOP 6

      CALL FSION_PAROPEN_MPI('fixed.sion', 'br', NFILES,
     &  MPI_COMM_WORLD, LCOMM, CHUNK, FSBLK, GRANK, NAME, SID)
      IF (SID .LT. 0) STOP 7
      IF (NFILES .NE. 1 .OR. CHUNK .NE. 8192 .OR. FSBLK .NE. 1024)
     &  STOP 8
      SIZE = 4
      N = 20
      CALL FSION_READ_INTEGER(B, SIZE, N, SID, RC)
      DO 40 I = 1, 20
        IF (A(I) .NE. B(I)) STOP 9
   40 CONTINUE
      POS = 96
      CALL FSION_SEEK(SID, SION_CURRENT_RANK, 0, POS, IERR)
      IF (IERR .NE. SION_SUCCESS) STOP 10
      SIZE = 1
      N = 8
      CALL FSION_READ_CHARACTER(BACK, SIZE, N, SID, RC)
      IF (BACK .NE. TEXT) STOP 11
      CALL FSION_FEOF(SID, EOF)
      IF (EOF .NE. 0) STOP 12
      AVAIL = FSION_BYTES_AVAIL_IN_BLOCK(SID)
      IF (AVAIL .NE. 8000) STOP 13
      SIZE = 8
      N = 1000
      CALL FSION_READ_DOUBLE(Y, SIZE, N, SID, RC)
      IF (RC .NE. 1000) STOP 14
      DO 50 I = 1, 1000
        IF (X(I) .NE. Y(I)) STOP 15
   50 CONTINUE
      CALL FSION_PARCLOSE_MPI(SID, IERR)
      IF (RANK .EQ. 0) PRINT '(A)', 'ok'
      CALL MPI_FINALIZE(IERR)
      END
