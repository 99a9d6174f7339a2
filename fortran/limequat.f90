! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! module limequat: lattice fields in files, from Fortran. Conventions:
!  1. Extents and coordinates are x, y, z, t. Coordinates, tasks and streams count from 0, as in files; sizes have 64 bits.
!  2. Arrays may have any rank. The first index is fastest, so that a row-major matrix of the library has its column first:
!     u(column, row, mu, x, y, z, t), spinor(color, spin, x, y, z, t),
!     propagator(source color, sink color, source spin, sink spin, x, y, z, t).
!  3. Each procedure ends with the optional arguments `status` (0, or a code LQ_...) and `message` (the sentence, cut to
!     its length; lq_error_text() has all of it). Without `status` a failure stops the program with the sentence.
!  4. Collective: called by all ranks of the grid or communicator; all get the same status. Local: the others are not
!     concerned. Handles are freed by lq_free; those that were never set may be freed, too.
!  5. Options are named as everywhere (docs/reference/options.md): options=[lq_option('precision', 'single')].
!  6. Trailing blanks of paths and names are not meant.
module limequat
  use, intrinsic :: iso_c_binding
  use limequat_c
  implicit none
  private

  public :: lq_version, lq_status_name, lq_error_text
  public :: lq_named_text, lq_option, lq_metadata, lq_report
  public :: lq_communicator, lq_mpi_communicator, lq_free
  public :: lq_grid, lq_self_grid, lq_mpi_grid
  public :: lq_lattice, lq_field_count, lq_field_info
  public :: lq_volume, lq_local_volume, lq_rank, lq_size, lq_processes, lq_local_box
  public :: lq_field, lq_places, lq_gauge, lq_spinor, lq_propagator, lq_sites
  public :: lq_read, lq_write, lq_verify, lq_convert, lq_diff, lq_inspect, lq_plaquette
  public :: lq_pending, lq_read_async, lq_write_async, lq_test, lq_wait, lq_cancel
  public :: lq_region_writer, lq_region_writer_create, lq_missing
  public :: lq_writer, lq_create, lq_record, lq_file, lq_open, lq_catalog, lq_close
  public :: lq_checkpoints, lq_checkpoint, lq_checkpoints_open, lq_add_stream, lq_add_field, lq_add_state
  public :: lq_save_checkpoint, lq_wait_for_checkpoint, lq_load_newest, lq_load_field, lq_load_state, lq_load_streams
  public :: lq_multifile_writer, lq_multifile_reader, lq_multifile_create, lq_multifile_append, lq_multifile_open
  public :: lq_tasks, lq_share

  ! The codes of lq_status in limequat.h.
  integer, parameter, public :: LQ_OK = 0
  integer, parameter, public :: LQ_INVALID_ARGUMENT = 10, LQ_RANKS_DISAGREE = 11, LQ_WRONG_STATE = 12
  integer, parameter, public :: LQ_UNSUPPORTED = 13
  integer, parameter, public :: LQ_NOT_FOUND = 20, LQ_EXISTS = 21, LQ_NO_PERMISSION = 22, LQ_NO_SPACE = 23, LQ_IO = 24
  integer, parameter, public :: LQ_UNKNOWN_FORMAT = 30, LQ_MALFORMED = 31, LQ_TRUNCATED = 32
  integer, parameter, public :: LQ_CHECKSUM_MISMATCH = 33, LQ_NO_SUCH_RECORD = 34
  integer, parameter, public :: LQ_OUT_OF_MEMORY = 40, LQ_TOO_LARGE = 41
  integer, parameter, public :: LQ_COMMUNICATION = 50, LQ_INTERNAL = 90
  ! lq_report%checksum_status.
  integer, parameter, public :: LQ_CHECKSUM_OK = 0, LQ_CHECKSUM_ABSENT = 1, LQ_CHECKSUM_DIFFERS = 2
  integer, parameter, public :: LQ_CHECKSUM_UNCHECKED = 3
  integer, parameter, public :: LQ_MAX_DIMENSIONS = 8
  ! The task that is this rank's window (lq_share).
  integer(c_int64_t), parameter, public :: LQ_MULTIFILE_WINDOW = -1

  ! An option, or a text that travels with a field: made by lq_option and lq_metadata.
  type :: lq_named_text
    private
    character(:), allocatable :: name, text
  end type

  ! A group of ranks; one that was not set is this process alone.
  type :: lq_communicator
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A lattice dealt out over ranks.
  type :: lq_grid
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A transfer in the background.
  type :: lq_pending
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A new file of several fields.
  type :: lq_writer
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A new file of one field, whose sites are given region by region.
  type :: lq_region_writer
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: dimensions = 0
  end type
  ! A file that was looked through once, and stays open.
  type :: lq_file
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A set of streams, one for each task, while it is written; and while it is read.
  type :: lq_multifile_writer
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type :: lq_multifile_reader
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! A folder of checkpoints, which nobody else changes meanwhile; and one of them that was loaded.
  type :: lq_checkpoints
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type :: lq_checkpoint
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! A field of a file, as its headers describe it: made by the function of the same name.
  type :: lq_field_info
    character(:), allocatable :: name       ! in the file
    character(:), allocatable :: kind       ! 'gauge', 'spinor', 'propagator' or 'generic'
    character(:), allocatable :: precision  ! 'single' or 'double'
    integer :: colors = 0, spins = 0, links = 0
    logical :: is_complex = .false.
    integer(c_int64_t), allocatable :: extents(:)           ! of the lattice
    integer(c_int64_t) :: numbers = 0                       ! real numbers of a site, two for a complex one
    integer(c_int64_t) :: site_bytes = 0, bytes = 0         ! of a site, and of all sites in the file
    integer(c_int64_t) :: offset = 0                        ! of the sites in the file
    logical :: has_checksum = .false., has_plaquette = .false., has_link_trace = .false.  ! stated by the file
    integer(c_int64_t) :: suma = 0, sumb = 0
    real(c_double) :: plaquette = 0, link_trace = 0
  end type

  ! Local. The field in an array of real or complex numbers of 32 or 64 bits, whose type is the precision in memory;
  ! SU(3) and four spins unless its members are changed. The array is borrowed: it should have the attribute target, and
  ! asynchronous where a transfer in the background uses it. lq_sites: `numbers` real numbers for each site, two for a
  ! complex one. A section with gaps or another type is refused by the call that gets the field.
  interface
    function lq_gauge(u) bind(c, name='lq_fortran_gauge') result(field)
      import
      type(*), dimension(..), intent(in), target :: u
      type(lq_field) :: field
    end function
    function lq_spinor(psi) bind(c, name='lq_fortran_spinor') result(field)
      import
      type(*), dimension(..), intent(in), target :: psi
      type(lq_field) :: field
    end function
    function lq_propagator(s) bind(c, name='lq_fortran_propagator') result(field)
      import
      type(*), dimension(..), intent(in), target :: s
      type(lq_field) :: field
    end function
    function lq_sites(data, numbers) bind(c, name='lq_fortran_sites') result(field)
      import
      type(*), dimension(..), intent(in), target :: data
      integer(c_int64_t), value :: numbers
      type(lq_field) :: field
    end function
  end interface

  ! Local. The option `name` with a value of any of these types; logical is 1 or 0.
  interface lq_option
    procedure :: option_of_text, option_of_integer, option_of_int64, option_of_real, option_of_logical
  end interface

  ! Extents, and what is given for each dimension, are numbers of 64 or of 32 bits, all of a call of one kind.

  ! Local. The whole lattice on this process.
  interface lq_self_grid
    procedure :: self_grid, self_grid_of_int
  end interface
  ! Local. This rank's box: the coordinate of its first site, from 0, and its extents.
  interface lq_local_box
    procedure :: local_box, local_box_of_int
  end interface

  ! Over MPI, in a submodule of its own: a program that uses neither is linked without MPI. With mpi_f08 use module
  ! limequat_mpi_f08, where `comm` may also be of type(MPI_Comm).
  ! Collective over `comm`, the number that MPI's modules mpi and mpi_f08 (comm%mpi_val) have for it; it is duplicated.
  ! The process grid is chosen, or `processes`; a Cartesian communicator gives its own. `holds_sites` is .false. on
  ! ranks that hold nothing; with `idle_ranks` the process grid may be smaller than the communicator.
  ! `ranks`: the rank at each place of `processes`, x fastest, the same on all ranks; or `coordinates`: the place of
  ! this rank, x, y, z, t, from 0. Either replaces the order of a Cartesian communicator.
  interface lq_mpi_grid
    module function mpi_grid(extents, comm, processes, holds_sites, idle_ranks, status, message, ranks, coordinates) &
        result(grid)
      integer(c_int64_t), intent(in) :: extents(:)
      integer, intent(in) :: comm
      integer(c_int64_t), intent(in), optional :: processes(:)
      logical, intent(in), optional :: holds_sites, idle_ranks
      integer, intent(out), optional :: status
      character(*), intent(out), optional :: message
      integer(c_int), intent(in), optional :: ranks(:)
      integer(c_int64_t), intent(in), optional :: coordinates(:)
      type(lq_grid) :: grid
    end function
    module function mpi_grid_of_int(extents, comm, processes, holds_sites, idle_ranks, status, message, ranks, coordinates) &
        result(grid)
      integer(c_int), intent(in) :: extents(:)
      integer, intent(in) :: comm
      integer(c_int), intent(in), optional :: processes(:)
      logical, intent(in), optional :: holds_sites, idle_ranks
      integer, intent(out), optional :: status
      character(*), intent(out), optional :: message
      integer(c_int), intent(in), optional :: ranks(:)
      integer(c_int), intent(in), optional :: coordinates(:)
      type(lq_grid) :: grid
    end function
  end interface
  interface lq_mpi_communicator
    module function mpi_communicator(comm, status, message) result(communicator)
      integer, intent(in) :: comm
      integer, intent(out), optional :: status
      character(*), intent(out), optional :: message
      type(lq_communicator) :: communicator
    end function
  end interface

  ! Collective. What the headers of a file say, without JSON; `communicator` as in lq_inspect. Fields count from 0.
  ! The lattice of a field:
  !   call lq_lattice(path, extents)
  ! How it is stored, and which lattice it is on:
  !   info = lq_field_info(path, number)
  interface lq_lattice
    procedure :: lattice_of_file, lattice_of_file_of_int
  end interface
  interface lq_field_info
    procedure :: field_info
  end interface

  ! Local; of grids and communicators over MPI collective, in the same order on all ranks. A writer that was not closed
  ! is abandoned: its file does not appear. A transfer that nobody waited for is cancelled.
  interface lq_free
    procedure :: free_communicator, free_grid, free_pending, free_writer, free_file, free_multifile_writer
    procedure :: free_multifile_reader, free_checkpoints, free_checkpoint, free_region_writer
  end interface

  ! Local: how many ranks; and bytes of the stream of a task.
  interface lq_size
    procedure :: size_of_grid, size_of_task
  end interface

  ! Collective, but of bytes of a stream.
  ! A field of a file, of any format, written on any process grid:
  !   call lq_read(path, grid, field)
  !   call lq_read(file, grid, field)
  !   call lq_read(multifile, name, grid, field)
  ! Local. Bytes of the stream of a task (LQ_MULTIFILE_WINDOW: this rank's window) from `position` on, into an array of
  ! any type and rank; `got` is how many there were:
  !   call lq_read(multifile, task, position, data, got)
  interface lq_read
    procedure :: read_field, read_from_file, read_from_multifile, read_stream
  end interface

  ! Collective, but of bytes of a stream.
  ! A field as a new file, which appears when it is complete; or into a file or set that is open:
  !   call lq_write(path, grid, field)
  !   call lq_write(writer, name, field)
  !   call lq_write(multifile, name, grid, field)
  ! Local. Bytes behind those of this rank's stream (number `stream`), from an array of any type and rank:
  !   call lq_write(multifile, data)
  ! Local. The sites of the region with these extents, from the coordinate `lower` of the lattice on; `field` has the region as
  ! its lattice. Sites in the boxes of other ranks are sent there by lq_close. If a site is given twice, the last value counts;
  ! if several ranks give it, the rank whose box contains it wins, otherwise the highest rank:
  !   call lq_write(region_writer, lower, extents, field)
  interface lq_write
    procedure :: write_field, write_to_file, write_to_multifile, write_stream, write_region, write_region_of_int
  end interface

  ! Collective. Completes and publishes what was written. Of a file that is written by region: LQ_WRONG_STATE where sites are
  ! missing on some rank; then there is no file, the handle stays, and more may be given.
  interface lq_close
    procedure :: close_writer, close_multifile, close_region_writer
  end interface

contains

  ! ---- Texts and errors ----------------------------------------------------------------------------------------

  ! Local. "1.0.0": the version of the library that is linked; the name of a code ("no_space"); and the sentence about
  ! the last failure.
  function lq_version() result(text)
    character(:), allocatable :: text
    text = text_of(c_version())
  end function
  function lq_status_name(status) result(text)
    integer, intent(in) :: status
    character(:), allocatable :: text
    text = text_of(c_status_name(status))
  end function
  function lq_error_text() result(text)
    character(:), allocatable :: text
    text = text_of(c_error_text())
  end function

  ! ---- Options -------------------------------------------------------------------------------------------------

  ! Local. A text that travels with a field, for example lq_metadata('xlf-info', 'plaquette = 0.5862').
  function lq_metadata(name, text) result(named)
    character(*), intent(in) :: name, text
    type(lq_named_text) :: named
    named%name = trim(name)
    named%text = text
  end function

  function option_of_text(name, value) result(option)
    character(*), intent(in) :: name, value
    type(lq_named_text) :: option
    option%name = trim(name)
    option%text = trim(value)
  end function
  function option_of_integer(name, value) result(option)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: value
    type(lq_named_text) :: option
    option = option_of_int64(name, int(value, c_int64_t))
  end function
  function option_of_int64(name, value) result(option)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: value
    type(lq_named_text) :: option
    character(24) :: digits
    write (digits, '(i0)') value
    option = option_of_text(name, digits)
  end function
  function option_of_real(name, value) result(option)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: value
    type(lq_named_text) :: option
    character(32) :: digits
    write (digits, '(es24.16e3)') value
    option = option_of_text(name, adjustl(digits))
  end function
  function option_of_logical(name, value) result(option)
    character(*), intent(in) :: name
    logical, intent(in) :: value
    type(lq_named_text) :: option
    option = option_of_text(name, merge('1', '0', value))
  end function

  ! All names and texts, one behind the other.
  function packed(list) result(texts)
    type(lq_named_text), intent(in), optional :: list(:)
    character(:, c_char), allocatable :: texts
    integer :: i
    texts = ''
    if (.not. present(list)) return
    do i = 1, size(list)
      texts = texts//list(i)%name//c_null_char//list(i)%text//c_null_char
    end do
  end function

  function pairs_in(texts, list) result(pairs)
    character(*, c_char), intent(in), target :: texts
    type(lq_named_text), intent(in), optional :: list(:)
    type(lq_pairs) :: pairs
    pairs = lq_pairs(c_loc(texts), 0)
    if (present(list)) pairs%count = size(list, kind=c_size_t)
  end function

  function handle_of(communicator) result(handle)
    type(lq_communicator), intent(in), optional :: communicator
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(communicator)) handle = communicator%handle
  end function

  ! ---- Grids and communicators ----------------------------------------------------------------------------------

  subroutine free_communicator(communicator)
    type(lq_communicator), intent(inout) :: communicator
    call c_communicator_free(communicator%handle)
    communicator%handle = c_null_ptr
  end subroutine

  subroutine free_grid(grid)
    type(lq_grid), intent(inout) :: grid
    call c_grid_free(grid%handle)
    grid%handle = c_null_ptr
  end subroutine

  subroutine free_pending(pending)
    type(lq_pending), intent(inout) :: pending
    call c_pending_free(pending%handle)
    pending%handle = c_null_ptr
  end subroutine

  subroutine free_writer(writer)
    type(lq_writer), intent(inout) :: writer
    call c_writer_free(writer%handle)
    writer%handle = c_null_ptr
  end subroutine

  subroutine free_region_writer(region_writer)
    type(lq_region_writer), intent(inout) :: region_writer
    call c_region_writer_free(region_writer%handle)
    region_writer%handle = c_null_ptr
  end subroutine

  subroutine free_file(file)
    type(lq_file), intent(inout) :: file
    call c_file_free(file%handle)
    file%handle = c_null_ptr
  end subroutine

  subroutine free_multifile_writer(multifile_writer)
    type(lq_multifile_writer), intent(inout) :: multifile_writer
    call c_multifile_writer_free(multifile_writer%handle)
    multifile_writer%handle = c_null_ptr
  end subroutine

  subroutine free_multifile_reader(multifile_reader)
    type(lq_multifile_reader), intent(inout) :: multifile_reader
    call c_multifile_reader_free(multifile_reader%handle)
    multifile_reader%handle = c_null_ptr
  end subroutine

  subroutine free_checkpoints(checkpoints)
    type(lq_checkpoints), intent(inout) :: checkpoints
    call c_checkpoints_free(checkpoints%handle)
    checkpoints%handle = c_null_ptr
  end subroutine

  subroutine free_checkpoint(checkpoint)
    type(lq_checkpoint), intent(inout) :: checkpoint
    call c_checkpoint_free(checkpoint%handle)
    checkpoint%handle = c_null_ptr
  end subroutine

  function self_grid(extents, status, message) result(grid)
    integer(c_int64_t), intent(in) :: extents(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(lq_grid) :: grid
    call finish(c_grid_self(extents, size(extents), grid%handle), status, message)
  end function
  function self_grid_of_int(extents, status, message) result(grid)
    integer(c_int), intent(in) :: extents(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(lq_grid) :: grid
    grid = self_grid(int(extents, c_int64_t), status, message)
  end function

  ! Local. Sites of the whole lattice, and of this rank; its number from 0, and how many there are.
  pure function lq_volume(grid) result(sites)
    type(lq_grid), intent(in) :: grid
    integer(c_int64_t) :: sites
    sites = c_grid_volume(grid%handle)
  end function
  pure function lq_local_volume(grid) result(sites)
    type(lq_grid), intent(in) :: grid
    integer(c_int64_t) :: sites
    sites = c_grid_local_volume(grid%handle)
  end function
  pure function lq_rank(grid) result(rank)
    type(lq_grid), intent(in) :: grid
    integer :: rank
    rank = c_grid_rank(grid%handle)
  end function
  pure function size_of_grid(grid) result(ranks)
    type(lq_grid), intent(in) :: grid
    integer :: ranks
    ranks = c_grid_size(grid%handle)
  end function

  ! Local. Ranks in each dimension.
  function lq_processes(grid) result(processes)
    type(lq_grid), intent(in) :: grid
    integer(c_int64_t), allocatable :: processes(:)
    allocate (processes(c_grid_dimensions(grid%handle)))
    if (size(processes) > 0) call finish(c_grid_processes(grid%handle, processes))
  end function

  subroutine local_box(grid, lower, extents)
    type(lq_grid), intent(in) :: grid
    integer(c_int64_t), allocatable, intent(out) :: lower(:), extents(:)
    allocate (lower(c_grid_dimensions(grid%handle)), extents(c_grid_dimensions(grid%handle)))
    if (size(lower) > 0) call finish(c_grid_local_box(grid%handle, lower, extents))
  end subroutine
  subroutine local_box_of_int(grid, lower, extents)
    type(lq_grid), intent(in) :: grid
    integer(c_int), allocatable, intent(out) :: lower(:), extents(:)
    integer(c_int64_t), allocatable :: wide_lower(:), wide_extents(:)
    call local_box(grid, wide_lower, wide_extents)
    ! A box in memory has such extents; of a lattice that has not, a rank may begin beyond them.
    if (any(wide_lower > huge(0_c_int))) error stop 'lq_local_box: use integer(c_int64_t), the lattice is too large'
    lower = int(wide_lower, c_int)
    extents = int(wide_extents, c_int)
  end subroutine

  ! What is found wrong here, for `status` and `message`.
  subroutine fail(code, sentence, status, message)
    integer, intent(in) :: code
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    if (present(message)) message = sentence
    if (.not. present(status)) error stop sentence
    status = code
  end subroutine

  ! ---- One field ------------------------------------------------------------------------------------------------

  subroutine read_field(path, grid, field, options, report, status, message)
    character(*), intent(in) :: path
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    type(lq_report), intent(inout), optional :: report
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_read(ended(path), grid%handle, field, pairs_in(option_texts, options), report), status, message)
  end subroutine

  subroutine write_field(path, grid, field, options, metadata, report, status, message)
    character(*), intent(in) :: path
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    type(lq_report), intent(inout), optional :: report
    type(lq_named_text), intent(in), optional :: options(:)
    type(lq_named_text), intent(in), optional :: metadata(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts, metadata_texts
    option_texts = packed(options)
    metadata_texts = packed(metadata)
    call finish(c_write(ended(path), grid%handle, field, pairs_in(option_texts, options), &
                         pairs_in(metadata_texts, metadata), report), status, message)
  end subroutine

  ! Collective. Of a gauge field in memory: average, spatial, temporal.
  subroutine lq_plaquette(grid, field, values, status, message)
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    real(c_double), intent(out) :: values(3)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call finish(c_plaquette(grid%handle, field, values), status, message)
  end subroutine

  ! ---- In the background ----------------------------------------------------------------------------------------

  ! Collective. As lq_read and lq_write, but they return when the transfer is under way. Until lq_wait or lq_cancel returns,
  ! the array of a read must not be touched and that of a write must not change; give it the attribute asynchronous.
  subroutine lq_read_async(path, grid, field, pending, options, status, message)
    character(*), intent(in) :: path
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    type(lq_pending), intent(inout) :: pending
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_read_async(ended(path), grid%handle, field, pairs_in(option_texts, options), &
                              pending%handle), status, message)
  end subroutine

  subroutine lq_write_async(path, grid, field, pending, options, metadata, status, message)
    character(*), intent(in) :: path
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    type(lq_pending), intent(inout) :: pending
    type(lq_named_text), intent(in), optional :: options(:)
    type(lq_named_text), intent(in), optional :: metadata(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts, metadata_texts
    option_texts = packed(options)
    metadata_texts = packed(metadata)
    call finish(c_write_async(ended(path), grid%handle, field, pairs_in(option_texts, options), &
                               pairs_in(metadata_texts, metadata), pending%handle), status, message)
  end subroutine

  ! Local. Whether lq_wait would find nothing left to do on this rank. Where ranks of several nodes exchange sites, the
  ! transfer moves on in here and in lq_wait only: call it now and then.
  subroutine lq_test(pending, done, status, message)
    type(lq_pending), intent(in) :: pending
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: answer
    answer = 0
    call finish(c_pending_test(pending%handle, answer), status, message)
    done = answer /= 0
  end subroutine

  ! Collective. Completes the transfer, whose errors surface here; the handle is freed.
  subroutine lq_wait(pending, status, message)
    type(lq_pending), intent(inout) :: pending
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code
    code = c_pending_wait(pending%handle)
    call free_pending(pending)
    call finish(code, status, message)
  end subroutine

  ! Collective. Gives the transfer up: a write leaves no file. The handle is freed.
  subroutine lq_cancel(pending, status, message)
    type(lq_pending), intent(inout) :: pending
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code
    code = c_pending_cancel(pending%handle)
    call free_pending(pending)
    call finish(code, status, message)
  end subroutine

  ! ---- Files of several fields ----------------------------------------------------------------------------------

  ! Collective. A new file, complete and visible when it is closed.
  subroutine lq_create(path, grid, writer, options, status, message)
    character(*), intent(in) :: path
    type(lq_grid), intent(in) :: grid
    type(lq_writer), intent(inout) :: writer
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_create(ended(path), grid%handle, pairs_in(option_texts, options), writer%handle), status, message)
  end subroutine

  subroutine write_to_file(writer, name, field, metadata, status, message)
    type(lq_writer), intent(in) :: writer
    character(*), intent(in) :: name
    type(lq_field), intent(in) :: field
    type(lq_named_text), intent(in), optional :: metadata(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: metadata_texts
    metadata_texts = packed(metadata)
    call finish(c_writer_write(writer%handle, ended(name), field, pairs_in(metadata_texts, metadata)), status, message)
  end subroutine

  ! Collective. A record of text, all of `contents`; that of rank 0 is written.
  subroutine lq_record(writer, type, contents, status, message)
    type(lq_writer), intent(in) :: writer
    character(*), intent(in) :: type, contents
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call finish(c_writer_record(writer%handle, ended(type), contents, len(contents, kind=c_size_t)), status, message)
  end subroutine

  subroutine close_writer(writer, status, message)
    type(lq_writer), intent(inout) :: writer
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code
    code = c_writer_close(writer%handle)
    call free_writer(writer)
    call finish(code, status, message)
  end subroutine

  ! Collective. A new file of one field whose sites are given region by region, in any order and by any rank (lq_write); they stay
  ! in memory until lq_close writes the file. `like` says what a site holds: the field in any array of its type, which is not used.
  subroutine lq_region_writer_create(path, grid, like, writer, options, metadata, status, message)
    character(*), intent(in) :: path
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: like
    type(lq_region_writer), intent(inout) :: writer
    type(lq_named_text), intent(in), optional :: options(:)
    type(lq_named_text), intent(in), optional :: metadata(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts, metadata_texts
    option_texts = packed(options)
    metadata_texts = packed(metadata)
    writer%dimensions = c_grid_dimensions(grid%handle)
    call finish(c_region_writer_create(ended(path), grid%handle, like, pairs_in(option_texts, options), &
                                       pairs_in(metadata_texts, metadata), writer%handle), status, message)
  end subroutine

  subroutine write_region(writer, lower, extents, field, status, message)
    type(lq_region_writer), intent(in) :: writer
    integer(c_int64_t), intent(in) :: lower(:), extents(:)
    type(lq_field), intent(in) :: field
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    if (c_associated(writer%handle) .and. (size(lower) /= writer%dimensions .or. size(extents) /= writer%dimensions)) then
      call fail(LQ_INVALID_ARGUMENT, 'lq_write: lower and extents of a region have one number for each dimension of the lattice', &
                status, message)
    else
      call finish(c_region_writer_write(writer%handle, lower, extents, field), status, message)
    end if
  end subroutine
  subroutine write_region_of_int(writer, lower, extents, field, status, message)
    type(lq_region_writer), intent(in) :: writer
    integer(c_int), intent(in) :: lower(:), extents(:)
    type(lq_field), intent(in) :: field
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call write_region(writer, int(lower, c_int64_t), int(extents, c_int64_t), field, status, message)
  end subroutine

  ! Local. The number of sites of this rank's box that have not been given yet; those from other ranks count after lq_close.
  function lq_missing(writer, status, message) result(sites)
    type(lq_region_writer), intent(in) :: writer
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int64_t) :: sites
    sites = 0
    call finish(c_region_writer_missing(writer%handle, sites), status, message)
  end function

  subroutine close_region_writer(writer, status, message)
    type(lq_region_writer), intent(inout) :: writer
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code
    code = c_region_writer_close(writer%handle)
    if (code == LQ_OK) call free_region_writer(writer)
    call finish(code, status, message)
  end subroutine

  ! Collective over the communicator. A file of any format, looked through once; options of it are those of a scan.
  subroutine lq_open(path, file, communicator, options, status, message)
    character(*), intent(in) :: path
    type(lq_file), intent(inout) :: file
    type(lq_communicator), intent(in), optional :: communicator
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_open(ended(path), handle_of(communicator), pairs_in(option_texts, options), file%handle), &
                status, message)
  end subroutine

  subroutine read_from_file(file, grid, field, options, report, status, message)
    type(lq_file), intent(in) :: file
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    type(lq_report), intent(inout), optional :: report
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_file_read(file%handle, grid%handle, field, pairs_in(option_texts, options), report), status, message)
  end subroutine

  ! Local. What is in it: records, fields, metadata, as JSON (docs/reference/json.md).
  subroutine lq_catalog(file, json, status, message)
    type(lq_file), intent(in) :: file
    character(:), allocatable, intent(out) :: json
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(c_ptr) :: answer
    answer = c_null_ptr
    call finish(c_file_catalog(file%handle, answer), status, message)
    json = taken(answer)
  end subroutine

  ! ---- Questions to files ---------------------------------------------------------------------------------------

  ! Collective over the communicator, as all of these. What is in a file, as JSON (docs/reference/json.md).
  subroutine lq_inspect(path, json, communicator, options, status, message)
    character(*), intent(in) :: path
    character(:), allocatable, intent(out) :: json
    type(lq_communicator), intent(in), optional :: communicator
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    type(c_ptr) :: answer
    option_texts = packed(options)
    answer = c_null_ptr
    call finish(c_inspect(ended(path), handle_of(communicator), pairs_in(option_texts, options), answer), &
                status, message)
    json = taken(answer)
  end subroutine

  ! How many fields a file has.
  function lq_field_count(path, communicator, status, message) result(fields)
    character(*), intent(in) :: path
    type(lq_communicator), intent(in), optional :: communicator
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer :: fields
    integer(c_int64_t) :: found
    found = 0
    call finish(c_field_count(ended(path), handle_of(communicator), found), status, message)
    fields = int(found)
  end function

  function field_info(path, number, communicator, status, message) result(info)
    character(*), intent(in) :: path
    integer, intent(in), optional :: number
    type(lq_communicator), intent(in), optional :: communicator
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(lq_field_info) :: info
    character(10), parameter :: kinds(0:3) = [character(10) :: 'gauge', 'spinor', 'propagator', 'generic']
    integer(c_int64_t) :: extents(LQ_MAX_DIMENSIONS), wanted
    type(lq_facts) :: facts
    type(c_ptr) :: name
    integer(c_int) :: code
    wanted = 0
    if (present(number)) wanted = number
    name = c_null_ptr
    extents = 0
    code = c_field_facts(ended(path), handle_of(communicator), wanted, facts, extents, name)
    if (code == LQ_OK) then
      info%name = taken(name)
      info%kind = trim(kinds(facts%kind))
      info%precision = merge('double', 'single', facts%precision == 64)
      info%colors = facts%colors
      info%spins = facts%spins
      info%links = facts%links
      info%is_complex = facts%is_complex /= 0
      info%extents = extents(:facts%dimensions)
      info%numbers = facts%numbers
      info%site_bytes = facts%site_bytes
      info%bytes = facts%bytes
      info%offset = facts%offset
      info%has_checksum = facts%has_checksum /= 0
      info%suma = facts%suma
      info%sumb = facts%sumb
      info%has_plaquette = facts%has_plaquette /= 0
      info%plaquette = facts%plaquette
      info%has_link_trace = facts%has_link_trace /= 0
      info%link_trace = facts%link_trace
    end if
    call finish(code, status, message)
  end function

  subroutine lattice_of_file(path, extents, number, communicator, status, message)
    character(*), intent(in) :: path
    integer(c_int64_t), allocatable, intent(out) :: extents(:)
    integer, intent(in), optional :: number
    type(lq_communicator), intent(in), optional :: communicator
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(lq_field_info) :: info
    info = field_info(path, number, communicator, status, message)
    allocate (extents(0))
    if (allocated(info%extents)) extents = info%extents
  end subroutine
  subroutine lattice_of_file_of_int(path, extents, number, communicator, status, message)
    character(*), intent(in) :: path
    integer(c_int), allocatable, intent(out) :: extents(:)
    integer, intent(in), optional :: number
    type(lq_communicator), intent(in), optional :: communicator
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(lq_field_info) :: info
    info = field_info(path, number, communicator, status, message)
    allocate (extents(0))
    if (.not. allocated(info%extents)) return
    if (any(info%extents > huge(0_c_int))) then
      call fail(LQ_TOO_LARGE, trim(path)//': an extent of the lattice does not fit a 32-bit integer; use &
                &integer(c_int64_t)', status, message)
    else
      extents = int(info%extents, c_int)
    end if
  end subroutine

  ! Structure, sizes, checksums, physics. A damaged file is an answer, no failure.
  subroutine lq_verify(path, is_sound, json, communicator, options, status, message)
    character(*), intent(in) :: path
    logical, intent(out) :: is_sound
    character(:), allocatable, intent(out), optional :: json
    type(lq_communicator), intent(in), optional :: communicator
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    integer(c_int) :: sound
    type(c_ptr) :: answer
    option_texts = packed(options)
    sound = 0
    answer = c_null_ptr
    call finish(c_verify(ended(path), handle_of(communicator), pairs_in(option_texts, options), sound, answer), &
                status, message)
    is_sound = sound /= 0
    if (present(json)) then
      json = taken(answer)
    else
      call c_text_free(answer)
    end if
  end subroutine

  ! Any format to any; options are those of the conversion and of the new file.
  subroutine lq_convert(from, to, communicator, options, status, message)
    character(*), intent(in) :: from, to
    type(lq_communicator), intent(in), optional :: communicator
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_convert(ended(from), ended(to), handle_of(communicator), pairs_in(option_texts, options)), &
                status, message)
  end subroutine

  ! Two fields number by number; option "tolerance".
  subroutine lq_diff(a, b, is_same, json, communicator, options, status, message)
    character(*), intent(in) :: a, b
    logical, intent(out) :: is_same
    character(:), allocatable, intent(out), optional :: json
    type(lq_communicator), intent(in), optional :: communicator
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    integer(c_int) :: same
    type(c_ptr) :: answer
    option_texts = packed(options)
    same = 0
    answer = c_null_ptr
    call finish(c_diff(ended(a), ended(b), handle_of(communicator), pairs_in(option_texts, options), same, answer), &
                status, message)
    is_same = same /= 0
    if (present(json)) then
      json = taken(answer)
    else
      call c_text_free(answer)
    end if
  end subroutine

  ! ---- Multifiles -----------------------------------------------------------------------------------------------

  ! Collective over the communicator. A new set of streams; or one that is gone on with, rank by rank.
  subroutine lq_multifile_create(path, writer, communicator, options, status, message)
    character(*), intent(in) :: path
    type(lq_multifile_writer), intent(inout) :: writer
    type(lq_communicator), intent(in), optional :: communicator
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_multifile_create(ended(path), handle_of(communicator), pairs_in(option_texts, options), &
                                    0, writer%handle), status, message)
  end subroutine

  subroutine lq_multifile_append(path, writer, communicator, options, status, message)
    character(*), intent(in) :: path
    type(lq_multifile_writer), intent(inout) :: writer
    type(lq_communicator), intent(in), optional :: communicator
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_multifile_create(ended(path), handle_of(communicator), pairs_in(option_texts, options), &
                                    1, writer%handle), status, message)
  end subroutine

  subroutine write_stream(writer, data, stream, status, message)
    type(lq_multifile_writer), intent(in) :: writer
    type(*), dimension(..), contiguous, intent(in) :: data
    integer, intent(in), optional :: stream
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: number
    number = 0
    if (present(stream)) number = stream
    call finish(c_multifile_write(writer%handle, number, data), status, message)
  end subroutine

  subroutine write_to_multifile(writer, name, grid, field, options, status, message)
    type(lq_multifile_writer), intent(in) :: writer
    character(*), intent(in) :: name
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_multifile_write_field(writer%handle, ended(name), grid%handle, field, pairs_in(option_texts, options)), &
                status, message)
  end subroutine

  subroutine close_multifile(writer, status, message)
    type(lq_multifile_writer), intent(inout) :: writer
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: code
    code = c_multifile_close(writer%handle)
    call free_multifile_writer(writer)
    call finish(code, status, message)
  end subroutine

  ! Collective over the communicator. A set that any number of ranks wrote.
  subroutine lq_multifile_open(path, reader, communicator, options, status, message)
    character(*), intent(in) :: path
    type(lq_multifile_reader), intent(inout) :: reader
    type(lq_communicator), intent(in), optional :: communicator
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_multifile_open(ended(path), handle_of(communicator), pairs_in(option_texts, options), &
                                  reader%handle), status, message)
  end subroutine

  ! Local. Tasks of the set; and bytes of the stream of one of them.
  pure function lq_tasks(reader) result(tasks)
    type(lq_multifile_reader), intent(in) :: reader
    integer(c_int64_t) :: tasks
    tasks = c_multifile_tasks(reader%handle)
  end function
  function size_of_task(reader, task, status, message) result(bytes)
    type(lq_multifile_reader), intent(in) :: reader
    integer(c_int64_t), intent(in) :: task
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int64_t) :: bytes
    bytes = 0
    call finish(c_multifile_size(reader%handle, task, bytes), status, message)
  end function

  ! Local. The tasks dealt to this rank, and its window of the one stream of all tasks.
  subroutine lq_share(reader, first_task, tasks, window_begin, window_bytes, status, message)
    type(lq_multifile_reader), intent(in) :: reader
    integer(c_int64_t), intent(out) :: first_task, tasks, window_begin, window_bytes
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    first_task = 0
    tasks = 0
    window_begin = 0
    window_bytes = 0
    call finish(c_multifile_share(reader%handle, first_task, tasks, window_begin, window_bytes), status, message)
  end subroutine

  subroutine read_stream(reader, task, position, data, got, status, message)
    type(lq_multifile_reader), intent(in) :: reader
    integer(c_int64_t), intent(in) :: task, position
    type(*), dimension(..), contiguous :: data
    integer(c_int64_t), intent(out) :: got
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    got = 0
    call finish(c_multifile_read(reader%handle, task, position, data, got), status, message)
  end subroutine

  subroutine read_from_multifile(reader, name, grid, field, options, status, message)
    type(lq_multifile_reader), intent(in) :: reader
    character(*), intent(in) :: name
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_multifile_read_field(reader%handle, ended(name), grid%handle, field, pairs_in(option_texts, options)), &
                status, message)
  end subroutine

  ! ---- Checkpoints ----------------------------------------------------------------------------------------------

  ! Collective over the communicator. A folder of checkpoints, made where there is none; another job is kept away.
  subroutine lq_checkpoints_open(folder, checkpoints, communicator, options, status, message)
    character(*), intent(in) :: folder
    type(lq_checkpoints), intent(inout) :: checkpoints
    type(lq_communicator), intent(in), optional :: communicator
    type(lq_named_text), intent(in), optional :: options(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(:, c_char), allocatable, target :: option_texts
    option_texts = packed(options)
    call finish(c_checkpoints_open(ended(folder), handle_of(communicator), pairs_in(option_texts, options), &
                                   checkpoints%handle), status, message)
  end subroutine

  ! Local. What the next save is to hold: streams of this rank, one after the other; fields by name; and small things by
  ! name, the same on all ranks. Streams and fields are borrowed until the save is complete, and have the attribute
  ! target; and asynchronous, where it is in the background.
  subroutine lq_add_stream(checkpoints, data, status, message)
    type(lq_checkpoints), intent(in) :: checkpoints
    type(*), dimension(..), contiguous, intent(in), target :: data
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call finish(c_checkpoints_add_stream(checkpoints%handle, data), status, message)
  end subroutine

  subroutine lq_add_field(checkpoints, name, grid, field, status, message)
    type(lq_checkpoints), intent(in) :: checkpoints
    character(*), intent(in) :: name
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call finish(c_checkpoints_add_field(checkpoints%handle, ended(name), grid%handle, field), status, message)
  end subroutine

  subroutine lq_add_state(checkpoints, name, data, status, message)
    type(lq_checkpoints), intent(in) :: checkpoints
    character(*), intent(in) :: name
    type(*), dimension(..), contiguous, intent(in) :: data
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call finish(c_checkpoints_add_state(checkpoints%handle, ended(name), data), status, message)
  end subroutine

  ! Collective. What was added becomes a checkpoint, as a whole or not at all; in the background it is completed by
  ! lq_wait_for_checkpoint, or by the next save.
  subroutine lq_save_checkpoint(checkpoints, step, in_background, status, message)
    type(lq_checkpoints), intent(in) :: checkpoints
    integer(c_int64_t), intent(in) :: step
    logical, intent(in), optional :: in_background
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: begins_only
    begins_only = 0
    if (present(in_background)) begins_only = merge(1_c_int, 0_c_int, in_background)
    call finish(c_checkpoints_save(checkpoints%handle, step, begins_only), status, message)
  end subroutine

  subroutine lq_wait_for_checkpoint(checkpoints, status, message)
    type(lq_checkpoints), intent(in) :: checkpoints
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call finish(c_checkpoints_wait(checkpoints%handle), status, message)
  end subroutine

  ! Collective. The newest valid checkpoint; `found` is .false. where there are none at all.
  subroutine lq_load_newest(checkpoints, checkpoint, found, step, status, message)
    type(lq_checkpoints), intent(in) :: checkpoints
    type(lq_checkpoint), intent(inout) :: checkpoint
    logical, intent(out) :: found
    integer(c_int64_t), intent(out) :: step
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call free_checkpoint(checkpoint)
    found = .false.
    step = 0
    call finish(c_checkpoints_load_newest(checkpoints%handle, checkpoint%handle), status, message)
    if (.not. c_associated(checkpoint%handle)) return
    found = .true.
    step = c_checkpoint_step(checkpoint%handle)
  end subroutine

  ! Collective over the grid, which may be any.
  subroutine lq_load_field(checkpoint, name, grid, field, status, message)
    type(lq_checkpoint), intent(in) :: checkpoint
    character(*), intent(in) :: name
    type(lq_grid), intent(in) :: grid
    type(lq_field), intent(in) :: field
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call finish(c_checkpoint_read_field(checkpoint%handle, ended(name), grid%handle, field), status, message)
  end subroutine

  ! Local. A state of that name into an array of its size.
  subroutine lq_load_state(checkpoint, name, data, status, message)
    type(lq_checkpoint), intent(in) :: checkpoint
    character(*), intent(in) :: name
    type(*), dimension(..), contiguous :: data
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call finish(c_checkpoint_read_state(checkpoint%handle, ended(name), data), status, message)
  end subroutine

  ! Collective. The streams, dealt out to the ranks that load.
  subroutine lq_load_streams(checkpoint, reader, status, message)
    type(lq_checkpoint), intent(in) :: checkpoint
    type(lq_multifile_reader), intent(inout) :: reader
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call finish(c_checkpoint_streams(checkpoint%handle, c_null_ptr, reader%handle), status, message)
  end subroutine
end module
