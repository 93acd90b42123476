# Prints the nonces after a counter, for a shell that cannot compute them: `<key> <key> <counter> <how many>` on
# standard input.
read -r __nacre_k0 __nacre_k1 __nacre_n __nacre_left
. "${0%/*}/siphash.sh"
while [ "$__nacre_left" -gt 0 ]; do
  echo "$(($__nacre_mac)).$__nacre_h0.$__nacre_h1"
  __nacre_left=$((__nacre_left - 1))
done
