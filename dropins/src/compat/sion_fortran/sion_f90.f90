! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Module sion_f90: multifiles of one process, and calls for all multifiles. Subroutines return their result in
! the last argument. Data are of any type and rank: a scalar, an array, a section, or the element with which a sequence
! begins. Arguments without an intent may be constants if the call returns nothing in them.
module sion_f90
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t
  implicit none
  private

  integer, parameter, public :: sion_main_version = 1
  integer, parameter, public :: sion_sub_version = 7
  integer, parameter, public :: sion_version_patchlevel = 6
  integer, parameter, public :: sion_fileformat_version = 5
  integer, parameter, public :: sion_success = 1
  integer, parameter, public :: sion_not_success = 0
  ! For fsion_seek.
  integer, parameter, public :: sion_current_rank = -101
  integer, parameter, public :: sion_current_blk = -102
  integer, parameter, public :: sion_current_chunk = -102
  integer(c_int64_t), parameter, public :: sion_current_pos = -103
  integer, parameter, public :: sion_absolute_pos = -104
  integer, parameter, public :: sion_end_pos = -105

  public :: fsion_open, fsion_open_rank, fsion_close, fsion_feof, fsion_flush, fsion_ensure_free_space, fsion_seek
  public :: fsion_bytes_avail_in_block, fsion_get_position
  public :: fsion_write, fsion_fwrite, fsion_read, fsion_fread, fsion_swap
  public :: fsion_get_locations, fsion_get_current_locations, fsion_get_chunksizes, fsion_get_globalranks
  public :: fsion_get_mapping_spec, fsion_get_mapping, fsion_get_fileno
  public :: fsion_get_file_endianness, fsion_get_file_endianess, fsion_get_endianness, fsion_get_endianess
  public :: fsion_endianness_swap_needed, fsion_endianess_swap_needed

  interface
    subroutine open_in_c(fname, file_mode, ntasks, nfiles, chunksizes, fsblksize, globalranks, sid, fname_length, &
                         file_mode_length) bind(c, name="fsion_f90_open")
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: fname(*), file_mode(*)
      integer(c_int) :: ntasks, nfiles, fsblksize
      integer(c_int64_t), dimension(..) :: chunksizes
      integer(c_int), dimension(..) :: globalranks
      integer(c_int), intent(out) :: sid
      integer(c_int), value :: fname_length, file_mode_length
    end subroutine open_in_c

    subroutine open_rank_in_c(fname, file_mode, chunksize, fsblksize, rank, sid, fname_length, file_mode_length) &
      bind(c, name="fsion_open_rank_c_")
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: fname(*), file_mode(*)
      integer(c_int64_t) :: chunksize
      integer(c_int) :: fsblksize, rank
      integer(c_int), intent(out) :: sid
      integer(c_int), value :: fname_length, file_mode_length
    end subroutine open_rank_in_c

    subroutine fsion_close(sid, ierr) bind(c, name="fsion_close_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: ierr
    end subroutine fsion_close

    subroutine fsion_feof(sid, eof) bind(c, name="fsion_feof_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: eof
    end subroutine fsion_feof

    subroutine fsion_flush(sid, ierr) bind(c, name="fsion_flush_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: ierr
    end subroutine fsion_flush

    subroutine fsion_ensure_free_space(sid, bytes, ierr) bind(c, name="fsion_ensure_free_space_c_")
      import :: c_int, c_int64_t
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(in) :: bytes
      integer(c_int), intent(out) :: ierr
    end subroutine fsion_ensure_free_space

    subroutine fsion_seek(sid, rank, currentblocknr, posinblk, ierr) bind(c, name="fsion_seek_c_")
      import :: c_int, c_int64_t
      integer(c_int), intent(in) :: sid, rank, currentblocknr
      integer(c_int64_t), intent(in) :: posinblk
      integer(c_int), intent(out) :: ierr
    end subroutine fsion_seek

    function fsion_bytes_avail_in_block(sid) bind(c, name="fsion_bytes_avail_in_block_c_")
      import :: c_int, c_int64_t
      integer(c_int), intent(in) :: sid
      integer(c_int64_t) :: fsion_bytes_avail_in_block
    end function fsion_bytes_avail_in_block

    ! Absolute, in the physical file.
    function fsion_get_position(sid) bind(c, name="fsion_get_position_c_")
      import :: c_int, c_int64_t
      integer(c_int), intent(in) :: sid
      integer(c_int64_t) :: fsion_get_position
    end function fsion_get_position

    subroutine fsion_write(data, size, nitems, sid, rc) bind(c, name="fsion_f90_write")
      import :: c_int, c_int64_t
      type(*), dimension(..), intent(in) :: data
      integer(c_int64_t), intent(in) :: size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_write

    subroutine fsion_fwrite(data, size, nitems, sid, rc) bind(c, name="fsion_f90_write")
      import :: c_int, c_int64_t
      type(*), dimension(..), intent(in) :: data
      integer(c_int64_t), intent(in) :: size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_fwrite

    subroutine fsion_read(data, size, nitems, sid, rc) bind(c, name="fsion_f90_read")
      import :: c_int, c_int64_t
      type(*), dimension(..), intent(inout) :: data
      integer(c_int64_t), intent(in) :: size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_read

    subroutine fsion_fread(data, size, nitems, sid, rc) bind(c, name="fsion_f90_read")
      import :: c_int, c_int64_t
      type(*), dimension(..), intent(inout) :: data
      integer(c_int64_t), intent(in) :: size, nitems
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), intent(out) :: rc
    end subroutine fsion_fread

    ! Source and target may be the same.
    subroutine fsion_swap(target, source, size, n, do_swap, rc) bind(c, name="fsion_f90_swap")
      import :: c_int
      type(*), dimension(..) :: target, source
      integer(c_int), intent(in) :: size, n, do_swap
      integer(c_int), intent(out) :: rc
    end subroutine fsion_swap

    ! The last four are addresses of arrays of integer(8), which are valid until the file is closed.
    subroutine fsion_get_locations(sid, ntasks, maxblocks, globalskip, start_of_varheader, chunksizes, globalranks, &
                                   blockcount, blocksizes, ierr) bind(c, name="fsion_get_locations_c_")
      import :: c_int, c_int64_t
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: ntasks, maxblocks, ierr
      integer(c_int64_t), intent(out) :: globalskip, start_of_varheader, chunksizes, globalranks, blockcount, blocksizes
    end subroutine fsion_get_locations

    ! These two are also such addresses.
    subroutine fsion_get_current_locations(sid, ntasks, currentpos, currentblocknr, ierr) &
      bind(c, name="fsion_get_current_locations_c_")
      import :: c_int, c_int64_t
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: ntasks, ierr
      integer(c_int64_t), intent(out) :: currentpos, currentblocknr
    end subroutine fsion_get_current_locations

    ! One for each task.
    subroutine fsion_get_chunksizes(sid, chunksizes, ierr) bind(c, name="fsion_f90_get_chunksizes")
      import :: c_int, c_int64_t
      integer(c_int), intent(in) :: sid
      integer(c_int64_t), dimension(..), intent(inout) :: chunksizes
      integer(c_int), intent(out) :: ierr
    end subroutine fsion_get_chunksizes

    subroutine fsion_get_globalranks(sid, globalranks, ierr) bind(c, name="fsion_f90_get_globalranks")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), dimension(..), intent(inout) :: globalranks
      integer(c_int), intent(out) :: ierr
    end subroutine fsion_get_globalranks

    subroutine fsion_get_mapping_spec(sid, mapping_size, numfiles, ierr) bind(c, name="fsion_get_mapping_spec_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: mapping_size, numfiles, ierr
    end subroutine fsion_get_mapping_spec

    ! Pairs of file and task in it, mapping_size of them.
    subroutine fsion_get_mapping(sid, mapping, ierr) bind(c, name="fsion_f90_get_mapping")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), dimension(..), intent(inout) :: mapping
      integer(c_int), intent(out) :: ierr
    end subroutine fsion_get_mapping

    subroutine fsion_get_fileno(sid, filenumber) bind(c, name="fsion_get_fileno_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: filenumber
    end subroutine fsion_get_fileno

    ! 1 big, 0 little.
    subroutine fsion_get_file_endianness(sid, endianness) bind(c, name="fsion_get_file_endianness_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: endianness
    end subroutine fsion_get_file_endianness

    subroutine fsion_get_endianness(endianness) bind(c, name="fsion_get_endianness_c_")
      import :: c_int
      integer(c_int), intent(out) :: endianness
    end subroutine fsion_get_endianness

    subroutine fsion_endianness_swap_needed(sid, needed) bind(c, name="fsion_endianness_swap_needed_c_")
      import :: c_int
      integer(c_int), intent(in) :: sid
      integer(c_int), intent(out) :: needed
    end subroutine fsion_endianness_swap_needed
  end interface

  ! Spellings used by some programs.
  interface fsion_get_file_endianess
    procedure fsion_get_file_endianness
  end interface fsion_get_file_endianess

  interface fsion_get_endianess
    procedure fsion_get_endianness
  end interface fsion_get_endianess

  interface fsion_endianess_swap_needed
    procedure fsion_endianness_swap_needed
  end interface fsion_endianess_swap_needed

contains

  ! Writing takes one chunk size and rank of each task; reading fills neither: see fsion_get_chunksizes.
  subroutine fsion_open(fname, file_mode, ntasks, nfiles, chunksizes, fsblksize, globalranks, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int) :: ntasks, nfiles, fsblksize
    integer(c_int64_t), dimension(..) :: chunksizes
    integer(c_int), dimension(..) :: globalranks
    integer(c_int), intent(out) :: sid
    call open_in_c(fname, file_mode, ntasks, nfiles, chunksizes, fsblksize, globalranks, sid, &
                   len(fname, c_int), len(file_mode, c_int))
  end subroutine fsion_open

  ! Reads one task.
  subroutine fsion_open_rank(fname, file_mode, chunksize, fsblksize, rank, sid)
    character(len=*), intent(in) :: fname, file_mode
    integer(c_int64_t) :: chunksize
    integer(c_int) :: fsblksize, rank
    integer(c_int), intent(out) :: sid
    call open_rank_in_c(fname, file_mode, chunksize, fsblksize, rank, sid, len(fname, c_int), len(file_mode, c_int))
  end subroutine fsion_open_rank
end module sion_f90
