# A place for a hub, in a mount namespace of its own: accounts, homes and /srv/exchange are the test's, and nothing of root's but Python is seen.   stage.sh FOLDER PYTHON COMMAND...
set -euo pipefail
folder=$1 python=$2
shift 2
case $python in
  /root/*)
    mkdir -p "$folder/python"
    mount --bind "$python" "$folder/python"
    mount -t tmpfs -o mode=755 tmpfs /root
    mkdir -p "$python"
    mount --move "$folder/python" "$python"
    ;;
esac
mount -t tmpfs -o mode=755 tmpfs /srv
install --directory --mode=0777 /srv/exchange
for each in passwd group; do
  mount --bind "$folder/$each" "/etc/$each"
done
exec "$@"
