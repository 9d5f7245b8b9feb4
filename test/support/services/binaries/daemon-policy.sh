#!/bin/sh
# Keeps the init system from starting the daemons of packages while they are installed, and lets it again
# afterwards. apt-get runs it as a hook before and after dpkg, inside its own lock: two installations at
# once cannot put back each other's file, and it is put back even when whoever asked for it is gone.
#
#   daemon-policy.sh hold      policy-rc.d forbids everything; one that was there is set aside
#   daemon-policy.sh release   ours is removed; the one set aside comes back

set -e
policy="${SPILLWAY_POLICY_FILE:-/usr/sbin/policy-rc.d}"
aside="$policy.before-spillway"
mark='spillway: no daemon is started by this installation'

is_ours() { [ -f "$policy" ] && grep -qF "$mark" "$policy"; }

case "$1" in
  hold)
    is_ours && exit 0
    [ -e "$policy" ] && mv -f "$policy" "$aside"
    printf '#!/bin/sh\n# %s\nexit 101\n' "$mark" >"$policy"
    chmod 755 "$policy"
    ;;
  release)
    is_ours && rm -f "$policy"
    [ -e "$aside" ] && [ ! -e "$policy" ] && mv -f "$aside" "$policy"
    exit 0
    ;;
  *)
    echo "usage: daemon-policy.sh hold|release" >&2
    exit 2
    ;;
esac
