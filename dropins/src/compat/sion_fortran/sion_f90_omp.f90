! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Module sion_f90_omp: multifiles of the threads of a parallel region, each of which calls with its own arguments. It
! includes module sion_f90.
module sion_f90_omp
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t
  use sion_f90
  implicit none
  public
  private :: c_char, c_int, c_int64_t

  interface
    subroutine fsion_parclose_omp(sid, ierr) bind(c, name="fsion_parclose_omp_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: ierr
    end subroutine fsion_parclose_omp
  end interface

contains

  ! newfname becomes the name of the physical file of this task.
  subroutine fsion_paropen_omp(fname, file_mode, chunksize, fsblksize, globalrank, newfname, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int64_t) :: chunksize
    integer(c_int) :: fsblksize, globalrank
    character(len=*), intent(inout) :: newfname
    integer(c_int), intent(out) :: sid
    interface
      subroutine in_c(fname, file_mode, chunksize, fsblksize, globalrank, newfname, sid, &
                      fname_length, file_mode_length, newfname_length) bind(c, name="fsion_paropen_omp_c_")
        import :: c_char, c_int, c_int64_t
        character(kind=c_char), intent(in) :: fname(*), file_mode(*)
        integer(c_int64_t) :: chunksize
        integer(c_int) :: fsblksize, globalrank
        character(kind=c_char), intent(inout) :: newfname(*)
        integer(c_int), intent(out) :: sid
        integer(c_int), value :: fname_length, file_mode_length, newfname_length
      end subroutine in_c
    end interface
    call in_c(fname, file_mode, chunksize, fsblksize, globalrank, newfname, sid, &
              len(fname, c_int), len(file_mode, c_int), len(newfname, c_int))
  end subroutine fsion_paropen_omp
end module sion_f90_omp
