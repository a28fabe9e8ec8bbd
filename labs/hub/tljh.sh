#!/bin/sh
# What tljh.yaml holds, set one by one: what else is configured on a hub stays.   sudo sh labs/hub/tljh.sh
set -eu
tljh-config add-item users.admin teacher
tljh-config set auth.type firstuseauthenticator.FirstUseAuthenticator
tljh-config set auth.FirstUseAuthenticator.create_users false
tljh-config set limits.memory 2G
tljh-config set limits.cpu 2
tljh-config set user_environment.default_app jupyterlab
tljh-config set services.cull.enabled true
tljh-config set services.cull.timeout 3600
tljh-config set services.cull.every 300
