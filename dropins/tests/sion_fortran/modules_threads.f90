! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Threads as tasks: with OpenMP alone, or with MPI where HYBRID is defined.
program modules_threads
  use omp_lib
#ifdef HYBRID
  use mpi
  use sion_f90_ompi
#else
  use sion_f90_omp
#endif
  implicit none
  integer :: rank, ierr, failures
  rank = 0
  failures = 0
#ifdef HYBRID
  call MPI_Init_thread(MPI_THREAD_FUNNELED, ierr, failures)
  failures = 0
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
#endif
  call omp_set_num_threads(3)
  !$omp parallel reduction(+:failures)
  call work(failures)
  !$omp end parallel
  if (failures == 0 .and. rank == 0) print '(a)', "ok"
#ifdef HYBRID
  call MPI_Finalize(ierr)
#endif
  if (failures /= 0) error stop 1

contains

  subroutine work(wrong)
    integer, intent(inout) :: wrong
    integer :: sid, globalrank, fsblksize, code, values(5), back(5)
    integer(8) :: chunksize, rc
    character(len=80) :: name
#ifdef HYBRID
    integer :: nfiles
    nfiles = 1
#endif
    chunksize = 100
    fsblksize = 512
    globalrank = -1
#ifdef HYBRID
    call fsion_paropen_ompi("threads.sion", "bw", nfiles, MPI_COMM_WORLD, MPI_COMM_WORLD, chunksize, fsblksize, &
                            globalrank, name, sid)
#else
    call fsion_paropen_omp("threads.sion", "bw", chunksize, fsblksize, globalrank, name, sid)
#endif
    if (sid < 0 .or. globalrank /= 3 * rank + omp_get_thread_num() .or. name /= "threads.sion") wrong = wrong + 1
    values = 10 * globalrank + [1, 2, 3, 4, 5]
    call fsion_write(values, 4_8, 5_8, sid, rc)
    if (rc /= 5) wrong = wrong + 1
#ifdef HYBRID
    call fsion_parclose_ompi(sid, code)
    if (code /= sion_success) wrong = wrong + 1
    call fsion_paropen_ompi("threads.sion", "br", nfiles, MPI_COMM_WORLD, MPI_COMM_WORLD, chunksize, fsblksize, &
                            globalrank, name, sid)
#else
    call fsion_parclose_omp(sid, code)
    if (code /= sion_success) wrong = wrong + 1
    call fsion_paropen_omp("threads.sion", "br", chunksize, fsblksize, globalrank, name, sid)
#endif
    call fsion_read(back, 4_8, 5_8, sid, rc)
    if (rc /= 5 .or. any(back /= values)) wrong = wrong + 1
#ifdef HYBRID
    call fsion_parclose_ompi(sid, code)
#else
    call fsion_parclose_omp(sid, code)
#endif
  end subroutine work
end program modules_threads
