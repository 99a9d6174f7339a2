# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A terminal has colours and its own width; a pipe, NO_COLOR and TERM=dumb have none, and COLUMNS says how wide lines are.
lq generate -q conf.ildg --lattice 2x2x2x4 --sweeps 1
cat > in_terminal.py << 'END_OF_PYTHON'
import fcntl, os, pty, struct, sys, termios
width, command = int(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    os.execvp(command[0], command)
text = b""
while True:
    try:
        block = os.read(terminal, 65536)
    except OSError:
        break
    if not block:
        break
    text += block
os.waitpid(child, 0)
sys.stdout.write(text.decode().replace("\r\n", "\n"))
END_OF_PYTHON
export TERM=xterm
unset NO_COLOR COLUMNS
widest() { sed 's/\x1b\[[0-9;]*m//g' | awk '{ if (length($0) > most) most = length($0) } END { print most }'; }
python3 in_terminal.py 100 lq verify conf.ildg | sed 's/\x1b/ESC/g'
NO_COLOR=1 python3 in_terminal.py 100 lq verify conf.ildg
TERM=dumb python3 in_terminal.py 100 lq verify conf.ildg
lq verify conf.ildg
python3 in_terminal.py 100 lq verify none.ildg | sed 's/\x1b/ESC/g'
for width in 60 132; do
  [ "$(python3 in_terminal.py $width lq info --help | widest)" -le $width ] || echo "wider than $width"
  [ "$(COLUMNS=$width lq convert --help | sed '/^Examples/,$d' | widest)" -le $width ] || echo "wider than COLUMNS=$width"
done
COLUMNS=132 lq --help | widest
lq --help | widest
COLUMNS=nonsense lq --help | widest
# What a file holds is never a command to the terminal.
cp conf.ildg $'evil\x1b[31m.ildg'
python3 in_terminal.py 100 lq verify $'evil\x1b[31m.ildg' | sed 's/\x1b/ESC/g'
