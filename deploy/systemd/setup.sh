#!/bin/sh
# Installs Petstore as a system service, upgrades it, or goes back to the version before:
#
#   sh setup.sh install petstore-VERSION-linux-x64.tar.gz
#   sh setup.sh upgrade petstore-VERSION-linux-x64.tar.gz
#   sh setup.sh rollback [--restore BACKUP]
#
# SHA256SUMS must be next to the archive. --name petstore-staging selects a second deployment on this machine. If anything fails, the version
# that ran before runs again, one line gives the reason, and the exit code is 1. Without an archive, install uses the folder /opt/petstore.
set -eu
umask 022

# Ends the setup; `finish` undoes it and prints the reason.
fail() {
  reason=$1
  exit 1
}

usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}

# Readies a version: verifies its archive, unpacks it under another name and tries it. Sets $new, the name of its folder in /opt.
unpack() {
  [ -f "$1" ] || fail "$1 is missing."
  archive=$(basename "$1")
  new=${archive%.tar.gz}
  case $archive in petstore-*-linux-*.tar.gz) ;; *) fail "$archive must be named petstore-VERSION-linux-x64.tar.gz." ;; esac
  sums=$(dirname "$1")/SHA256SUMS
  [ -f "$sums" ] || fail "$sums is missing; download it together with the archive."
  expected=$(awk -v file="$archive" '{ sub(/^\*/, "", $2) } NF == 2 && $2 == file { print $1 }' "$sums")
  [ -n "$expected" ] || fail "$sums does not list $archive."
  [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$expected" ] ||
    fail "$archive does not have the checksum in $sums. Download both again."
  if is_used "$new"; then return; fi
  work=$(mktemp -d /opt/.petstore-XXXXXX)
  said=$(tar --no-same-owner -xzf "$1" -C "$work" 2>&1) ||
    fail "$archive cannot be unpacked into /opt, which has $(df -h --output=avail /opt | tail -n 1 | tr -d ' ') free: $(echo "$said" | head -n 1)"
  [ -x "$work/$new/petstore" ] || fail "$archive does not contain $new/petstore."
  said=$("$work/$new/petstore" version 2>&1) || fail "$new does not run on this machine: $(echo "$said" | head -n 1)"
  # Unpacked earlier, but never used.
  rm -rf "/opt/$new"
  mv "$work/$new" "/opt/$new"
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
  ln -s "$2" "/opt/.$1.$$"
  mv -T "/opt/.$1.$$" "/opt/$1"
}

setting() {
  sed -n "s/^ *$1=//p" "/etc/$name/$name.env" | tail -n 1
}

# Starts the service, and waits until it is ready. Its certificate may be for another name.
start() {
  systemctl start "$name" || return 1
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
    ' "${PETSTORE_SETUP_WAIT:-30}"
}

# Runs at the end. After a failure, the version and the store are those from before, and one line gives the reason.
finish() {
  status=$?
  trap - EXIT
  trap '' INT TERM HUP
  [ -z "$work" ] || rm -rf "$work"
  rm -f "/opt/.$name.$$" "/opt/.$name.previous.$$"
  [ -z "$old" ] || go_back
  [ -z "$reason" ] || echo "error: $reason" >&2
  exit "$status"
}

go_back() {
  systemctl stop "$name" || true
  point "$name" "$old"
  reason="$reason $old runs again."
  if [ -n "$backup" ] && ! "$command" account list >/dev/null 2>&1; then
    # The new version has upgraded the store, which is kept next to the restored one.
    if "$command" restore "$backup" --force >/dev/null; then
      reason="$reason Its store is the backup from before the upgrade."
    else
      reason="$reason Its store must be restored from $backup."
    fi
  fi
  start || reason="$reason It is not ready: see journalctl --unit $name."
}

# Stops the service and runs the version $new instead.
switch() {
  old=$(readlink "/opt/$name")
  systemctl stop "$name" || fail "$name cannot be stopped."
  if [ "$1" = upgrade ] && [ -z "$(setting PETSTORE_DATABASE_URL)" ]; then
    file=/var/backups/$name/before-$new.db
    said=$("$command" backup "$file" --force 2>&1) || fail "The backup before the upgrade failed. ${said#error: }"
    backup=$file
  fi
  point "$name" "$new"
  if [ -n "$restored" ]; then
    "$command" restore "$restored" --force || fail "$restored cannot be restored."
  elif [ "$1" = rollback ]; then
    said=$("$command" account list 2>&1) || fail "$new cannot open the store; --restore BACKUP goes back to a backup. ${said#error: }"
  fi
  start || fail "$new is not ready after ${PETSTORE_SETUP_WAIT:-30} seconds."
  point "$name.previous" "$old"
  old=
  echo "$name now runs $new."
}

# @param $1 the folder with the program
install_service() {
  [ -x "$1/petstore" ] || fail "$1/petstore is missing."
  id "$name" >/dev/null 2>&1 ||
    useradd --system --user-group --home-dir "/var/lib/$name" --shell /usr/sbin/nologin "$name"
  install -d -m 0750 -g "$name" "/etc/$name"
  if [ ! -e "/etc/$name/$name.env" ]; then
    install -m 0640 -g "$name" /dev/null "/etc/$name/$name.env"
    echo "PETSTORE_DATA=/var/lib/$name" >"/etc/$name/$name.env"
  fi
  install -d -m 0700 -o "$name" -g "$name" "/var/lib/$name" "/var/cache/$name" "/var/backups/$name"
  install "$1/deploy/systemd/petstore" "$command"
  for unit in .service -backup.service -backup.timer; do
    sed "s/petstore/$name/g" "$1/deploy/systemd/petstore$unit" >"/etc/systemd/system/$name$unit"
  done
  systemctl daemon-reload
}

name=petstore given='' restored='' old='' backup='' work='' reason=''
[ $# -gt 0 ] || usage
action=$1
shift
while [ $# -gt 0 ]; do
  case $1 in
    --name) [ $# -gt 1 ] || usage; name=$2; shift ;;
    --restore) [ $# -gt 1 ] || usage; restored=$2; shift ;;
    -*) usage ;;
    *) [ -z "$given" ] || usage; given=$1 ;;
  esac
  shift
done
command=/usr/local/bin/$name
trap finish EXIT
trap 'reason=Interrupted.; exit 130' INT TERM HUP
case $name in
  *[!a-z0-9-]*) fail "--name must consist of a to z, 0 to 9 and -." ;;
  petstore | petstore-?*) ;;
  *) fail "--name must be petstore, or begin with petstore-, such as petstore-staging." ;;
esac
[ "$(id -u)" -eq 0 ] || fail "Run this as root."
exec 9>/run/petstore-setup.lock
flock --nonblock 9 || fail "Another setup is running."

case $action in
  install)
    if [ -n "$given" ]; then
      [ ! -e "/opt/$name" ] || fail "/opt/$name already exists. To change the version, use upgrade."
      unpack "$given"
      install_service "/opt/$new"
      point "$name" "$new"
    else
      install_service "/opt/$name"
    fi
    echo "$name is installed. Write its settings to /etc/$name/$name.env."
    ;;
  upgrade)
    [ -n "$given" ] || usage
    [ -L "/opt/$name" ] || fail "/opt/$name is not a link to a version. To install one, use install."
    unpack "$given"
    [ "$(readlink "/opt/$name")" != "$new" ] || fail "$new already runs."
    switch upgrade
    diff --recursive --brief "/opt/$name.previous/deploy/systemd" "/opt/$name/deploy/systemd" ||
      echo "The files of systemd have changed; to use the new ones: sh /opt/$name/deploy/systemd/setup.sh install --name $name"
    ;;
  rollback)
    [ -z "$given" ] || usage
    [ -L "/opt/$name.previous" ] || fail "No earlier version is known."
    new=$(readlink "/opt/$name.previous")
    [ -x "/opt/$new/petstore" ] || fail "/opt/$new is missing."
    switch rollback
    ;;
  *) usage ;;
esac
