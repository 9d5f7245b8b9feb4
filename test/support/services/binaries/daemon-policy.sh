#!/bin/sh
# Prevents the init system from starting the daemons of packages during their installation. apt-get runs
# this hook before and after dpkg, inside its own lock: concurrent installations cannot restore each other's
# file, and the policy is restored even if the process that requested the installation was killed.
#
#   daemon-policy.sh hold      policy-rc.d forbids every start; an existing policy is moved aside
#   daemon-policy.sh release   removes this policy and restores the existing one

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
