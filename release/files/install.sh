#!/bin/sh
# Installs Petstore as a system service. Named upgrade.sh, it runs another version in place of an installed one:
#
#   sh install.sh [petstore-VERSION-linux-x64.tar.gz] [NAME]
#   sh upgrade.sh [petstore-VERSION-linux-x64.tar.gz] [NAME] [--wait SECONDS]
#   sh upgrade.sh --rollback [--restore BACKUP] [NAME] [--wait SECONDS]
#
# The archive, with SHA256SUMS next to it, may be left out if it is next to this script or to the folder of this script. NAME is petstore, or
# such as petstore-staging for another deployment on this machine. If anything fails, the version that ran before runs again, one line gives the
# reason, and the exit code is 1. A version must be ready within 30 seconds, or the seconds of --wait.
set -eu
umask 022

# Ends the script; `finish` goes back and prints the reason.
fail() {
  reason=$1
  exit 1
}

# Runs a command whose error message is the reason of a failure.
try() {
  said=$("$@" 2>&1) || fail "$(echo "$said" | head -n 1)"
}

usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}

# Sets $given to the archive next to this script or to its folder.
find_archive() {
  case $(uname -m) in aarch64) machine=arm64 ;; *) machine=x64 ;; esac
  for file in "$here"/petstore-*-linux-$machine.tar.gz "$here.tar.gz"; do
    [ -e "$file" ] || continue
    [ -z "$given" ] || fail "Several archives are next to this script. Name one."
    given=$file
  done
  [ -n "$given" ] || fail "No petstore-VERSION-linux-$machine.tar.gz is next to this script. Name the archive."
}

# Readies a version: verifies its archive, unpacks it under another name and tries it. Sets $new, the name of its folder in /opt.
unpack() {
  [ -n "$given" ] || find_archive
  [ -f "$given" ] || fail "$given is missing."
  archive=$(basename "$given")
  new=${archive%.tar.gz}
  case $archive in petstore-*-linux-*.tar.gz) ;; *) fail "$archive must be named petstore-VERSION-linux-x64.tar.gz." ;; esac
  sums=$(dirname "$given")/SHA256SUMS
  [ -f "$sums" ] || fail "$sums is missing; download it together with the archive."
  expected=$(awk -v file="$archive" '{ sub(/^\*/, "", $2) } NF == 2 && $2 == file { print $1 }' "$sums")
  [ -n "$expected" ] || fail "$sums does not list $archive."
  [ "$(sha256sum <"$given" | cut -d ' ' -f 1)" = "$expected" ] ||
    fail "$archive does not have the checksum in $sums. Download both again."
  if is_used "$new"; then return; fi
  work=/opt/.unpacked
  try mkdir "$work"
  said=$(tar --no-same-owner -xzf "$given" -C "$work" 2>&1) ||
    fail "$archive cannot be unpacked into /opt, which has $(df -h --output=avail /opt | tail -n 1 | tr -d ' ') free: $(echo "$said" | head -n 1)"
  [ -x "$work/$new/petstore" ] || fail "$archive does not contain $new/petstore."
  said=$("$work/$new/petstore" version 2>&1) || fail "$new does not run on this machine: $(echo "${said#error: }" | head -n 1)"
  # Unpacked earlier, but never used.
  rm -rf "/opt/$new"
  try mv "$work/$new" "/opt/$new"
  rm -rf "$work"
  sync
}

# Whether a deployment of this machine runs a version, or would go back to it.
is_used() {
  for link in /opt/petstore /opt/petstore.previous /opt/petstore-*; do
    if [ -L "$link" ] && [ "$(readlink "$link")" = "$1" ]; then return 0; fi
  done
  return 1
}

# Makes a link point to a version, in one step.
point() {
  ln -sfn "$2" "/opt/.$1.new" && mv -T "/opt/.$1.new" "/opt/$1"
}

# As the program reads it: without blanks and the line end of Windows.
setting() {
  sed -n "s/[[:space:]]*$//; s/^[[:space:]]*$1=//p" "/etc/$name/$name.env" | tail -n 1
}

# Starts the service, and waits until it is ready. Its certificate may be for another name.
start() {
  systemctl start "$name" >/dev/null 2>&1 || return 1
  NODE_NO_WARNINGS=1 NODE_TLS_REJECT_UNAUTHORIZED=0 PETSTORE_OPERATOR_HOST=$(setting PETSTORE_OPERATOR_HOST) PETSTORE_OPERATOR_PORT=$(setting PETSTORE_OPERATOR_PORT) \
    PETSTORE_OPERATOR_TLS_CERT=$(setting PETSTORE_OPERATOR_TLS_CERT) "/opt/$name/runtime/node" --input-type=module -e '
      const { PETSTORE_OPERATOR_HOST: host, PETSTORE_OPERATOR_PORT: port, PETSTORE_OPERATOR_TLS_CERT: certificate } = process.env
      const name = !host || host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host
      const url = `${certificate ? "https" : "http"}://${name}:${port || 8081}/readyz`
      const end = Date.now() + Number(process.argv[1]) * 1_000
      const isReady = () => fetch(url, { signal: AbortSignal.timeout(4_000) }).then(({ ok }) => ok, () => false)
      while (!(await isReady())) {
        if (Date.now() > end) process.exit(1)
        await new Promise(resolve => setTimeout(resolve, 200))
      }
    ' "$wait"
}

# Runs at the end. After a failure, the version and the store are those from before, and one line gives the reason.
finish() {
  status=$?
  trap - EXIT
  trap '' INT TERM HUP
  [ "$status" -eq 0 ] || reason=${reason:-A step failed.}
  [ -z "$work" ] || rm -rf "$work"
  [ -z "$old" ] || go_back
  [ -z "$watcher" ] || kill -s TERM -- "-$watcher" 2>/dev/null || true
  [ -z "$reason" ] || echo "error: $reason" >&2
  exit "$status"
}

go_back() {
  systemctl stop "$name" >/dev/null 2>&1 || true
  # The link that is kept for this needs no space on the disk.
  point "$name" "$old" 2>/dev/null || mv -T "$back" "/opt/$name"
  reason="$reason $old runs again."
  if [ -n "$backup" ] && ! "$command" account list >/dev/null 2>&1; then
    # The new version has upgraded the store, which is kept next to the restored one.
    if "$command" restore "$backup" --force >/dev/null 2>&1; then
      reason="$reason Its store is the backup from before the upgrade."
    else
      reason="$reason Its store must be restored from $backup."
    fi
  fi
  start || reason="$reason It is not ready: see journalctl --unit $name."
  rm -f "$back"
}

# Stops the service and runs the version $new instead.
switch() {
  running=$(readlink "/opt/$name")
  file=
  [ "$action" = rollback ] || [ -n "$(setting PETSTORE_DATABASE_URL)" ] || file=/var/backups/$name/before-$new.db
  try ln -sfn "$running" "$back"
  # If this script is killed, the system releases its lock, and this process goes back.
  setsid sh "$0" --undo "$file" "$name" --wait "$wait" 9>&- </dev/null >/dev/null &
  watcher=$!
  old=$running
  try systemctl stop "$name"
  if [ -n "$file" ]; then
    said=$("$command" backup "$file" --force 2>&1) || fail "The backup before the upgrade failed. ${said#error: }"
    backup=$file
  fi
  try point "$name" "$new"
  if [ -n "$restored" ]; then
    said=$("$command" restore "$restored" --force 2>&1) || fail "$restored cannot be restored. ${said#error: }"
  elif [ "$action" = rollback ]; then
    said=$("$command" account list 2>&1) || fail "$new cannot open the store; --restore BACKUP goes back to a backup. ${said#error: }"
  fi
  start || fail "$new is not ready after $wait seconds; journalctl --unit $name shows why."
  try mv -T "$back" "/opt/$name.previous"
  old=
  echo "$name now runs $new."
}

# @param $1 the folder with the program
install_service() {
  [ -x "$1/petstore" ] || fail "$1/petstore is missing."
  id "$name" >/dev/null 2>&1 ||
    try useradd --system --user-group --home-dir "/var/lib/$name" --shell /usr/sbin/nologin "$name"
  try install -d -m 0750 -g "$name" "/etc/$name"
  if [ ! -s "/etc/$name/$name.env" ]; then
    try install -m 0640 -g "$name" /dev/null "/etc/$name/$name.env"
    echo "PETSTORE_DATA=/var/lib/$name" >"/etc/$name/$name.env"
  fi
  try install -d -m 0700 -o "$name" -g "$name" "/var/lib/$name" "/var/cache/$name" "/var/backups/$name"
  # A link, so that each version has its own.
  try ln -sfn "/opt/$name/deploy/systemd/petstore" "$command"
  for unit in .service -backup.service -backup.timer; do
    sed "s/petstore/$name/g" "$1/deploy/systemd/petstore$unit" >"/etc/systemd/system/$name$unit"
  done
  try systemctl daemon-reload
}

case ${0##*/} in *upgrade*) action=upgrade ;; *) action=install ;; esac
name=petstore given='' restored='' wait=30 old='' backup='' work='' new='' reason='' watcher=''
while [ $# -gt 0 ]; do
  case $action$1 in
    upgrade--rollback) action=rollback ;;
    rollback--restore) [ $# -gt 1 ] || usage; restored=$2; shift ;;
    upgrade--undo) action=undo file=$2; shift ;;
    *--wait) case ${2-} in '' | *[!0-9]*) usage ;; esac; wait=$2; shift ;;
    *.tar.gz) [ -z "$given" ] && [ "$action" != rollback ] || usage; given=$1 ;;
    install-* | upgrade-* | rollback-*) usage ;;
    *) name=$1 ;;
  esac
  shift
done
command=/usr/local/bin/$name
back=/opt/.$name.back
here=$(cd "$(dirname "$0")" && pwd -P)
trap finish EXIT
[ "$action" = undo ] || trap 'fail Interrupted.' INT TERM HUP
case $name in
  *[!a-z0-9-]* | *-backup) fail "The name $name must consist of a to z, 0 to 9 and -, and not end with -backup." ;;
  petstore | petstore-?*) ;;
  *) fail "The name $name must be petstore, or begin with petstore-, such as petstore-staging." ;;
esac
[ "$(id -u)" -eq 0 ] || fail "Run this as root."
command -v systemctl >/dev/null || fail "This machine has no systemd. Use the container image, or run petstore serve."
exec 9>/run/petstore-setup.lock
if [ "$action" = undo ]; then
  flock 9
  [ -L "$back" ] || exit 0
  old=$(readlink "$back")
  [ "$(readlink "/opt/$name")" = "$old" ] || backup=$file
  fail "Interrupted."
fi
flock --nonblock 9 || fail "Another installation or upgrade is running."
rm -rf /opt/.unpacked
# Left by a power failure during an upgrade. The version that runs since then stays.
if [ -L "$back" ]; then
  [ "$(readlink "$back")" = "$(readlink "/opt/$name")" ] || try mv -T "$back" "/opt/$name.previous"
  rm -f "$back"
fi

case $action in
  install)
    installed=$(readlink -f "/opt/$name")
    # Without an archive, the script in the installed folder, or in a checkout there, installs that.
    case $here/ in "$installed"/*) is_own=yes ;; *) is_own=no ;; esac
    if [ -n "$given" ] || [ $is_own = no ]; then
      [ ! -e "/opt/$name" ] || fail "/opt/$name already exists. To change the version, use upgrade.sh."
      unpack
    fi
    install_service "/opt/${new:-$name}"
    [ -z "$new" ] || try point "$name" "$new"
    echo "$name is installed. Write its settings to /etc/$name/$name.env."
    ;;
  upgrade)
    [ -L "/opt/$name" ] || fail "/opt/$name is not a link to a version. To install one, use install.sh."
    unpack
    [ "$(readlink "/opt/$name")" != "$new" ] || fail "$new already runs."
    switch
    diff --recursive --brief "/opt/$name.previous/deploy/systemd" "/opt/$name/deploy/systemd" ||
      echo "The files of systemd have changed; to use the new ones: sh /opt/$name/install.sh $name"
    ;;
  rollback)
    [ -L "/opt/$name.previous" ] || fail "No earlier version is known."
    new=$(readlink "/opt/$name.previous")
    [ -x "/opt/$new/petstore" ] || fail "/opt/$new is missing."
    switch
    ;;
esac
