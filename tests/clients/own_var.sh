# SPDX-License-Identifier: Apache-2.0
# own_var.sh COMMAND...: runs it with a /var of its own, in which a kubelet's folders and that of CDI specifications lie.
# For use in a mount namespace: unshare --mount sh own_var.sh COMMAND...
mount -t tmpfs none /var && mkdir -p /var/lib/kubelet/device-plugins /var/run/cdi && exec "$@"
