! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Module sion_f90_ompi: multifiles of the threads of all ranks, each of which calls with its own arguments. It includes
! module sion_f90. Communicators are integers, as in mpif.h and module mpi; for type(MPI_Comm) pass mpi_val.
module sion_f90_ompi
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t
  use sion_f90
  implicit none
  public
  private :: c_char, c_int, c_int64_t

  interface
    subroutine fsion_parclose_ompi(sid, ierr) bind(c, name="fsion_parclose_ompi_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: ierr
    end subroutine fsion_parclose_ompi
  end interface

contains

  ! newfname becomes the name of the physical file of this task.
  subroutine fsion_paropen_ompi(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, globalrank, newfname, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: nfiles, fgcomm, flcomm, fsblksize, globalrank
    integer(c_int64_t) :: chunksize
    character(len=*), intent(inout) :: newfname
    integer(c_int), intent(out) :: sid
    interface
      subroutine in_c(fname, file_mode, nfiles, fgcomm, flcomm, chunksize, fsblksize, globalrank, newfname, sid, &
                      fname_length, file_mode_length, newfname_length) bind(c, name="fsion_paropen_ompi_c_")
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
  end subroutine fsion_paropen_ompi
end module sion_f90_ompi
