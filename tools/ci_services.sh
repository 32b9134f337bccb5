#!/bin/sh
# Installs what the tests need besides Python packages. Asks for nothing and starts nothing that
# outlives the machine; run as root it may install packages of the system.
set -eu

if ! command -v git >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get update -qq && apt-get install -y -qq git >/dev/null
    else
        echo "error: the tests need git; install it" >&2
        exit 2
    fi
fi
git --version
