# Runs in the mount namespace of a container, and becomes its process. The arguments up to -- are mounts: FOLDER PATH ro|rw.
set -eu
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
bind() { mount --bind "$1" "$2"; mount -o "remount,bind,$3" "$2"; }
mount --rbind /proc "$ROOT/proc"
bind /usr "$ROOT/usr" ro
bind /dev/null "$ROOT/dev/null" rw
bind /dev/urandom "$ROOT/dev/urandom" ro
bind "$PROGRAM" "$ROOT/entrypoint" ro
while [ "$1" != -- ]; do
  bind "$1" "$ROOT$2" "$3"
  shift 3
done
shift
mount -o remount,bind,ro "$ROOT"
exec env -i PATH=/usr/sbin:/usr/bin chroot "$ROOT" /usr/bin/setpriv --reuid="$USER_ID" --regid="$GROUP_ID" --groups="$GROUPS_LIST" \
  --no-new-privs --bounding-set=-all --inh-caps=-all --pdeathsig=KILL /usr/bin/env "$@"
