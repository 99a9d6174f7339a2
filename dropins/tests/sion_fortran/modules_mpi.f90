! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Data of every type and rank through module sion_f90_mpi, and back. What it writes is taken apart by fortran_test.py.
program modules_mpi
  use mpi
  use sion_f90_mpi
  implicit none

  type :: particle
    integer :: id
    real(8) :: x, y
  end type particle

  integer :: rank, ranks, ierr, sid, nfiles, fsblksize, globalrank
  integer(8) :: chunksize
  character(len=60) :: newfname, expected

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call write_types()
  call read_types()
  call write_together()
  call old_forms()
  call constants_as_arguments()
  if (rank == 0) print '(a)', "ok"
  call MPI_Finalize(ierr)

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    integer :: code
    if (holds) return
    print '(a,i0,2a)', "rank ", rank, ": ", what
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine require

  subroutine write_types()
    integer :: i
    integer :: whole(10), one
    integer(8) :: long(3)
    real :: single(4)
    real(8) :: plane(4, 4)
    complex(8) :: z
    complex :: w
    logical :: flags(2)
    character(len=5) :: text
    character(len=1) :: letters(3)
    type(particle) :: cloud(3)
    integer(8) :: rc

    whole = [(100 * rank + i, i = 1, 10)]
    one = -rank
    long = [5000000000_8, 1_8, -2_8]
    single = [(0.5 * i, i = 1, 4)]
    plane = reshape([(real(i, 8), i = 1, 16)], [4, 4])
    z = (1.5d0, -2.5d0)
    w = (3.0, 4.0)
    flags = [.true., .false.]
    text = "hello"
    letters = ["a", "b", "c"]
    cloud = [(particle(i, 10.0d0 * i, 20.0d0 * i), i = 1, 3)]

    nfiles = 2
    fsblksize = 512
    chunksize = 1000 + 100 * rank
    globalrank = -1
    call fsion_paropen_mpi("types.sion  ", "bw", nfiles, MPI_COMM_WORLD, MPI_COMM_WORLD, chunksize, fsblksize, &
                           globalrank, newfname, sid)
    call require(sid >= 0, "open for writing")
    call require(globalrank == rank, "global rank")
    expected = "types.sion"
    if (rank >= ranks / 2) expected = "types.sion.000001"
    call require(newfname == expected, "name of the physical file: " // newfname)
    call fsion_write(whole, 4_8, 10_8, sid, rc)
    call require(rc == 10, "an array")
    call fsion_write(whole(8), 4_8, 3_8, sid, rc)
    call fsion_write(whole(1:10:4), 4_8, 3_8, sid, rc)
    call require(rc == 3, "a section")
    call fsion_fwrite(one, 4_8, 1_8, sid, rc)
    call fsion_write(long, 8_8, 3_8, sid, rc)
    call fsion_write(single(1), 4_8, 4_8, sid, rc)
    call fsion_write(plane(2, :), 8_8, 4_8, sid, rc)
    call fsion_write(plane(:, 3), 8_8, 4_8, sid, rc)
    call fsion_write(z, 16_8, 1_8, sid, rc)
    call fsion_write(w, 8_8, 1_8, sid, rc)
    call fsion_write(flags, 4_8, 2_8, sid, rc)
    call fsion_write(text, 1_8, 5_8, sid, rc)
    call fsion_write(letters(1), 1_8, 3_8, sid, rc)
    call fsion_write(cloud%x, 8_8, 3_8, sid, rc)
    call require(rc == 3, "a component")
    call fsion_write(whole, 4_8, 11_8, sid, rc)
    call require(rc == 0, "more than the array has")
    call fsion_write(whole, -4_8, 1_8, sid, rc)
    call require(rc == 0, "a negative size")
    call fsion_flush(sid, ierr)
    call require(ierr == sion_success, "flush")
    call fsion_parclose_mpi(sid, ierr)
    call require(ierr == sion_success, "close")
  end subroutine write_types

  subroutine read_types()
    integer :: i, eof
    integer :: whole(10), part(3), spread(10), one
    integer(8) :: rc
    nfiles = 0
    chunksize = 0
    fsblksize = 0
    globalrank = -1
    call fsion_paropen_mpi("types.sion", "br", nfiles, MPI_COMM_WORLD, MPI_COMM_WORLD, chunksize, fsblksize, &
                           globalrank, newfname, sid)
    call require(sid >= 0, "open for reading")
    call require(nfiles == 2 .and. fsblksize == 512 .and. globalrank == rank, "what the file says of itself")
    call require(chunksize == 512 * ((1000 + 100 * rank + 511) / 512), "chunk size")
    call fsion_read(whole(1), 4_8, 10_8, sid, rc)
    call require(rc == 10 .and. all(whole == [(100 * rank + i, i = 1, 10)]), "read an array by its first element")
    call fsion_fread(part, 4_8, 3_8, sid, rc)
    call require(all(part == whole(8:10)), "read an array")
    spread = 0
    call fsion_read(spread(1:10:4), 4_8, 3_8, sid, rc)
    call require(all(spread(1:10:4) == whole(1:10:4)) .and. count(spread /= 0) == 3, "read into a section")
    call fsion_read(one, 4_8, 1_8, sid, rc)
    call require(one == -rank, "read a scalar")
    call fsion_feof(sid, eof)
    call require(eof == 0, "not at the end")
    call require(fsion_bytes_avail_in_block(sid) > 0, "bytes available")
    call fsion_parclose_mpi(sid, ierr)
    call require(ierr == sion_success, "close after reading")
  end subroutine read_types

  ! All in one file, through a collector.
  subroutine write_together()
    real(8) :: values(8), back(8)
    integer(8) :: rc
    values = rank + 0.25d0
    nfiles = 1
    fsblksize = 512
    chunksize = 64
    globalrank = rank
    call fsion_paropen_mpi("together.sion", "bw,collective", nfiles, MPI_COMM_WORLD, MPI_COMM_WORLD, chunksize, &
                           fsblksize, globalrank, newfname, sid)
    call require(sid >= 0, "collective open")
    call fsion_coll_fwrite_mpi(values(1), 8_8, 8_8, sid, rc)
    call require(rc == 8, "collective write")
    call fsion_parclose_mpi(sid, ierr)
    call fsion_paropen_mpi("together.sion", "br,collective", nfiles, MPI_COMM_WORLD, MPI_COMM_WORLD, chunksize, &
                           fsblksize, globalrank, newfname, sid)
    call fsion_coll_fread_mpi(back, 8_8, 8_8, sid, rc)
    call require(rc == 8 .and. all(back == values), "collective read")
    call fsion_parclose_mpi(sid, ierr)
  end subroutine write_together

  ! Opens and closes of early programs.
  subroutine old_forms()
    integer(8) :: rc
    fsblksize = 512
    chunksize = 100
    globalrank = rank
    call fsion_paropen_mpi("old.sion", "bw", MPI_COMM_WORLD, chunksize, fsblksize, globalrank, sid)
    call require(sid >= 0, "old open")
    call fsion_write([rank, 7], 4_8, 2_8, sid, rc)
    call fsion_parclose_mpi(sid, MPI_COMM_WORLD, ierr)
    call require(ierr == sion_success, "old close")
  end subroutine old_forms

  ! What the call need not change may be a constant.
  subroutine constants_as_arguments()
    chunksize = 100
    call fsion_paropen_mpi("constants.sion", "bw", 1, MPI_COMM_WORLD, MPI_COMM_NULL, chunksize, 512, rank, newfname, sid)
    call require(sid >= 0, "constants")
    call fsion_parclose_mpi(sid, ierr)
    call fsion_paropen_mpi("/no/such/folder/x.sion", "bw", 1, MPI_COMM_WORLD, MPI_COMM_NULL, chunksize, 512, rank, &
                           newfname, sid)
    call require(sid == -1, "a folder that is not there")
    call fsion_parclose_mpi(sid, ierr)
    call require(ierr /= sion_success, "close of nothing")
  end subroutine constants_as_arguments
end program modules_mpi
