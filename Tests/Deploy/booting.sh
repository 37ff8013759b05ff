# shellcheck shell=bash
# A package under a systemd that is really booted, for Tests/Deploy/run: what it has set, and what trees.sh has.

# `group_of SCRATCH`: where the cgroup is that a machine of that scratch folder runs in, beside all others; nothing, where this
# machine has no cgroups of version 2.
group_of() {
  local top
  top="$(findmnt -n -t cgroup2 -o TARGET | head -n 1)"
  [ -z "$top" ] || echo "$top/$(basename "$1")"
}

# `remove_group SCRATCH`: it, and those that systemd has made in it, whose processes have ended or are about to.
remove_group() {
  local group give_up=$((SECONDS + 10))
  group="$(group_of "$1")"
  while [ -d "${group:-/nonexistent}" ] && ! find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && [ $SECONDS -lt $give_up ]; do
    sleep 0.1
  done
}

# Says why nothing can be booted here; says nothing, and has made the cgroup, where it can.
no_booting() {
  local group
  group="$(group_of "$scratch")"
  if ! unshare --cgroup --ipc --mount --net --pid --uts --fork true 2>/dev/null; then
    echo "this kernel lets nobody have namespaces of his own"
  elif [ -z "$group" ]; then
    echo "this machine has no cgroups of version 2"
  elif ! mkdir "$group" 2>/dev/null; then
    echo "nobody may make a cgroup in $(dirname "$group")"
  fi
}

# `try_booted 12`: the machine is a copy of the bare system with the package in it.
try_booted() {
  local first later system why
  echo "== Debian $1: the package under systemd"
  why="$(no_booting)"
  if [ -n "$why" ]; then
    echo "   not tried: $why"
    return
  fi
  { read -r first && read -r later; } <"$scratch/built"
  system="$(tree "${codenames[$1]}" "booted-$1")"
  apt "$system" install systemd
  # Whoever boots empties /tmp.
  cp "$first" "$later" "$system/opt/"
  apt "$system" install "/opt/$(basename "$first")"
  "$here/booted.py" "$system" "/opt/$(basename "$later")" "$(group_of "$scratch")" || complain "the package under systemd in Debian $1"
  remove_group "$scratch"
}
