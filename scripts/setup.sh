# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by demo.sh and test.sh: installs what the build needs, configures and builds. Running it again does only what is
# left to do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  cmake ninja-build make clang-22 g++ ccache python3 # build; make is what CMake takes for projects of users
  llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools # compiler; FileCheck and lit are in llvm-22-tools
  libzstd-dev zlib1g-dev                             # which LLVM's CMake files look for
  nlohmann-json3-dev libcli11-dev libfmt-dev libxxhash-dev libboost1.81-dev libboost-context1.81-dev
  libgtest-dev valgrind                              # tests
)

say() { printf '\n== %s\n' "$*"; }
stop() {
  printf '%s\n' "$@" >&2
  exit 2
}

install_packages() {
  local missing=() package root=()
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local system=""
  [ -r /etc/os-release ] && system=$(. /etc/os-release && printf '%s %s' "${ID:-}" "${VERSION_ID:-}")
  if [ "$system" != "debian 12" ]; then
    stop "This script installs packages on Debian 12 only; this is '${system:-another system}'." \
      "Install what these packages hold, LLVM and MLIR 22.1 among them, then configure with CMake:" \
      "  ${missing[*]}" \
      "  cmake --preset release -DMLIR_DIR=<where MLIRConfig.cmake is>"
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if sudo -n true 2>/dev/null; then
      root=(sudo)
    else
      stop "Packages are missing and only root can install them:" \
        "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" "Then run this script again."
    fi
  fi
  say "installing Debian packages: ${missing[*]}"
  "${root[@]}" apt-get update -q
  local policy # read as a whole: a pipe that grep -q closes early would count as a failure
  policy=$(LC_ALL=C apt-cache policy llvm-22-dev)
  if [[ $policy != *"Candidate: 1:22"* ]]; then
    stop "No package llvm-22-dev: it comes from Debian's security archive. Add to /etc/apt/sources.list" \
      "  deb http://deb.debian.org/debian-security bookworm-security main" "and run this script again."
  fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# build PRESET [TARGET...]: configures and builds; all targets if none is named.
build() {
  local preset=$1 target targets=()
  shift
  for target in "$@"; do targets+=(--target "$target"); done
  say "configuring (preset $preset)"
  # Clang takes two thirds of g++'s time for MLIR's headers. A folder that has been configured keeps its compiler.
  CC=${CC:-clang-22} CXX=${CXX:-clang++-22} cmake --preset "$preset"
  say "building"
  cmake --build --preset "$preset" "${targets[@]}"
}
