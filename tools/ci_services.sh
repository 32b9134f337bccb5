#!/bin/sh
# Installs what the tests need besides Python packages. Asks for nothing and starts nothing that
# outlives the machine; run as root it may install packages of the system.
set -eu
PATH=$PATH:/usr/local/bin

if ! command -v git >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get update -qq && apt-get install -y -qq git >/dev/null
    else
        echo "error: the tests need git; install it" >&2
        exit 2
    fi
fi
git --version

# The program alone: the package would start a daemon.
if ! command -v prometheus-alertmanager >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
        (
            cd "$folder"
            apt-get update -qq
            apt-get -o APT::Sandbox::User=root download -qq prometheus-alertmanager
            dpkg-deb -x ./*.deb .
            mkdir -p /usr/share/prometheus
            cp -RL usr/share/prometheus/alertmanager /usr/share/prometheus/
            install -m 755 usr/bin/prometheus-alertmanager /usr/local/bin/
        )
    else
        echo "error: the tests need prometheus-alertmanager (Debian's package); install it" >&2
        exit 2
    fi
fi
prometheus-alertmanager --version 2>&1 | head -n 1
