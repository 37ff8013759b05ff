# shellcheck shell=bash
# Images where no registry is asked, for scripts that have what trees.sh wants, and that.

# `keep_images NAME`: sets $storage, buildah's flags for a place of their own, which ends with $scratch.
keep_images() { storage=(--root "$scratch/images-$1" --runroot "$scratch/images-$1-run" --storage-driver vfs); }

build_image() { buildah "${storage[@]}" bud -q --isolation chroot --pull-never "$@" >"$scratch/bud" 2>&1; }

# `base_image CODENAME`: the bare system of a release, under the name that Deploy/image/Dockerfile gives its base.
base_image() {
  local context="$scratch/base-$1"
  mkdir "$context"
  security_of "$1" >"$context/security.list"
  tar -C "$(bare "$1")" -cpf "$context/base.tar" .
  printf 'FROM scratch\nADD base.tar /\nCOPY security.list /etc/apt/sources.list.d/\nCMD ["bash"]\n' >"$context/Dockerfile"
  build_image -t "docker.io/library/debian:$1-slim" "$context" || { cat "$scratch/bud" >&2; complain "no base"; }
  rm -r "$context"
}

# A container of the image postern; prints its name.
container_of_postern() { buildah "${storage[@]}" from --pull-never --ulimit nofile=10256:10256 postern; }

# `say_size CONTAINER`: what is in it, in all.
say_size() { echo "   $(du -sx --block-size=1MB "$(buildah "${storage[@]}" mount "$1")" | cut -f 1) MB in the image"; }
