! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! The C interface as Fortran sees it: structs and functions (limequat_c_interface.inc), texts and errors. Programs use module limequat.
module limequat_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  ! lq_pairs: pairs of texts, each ended by NUL.
  ! lq_field: what one site holds and where this rank's sites are, as in limequat.h; made by lq_gauge and its siblings.
  ! Change colors, spins and links where they are not 3, 4 and one for each dimension. `memory` is a description of data, as
  ! text ended by NUL, or c_null_ptr: plain. `context` is an lq_places, where memory says places=.
  ! lq_places: a table of an application's own of the places of its sites or links, of c_int64_t, and its length. A place
  ! below 0 is one that no memory has.
  ! lq_report: what a transfer did: bytes of the payload, seconds of the whole call, the SciDAC checksum of the data that
  ! passed (each sum 32 bits), and LQ_CHECKSUM_OK and its siblings.
  include 'limequat_c_interface.inc'

  interface
    function c_strlen(text) bind(c, name='strlen')
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
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
