# shellcheck shell=bash
# Bare systems to try things in, for scripts that have set $root, the sources, and $scratch, a folder that ends with them, and
# that run in a namespace of mounts of their own.

# `bare CODENAME`: the bare system of a release, made once, which nobody changes; prints where it is.
bare() {
  local base="$root/.build/chroots/$1"
  if [ ! -d "$base" ]; then
    rm -rf "$base.new"
    mkdir -p "$root/.build/chroots"
    debootstrap --variant=minbase "$1" "$base.new" >"$scratch/debootstrap" 2>&1 \
      || { tail -5 "$scratch/debootstrap" >&2; complain "no bare $1"; }
    mv "$base.new" "$base"
  fi
  echo "$base"
}

# Fixes of security too, as an installed system has them, and every image of Debian's.
security_of() { echo "deb http://deb.debian.org/debian-security $1-security main"; }

# `tree CODENAME NAME`: a copy of that for somebody to use, with what programs expect of a system; prints where it is.
tree() {
  local base copy="$scratch/$2"
  base="$(bare "$1")"
  cp -a --reflink=auto "$base" "$copy"
  cp -L /etc/resolv.conf "$copy/etc/resolv.conf"
  printf '127.0.0.1 localhost\n::1 localhost\n' >"$copy/etc/hosts"
  mount -t proc proc "$copy/proc"
  # What apt fetches is there the next time.
  mkdir -p "$root/.build/chroots/archives-$1/partial"
  mount --bind "$root/.build/chroots/archives-$1" "$copy/var/cache/apt/archives"
  local device
  for device in null zero random urandom; do
    touch "$copy/dev/$device"
    mount --bind "/dev/$device" "$copy/dev/$device"
  done
  security_of "$1" >"$copy/etc/apt/sources.list.d/security.list"
  echo 'Acquire::Languages "none";' >"$copy/etc/apt/apt.conf.d/99tests"
  # Nobody minds if it is lost with the machine.
  echo force-unsafe-io >"$copy/etc/dpkg/dpkg.cfg.d/tests"
  in_tree "$copy" apt-get -q update >"$scratch/apt" 2>&1 || { cat "$scratch/apt" >&2; complain "apt-get update"; }
  echo "$copy"
}

in_tree() {
  local tree="$1"
  shift
  chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/nonexistent LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}

apt() {
  local tree="$1"
  shift
  in_tree "$tree" apt-get -q -y --no-install-recommends "$@" >"$scratch/apt" 2>&1 \
    || { cat "$scratch/apt" >&2; complain "apt-get $*"; }
}

# The folder that Swift's archive was unpacked in.
swift_of_this_machine() { realpath "$(dirname "$(realpath "$(command -v swift)")")/../.."; }

# `with_swift TREE`: the sources, as /postern, and this machine's Swift in it.
with_swift() {
  local swift
  swift="$(swift_of_this_machine)"
  mkdir -p "$1/opt/swift" "$1/postern"
  mount --bind -o ro "$swift" "$1/opt/swift"
  mount --bind "$root" "$1/postern"
  mount --rbind /dev "$1/dev"
  apt "$1" install git ca-certificates
}

in_tree_with_swift() {
  local tree="$1"
  shift
  in_tree "$tree" env PATH=/opt/swift/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp \
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=/postern "$@"
}
