# Sourced by the scripts beside it: builds postern, and starts a gateway that ends with the script, however it ends.

# Installs what is missing, builds, and sets $postern and $scratch.
prepare() {
  command -v swift >/dev/null || {
    echo "$0: swift 6.3 is not on the PATH; see https://www.swift.org/install" >&2
    exit 1
  }
  Deploy/install-packages build
  # Sockets are descriptors: as many as the system lets this shell and its children have.
  ulimit -n "$(ulimit -Hn)"
  swift build -c release --product postern
  postern="$(swift build -c release --show-bin-path)/postern"
  scratch="$(mktemp -d)"
  gateway=
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

clean_up() {
  if [ -n "$gateway" ]; then
    kill -TERM "$gateway" 2>/dev/null || true
    # A second signal cuts the drain short.
    kill -TERM "$gateway" 2>/dev/null || true
    wait "$gateway" 2>/dev/null || true
  fi
  rm -rf "$scratch"
}

# Starts a gateway on free loopback ports with the flags given; sets $url and $control.
start_gateway() {
  "$postern" serve --host 127.0.0.1 --port 0 --control-port 0 --drain-window 0 "$@" \
    >"$scratch/ready" 2>"$scratch/log" &
  gateway=$!
  for _ in $(seq 100); do
    [ -s "$scratch/ready" ] && break
    kill -0 "$gateway" 2>/dev/null || break
    sleep 0.1
  done
  url="$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$scratch/ready")"
  control="$(sed -n 's/.*"control_url":"\([^"]*\)".*/\1/p' "$scratch/ready")"
  if [ -z "$url" ] || [ -z "$control" ]; then
    echo "$0: the gateway did not start:" >&2
    cat "$scratch/log" >&2
    exit 1
  fi
}
