# SPDX-License-Identifier: Apache-2.0
# with_persistenced.sh COMMAND...: runs it where the socket of nvidia-persistenced is, though nobody answers there.
# For use in a mount namespace: unshare --mount sh with_persistenced.sh COMMAND...
set -e
mount -t tmpfs none "$(readlink -f /var/run)"
mkdir /var/run/nvidia-persistenced
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/var/run/nvidia-persistenced/socket")'
exec "$@"
