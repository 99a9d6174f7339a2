! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! The C interface as Fortran sees it: structs, functions of limequat.h and binding.h, texts and errors. Programs use module limequat.
module limequat_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  ! Pairs of texts, each ended by NUL.
  type, bind(c) :: lq_pairs
    type(c_ptr) :: texts
    integer(c_size_t) :: count
  end type

  ! What one site holds and where this rank's sites are, as lq_field of limequat.h; made by lq_gauge and its siblings.
  ! Change colors, spins and links where they are not 3, 4 and one for each dimension.
  type, bind(c) :: lq_field
    integer(c_int) :: kind, precision, colors, spins, links, is_complex
    integer(c_int64_t) :: numbers
    type(c_ptr) :: data
    integer(c_int64_t) :: available
    type(c_ptr) :: order
    integer(c_int) :: order_length
    type(c_funptr) :: fetch, store
    type(c_ptr) :: context  ! an lq_places, where memory says places=
    type(c_ptr) :: problem
    type(c_ptr) :: memory  ! a description of data, as text ended by NUL, or c_null_ptr: plain
    type(c_funptr) :: fetch_rows, store_rows
  end type

  ! A table of an application's own of the places of its sites or links, of c_int64_t, and its length; for context of a
  ! field whose memory says places=. A place below 0 is one that no memory has.
  type, bind(c) :: lq_places
    type(c_ptr) :: table
    integer(c_int64_t) :: entries
  end type

  ! What a transfer did: bytes of the payload, seconds of the whole call, the SciDAC checksum of the data that passed
  ! (each sum 32 bits), and LQ_CHECKSUM_OK and its siblings.
  type, bind(c) :: lq_report
    integer(c_int64_t) :: bytes
    real(c_double) :: seconds
    integer(c_int64_t) :: suma, sumb
    integer(c_int) :: checksum_status
  end type

  interface
    function c_strlen(text) bind(c, name='strlen')
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
    end function
    function c_version() bind(c, name='lq_version')
      import
      type(c_ptr) :: c_version
    end function
    function c_status_name(status) bind(c, name='lq_status_name')
      import
      integer(c_int), value :: status
      type(c_ptr) :: c_status_name
    end function
    function c_error_text() bind(c, name='lq_error_text')
      import
      type(c_ptr) :: c_error_text
    end function
    subroutine c_text_free(text) bind(c, name='lq_text_free')
      import
      type(c_ptr), value :: text
    end subroutine

    subroutine c_communicator_free(communicator) bind(c, name='lq_communicator_free')
      import
      type(c_ptr), value :: communicator
    end subroutine
    function c_grid_self(extents, dimensions, grid) bind(c, name='lq_grid_self') result(status)
      import
      integer(c_int64_t), intent(in) :: extents(*)
      integer(c_int), value :: dimensions
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: status
    end function
    subroutine c_grid_free(grid) bind(c, name='lq_grid_free')
      import
      type(c_ptr), value :: grid
    end subroutine
    pure function c_grid_dimensions(grid) bind(c, name='lq_grid_dimensions')
      import
      type(c_ptr), value, intent(in) :: grid
      integer(c_int) :: c_grid_dimensions
    end function
    pure function c_grid_volume(grid) bind(c, name='lq_grid_volume')
      import
      type(c_ptr), value, intent(in) :: grid
      integer(c_int64_t) :: c_grid_volume
    end function
    pure function c_grid_local_volume(grid) bind(c, name='lq_grid_local_volume')
      import
      type(c_ptr), value, intent(in) :: grid
      integer(c_int64_t) :: c_grid_local_volume
    end function
    pure function c_grid_rank(grid) bind(c, name='lq_grid_rank')
      import
      type(c_ptr), value, intent(in) :: grid
      integer(c_int) :: c_grid_rank
    end function
    pure function c_grid_size(grid) bind(c, name='lq_grid_size')
      import
      type(c_ptr), value, intent(in) :: grid
      integer(c_int) :: c_grid_size
    end function
    function c_grid_processes(grid, processes) bind(c, name='lq_grid_processes') result(status)
      import
      type(c_ptr), value :: grid
      integer(c_int64_t), intent(out) :: processes(*)
      integer(c_int) :: status
    end function
    function c_grid_local_box(grid, lower, extents) bind(c, name='lq_grid_local_box') result(status)
      import
      type(c_ptr), value :: grid
      integer(c_int64_t), intent(out) :: lower(*), extents(*)
      integer(c_int) :: status
    end function

    function c_pending_test(pending, done) bind(c, name='lq_pending_test') result(status)
      import
      type(c_ptr), value :: pending
      integer(c_int), intent(inout) :: done
      integer(c_int) :: status
    end function
    function c_pending_wait(pending, report_json) bind(c, name='lq_pending_wait') result(status)
      import
      type(c_ptr), value :: pending, report_json
      integer(c_int) :: status
    end function
    function c_pending_cancel(pending) bind(c, name='lq_pending_cancel') result(status)
      import
      type(c_ptr), value :: pending
      integer(c_int) :: status
    end function
    subroutine c_pending_free(pending) bind(c, name='lq_pending_free')
      import
      type(c_ptr), value :: pending
    end subroutine

    function c_writer_record(writer, type, contents, bytes) bind(c, name='lq_writer_record') result(status)
      import
      type(c_ptr), value :: writer
      character(kind=c_char), intent(in) :: type(*), contents(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_writer_close(writer) bind(c, name='lq_writer_close') result(status)
      import
      type(c_ptr), value :: writer
      integer(c_int) :: status
    end function
    subroutine c_writer_free(writer) bind(c, name='lq_writer_free')
      import
      type(c_ptr), value :: writer
    end subroutine
    function c_file_catalog(file, json) bind(c, name='lq_file_catalog') result(status)
      import
      type(c_ptr), value :: file
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: status
    end function
    subroutine c_file_free(file) bind(c, name='lq_file_free')
      import
      type(c_ptr), value :: file
    end subroutine

    function c_multifile_close(writer) bind(c, name='lq_multifile_close') result(status)
      import
      type(c_ptr), value :: writer
      integer(c_int) :: status
    end function
    subroutine c_multifile_writer_free(writer) bind(c, name='lq_multifile_writer_free')
      import
      type(c_ptr), value :: writer
    end subroutine
    subroutine c_multifile_reader_free(reader) bind(c, name='lq_multifile_reader_free')
      import
      type(c_ptr), value :: reader
    end subroutine
    pure function c_multifile_tasks(reader) bind(c, name='lq_multifile_tasks')
      import
      type(c_ptr), value, intent(in) :: reader
      integer(c_int64_t) :: c_multifile_tasks
    end function
    function c_multifile_share(reader, first_task, tasks, window_begin, window_bytes) &
        bind(c, name='lq_multifile_share') result(status)
      import
      type(c_ptr), value :: reader
      integer(c_int64_t), intent(inout) :: first_task, tasks, window_begin, window_bytes
      integer(c_int) :: status
    end function
    function c_multifile_size(reader, task, bytes) bind(c, name='lq_multifile_size') result(status)
      import
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: task
      integer(c_int64_t), intent(inout) :: bytes
      integer(c_int) :: status
    end function
  end interface

  ! binding.h
  interface
    function c_read(path, grid, field, options, report) bind(c, name='lq_fortran_read') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: grid
      type(lq_field), intent(in) :: field
      type(lq_pairs), value :: options
      type(lq_report), intent(inout), optional :: report
      integer(c_int) :: status
    end function
    function c_write(path, grid, field, options, metadata, report) bind(c, name='lq_fortran_write') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: grid
      type(lq_field), intent(in) :: field
      type(lq_pairs), value :: options, metadata
      type(lq_report), intent(inout), optional :: report
      integer(c_int) :: status
    end function
    function c_read_async(path, grid, field, options, pending) bind(c, name='lq_fortran_read_async') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: grid
      type(lq_field), intent(in) :: field
      type(lq_pairs), value :: options
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: status
    end function
    function c_write_async(path, grid, field, options, metadata, pending) &
        bind(c, name='lq_fortran_write_async') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: grid
      type(lq_field), intent(in) :: field
      type(lq_pairs), value :: options, metadata
      type(c_ptr), intent(inout) :: pending
      integer(c_int) :: status
    end function
    function c_create(path, grid, options, writer) bind(c, name='lq_fortran_create') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: grid
      type(lq_pairs), value :: options
      type(c_ptr), intent(inout) :: writer
      integer(c_int) :: status
    end function
    function c_writer_write(writer, name, field, metadata) bind(c, name='lq_fortran_writer_write') result(status)
      import
      type(c_ptr), value :: writer
      character(kind=c_char), intent(in) :: name(*)
      type(lq_field), intent(in) :: field
      type(lq_pairs), value :: metadata
      integer(c_int) :: status
    end function
    function c_open(path, communicator, options, file) bind(c, name='lq_fortran_open') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: communicator
      type(lq_pairs), value :: options
      type(c_ptr), intent(inout) :: file
      integer(c_int) :: status
    end function
    function c_file_read(file, grid, field, options, report) bind(c, name='lq_fortran_file_read') result(status)
      import
      type(c_ptr), value :: file, grid
      type(lq_field), intent(in) :: field
      type(lq_pairs), value :: options
      type(lq_report), intent(inout), optional :: report
      integer(c_int) :: status
    end function
    function c_inspect(path, communicator, options, json) bind(c, name='lq_fortran_inspect') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: communicator
      type(lq_pairs), value :: options
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: status
    end function
    function c_verify(path, communicator, options, is_sound, json) bind(c, name='lq_fortran_verify') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: communicator
      type(lq_pairs), value :: options
      integer(c_int), intent(inout) :: is_sound
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: status
    end function
    function c_convert(from, to, communicator, options) bind(c, name='lq_fortran_convert') result(status)
      import
      character(kind=c_char), intent(in) :: from(*), to(*)
      type(c_ptr), value :: communicator
      type(lq_pairs), value :: options
      integer(c_int) :: status
    end function
    function c_diff(a, b, communicator, options, is_same, json) bind(c, name='lq_fortran_diff') result(status)
      import
      character(kind=c_char), intent(in) :: a(*), b(*)
      type(c_ptr), value :: communicator
      type(lq_pairs), value :: options
      integer(c_int), intent(inout) :: is_same
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: status
    end function
    function c_multifile_create(path, communicator, options, append, writer) &
        bind(c, name='lq_fortran_multifile_create') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: communicator
      type(lq_pairs), value :: options
      integer(c_int), value :: append
      type(c_ptr), intent(inout) :: writer
      integer(c_int) :: status
    end function
    function c_multifile_write(writer, stream, data) bind(c, name='lq_fortran_multifile_write') result(status)
      import
      type(c_ptr), value :: writer
      integer(c_int), value :: stream
      type(*), dimension(..), intent(in) :: data
      integer(c_int) :: status
    end function
    function c_multifile_write_field(writer, name, grid, field, options) &
        bind(c, name='lq_fortran_multifile_write_field') result(status)
      import
      type(c_ptr), value :: writer, grid
      character(kind=c_char), intent(in) :: name(*)
      type(lq_field), intent(in) :: field
      type(lq_pairs), value :: options
      integer(c_int) :: status
    end function
    function c_multifile_open(path, communicator, options, reader) &
        bind(c, name='lq_fortran_multifile_open') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: communicator
      type(lq_pairs), value :: options
      type(c_ptr), intent(inout) :: reader
      integer(c_int) :: status
    end function
    function c_multifile_read(reader, task, position, data, got) bind(c, name='lq_fortran_multifile_read') &
        result(status)
      import
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: task, position
      type(*), dimension(..) :: data
      integer(c_int64_t), intent(inout) :: got
      integer(c_int) :: status
    end function
    function c_multifile_read_field(reader, name, grid, field, options) &
        bind(c, name='lq_fortran_multifile_read_field') result(status)
      import
      type(c_ptr), value :: reader, grid
      character(kind=c_char), intent(in) :: name(*)
      type(lq_field), intent(in) :: field
      type(lq_pairs), value :: options
      integer(c_int) :: status
    end function
    function c_plaquette(grid, field, values) bind(c, name='lq_fortran_plaquette') result(status)
      import
      type(c_ptr), value :: grid
      type(lq_field), intent(in) :: field
      real(c_double), intent(out) :: values(*)
      integer(c_int) :: status
    end function
  end interface

contains

  ! A copy of a text of C.
  function text_of(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    if (.not. c_associated(text)) then
      copy = ''
      return
    end if
    call c_f_pointer(text, letters, [c_strlen(text)])
    allocate (character(size(letters)) :: copy)
    do i = 1, size(letters)
      copy(i:i) = letters(i)
    end do
  end function

  ! As C wants it.
  pure function ended(text) result(with_nul)
    character(*), intent(in) :: text
    character(:, c_char), allocatable :: with_nul
    with_nul = trim(text)//c_null_char
  end function

  ! A text that the library handed out, and is freed here. A function: gfortran 12 loses the length of a text that is
  ! handed on as an optional argument.
  function taken(json) result(text)
    type(c_ptr), intent(in) :: json
    character(:), allocatable :: text
    text = text_of(json)
    call c_text_free(json)
  end function

  ! What a call ends with, for `status` and `message` as module limequat has them.
  subroutine finish(code, status, message)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:), allocatable :: sentence
    sentence = ''
    if (code /= 0) sentence = text_of(c_error_text())
    if (present(message)) message = sentence
    if (present(status)) then
      status = code
    else if (code /= 0) then
      error stop sentence
    end if
  end subroutine

end module
