# SPDX-License-Identifier: Apache-2.0
# on_driver_root.sh ROOT COMMAND...: runs it where /proc and /sys show the GPUs of ROOT, a folder of `nvmlab driver-root`.
# Of the host's /proc all stays but other processes, which go by their numbers. For use in a mount namespace:
# unshare --mount sh on_driver_root.sh ROOT COMMAND...
set -e
root=$1
shift
mount -t tmpfs none /mnt
mkdir /mnt/proc
mount --bind /proc /mnt/proc
mount -t tmpfs none /proc
ln -s /mnt/proc/[!0-9]* /proc
for each in "$root"/proc/*; do
  rm -f "/proc/${each##*/}"
  cp -R "$each" /proc
done
mount --bind "$root/sys/bus/pci" /sys/bus/pci
exec "$@"
