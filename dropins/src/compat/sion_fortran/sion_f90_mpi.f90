! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Module sion_f90_mpi: multifiles of the ranks of a communicator. It includes module sion_f90. Communicators are
! integers, as in mpif.h and module mpi; for type(MPI_Comm) pass mpi_val.
module sion_f90_mpi
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t
  use sion_f90
  implicit none
  public
  private :: c_char, c_int, c_int64_t, paropen, paropen_of_one_file, parclose, parclose_with_communicator

  interface fsion_paropen_mpi
    module procedure paropen
    module procedure paropen_of_one_file
  end interface fsion_paropen_mpi

  interface fsion_parclose_mpi
    module procedure parclose
    module procedure parclose_with_communicator
  end interface fsion_parclose_mpi

  interface
    subroutine fsion_coll_fwrite_mpi(data, size, nitems, sid, rc) bind(c, name="fsion_f90_coll_write")
      import :: c_int, c_int64_t
      type(*), dimension(..), intent(in) :: data
      integer(c_int64_t), intent(in) :: size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_coll_fwrite_mpi

    subroutine fsion_coll_fread_mpi(data, size, nitems, sid, rc) bind(c, name="fsion_f90_coll_read")
      import :: c_int, c_int64_t
      type(*), dimension(..), intent(inout) :: data
      integer(c_int64_t), intent(in) :: size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_coll_fread_mpi
  end interface

contains

  ! newfname becomes the name of the physical file of this task.
  subroutine paropen(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, globalrank, newfname, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: nfiles, fgcomm, flcomm, fsblksize, globalrank
    integer(c_int64_t) :: chunksize
    character(len=*), intent(inout) :: newfname
    integer(c_int), intent(out) :: sid
    interface
      subroutine in_c(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, globalrank, newfname, sid, &
                      fname_length, file_mode_length, newfname_length) bind(c, name="fsion_paropen_mpi_c_")
        import :: c_char, c_int, c_int64_t
        character(kind=c_char), intent(in) :: fname(*), file_mode(*)
        integer(c_int) :: nfiles, fgcomm, flcomm, fsblksize, globalrank
        integer(c_int64_t) :: chunksize
        character(kind=c_char), intent(inout) :: newfname(*)
        integer(c_int), intent(out) :: sid
        integer(c_int), value :: fname_length, file_mode_length, newfname_length
      end subroutine in_c
    end interface
    call in_c(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, globalrank, newfname, sid, &
              len(fname, c_int), len(file_mode, c_int), len(newfname, c_int))
  end subroutine paropen

  ! The form of early programs: one file of all tasks.
  subroutine paropen_of_one_file(fname, file_mode, fgcomm, chunksize, fsblksize, globalrank, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: fgcomm, fsblksize, globalrank
    integer(c_int64_t) :: chunksize
    integer(c_int), intent(out) :: sid
    integer(c_int) :: nfiles
    character(len=0) :: newfname
    nfiles = 1
    call paropen(fname, file_mode, nfiles, fgcomm, fgcomm, chunksize, fsblksize, globalrank, newfname, sid)
  end subroutine paropen_of_one_file

  subroutine parclose(sid, ierr)
    integer(c_int), intent(in) :: sid
    integer(c_int), intent(out) :: ierr
    interface
      subroutine in_c(sid, ierr) bind(c, name="fsion_parclose_mpi_c_")
        import :: c_int
        integer(c_int), intent(in) :: sid
        integer(c_int), intent(out) :: ierr
      end subroutine in_c
    end interface
    call in_c(sid, ierr)
  end subroutine parclose

  ! The form of early programs; the communicator is the one of the open.
  subroutine parclose_with_communicator(sid, fgcomm, ierr)
    integer(c_int), intent(in) :: sid, fgcomm
    integer(c_int), intent(out) :: ierr
    associate (unused => fgcomm)
    end associate
    call parclose(sid, ierr)
  end subroutine parclose_with_communicator
end module sion_f90_mpi
