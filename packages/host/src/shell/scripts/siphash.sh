# The nonce of a marker: SipHash-2-4 with 128 bits over the counter, as one arithmetic expression that bash, zsh and
# dash evaluate in the shell itself, in prompts too. `__nacre_mac` increments __nacre_n, leaves the hash in __nacre_h0
# and __nacre_h1, clears the state, which would reveal the key, and evaluates to the counter. dash has no comma
# operator, so terms are added, each times zero; in zsh `|` and `^` bind tighter than elsewhere, hence the parentheses.

__nacre_r='(__nv0=__nv0+__nv1)*0'
__nacre_r="$__nacre_r+(__nv1=((__nv1<<13)|((__nv1>>51)&8191))^__nv0)*0"
__nacre_r="$__nacre_r+(__nv0=(__nv0<<32)|((__nv0>>32)&4294967295))*0"
__nacre_r="$__nacre_r+(__nv2=__nv2+__nv3)*0"
__nacre_r="$__nacre_r+(__nv3=((__nv3<<16)|((__nv3>>48)&65535))^__nv2)*0"
__nacre_r="$__nacre_r+(__nv0=__nv0+__nv3)*0"
__nacre_r="$__nacre_r+(__nv3=((__nv3<<21)|((__nv3>>43)&2097151))^__nv0)*0"
__nacre_r="$__nacre_r+(__nv2=__nv2+__nv1)*0"
__nacre_r="$__nacre_r+(__nv1=((__nv1<<17)|((__nv1>>47)&131071))^__nv2)*0"
__nacre_r="$__nacre_r+(__nv2=(__nv2<<32)|((__nv2>>32)&4294967295))*0"

# The key and the constants; two rounds for the counter and two for its length in bytes; four for each half of the hash.
__nacre_mac='(__nacre_n=__nacre_n+1)*0+(__nv0=__nacre_k0^8317987319222330741)*0'
__nacre_mac="$__nacre_mac+(__nv1=__nacre_k1^7237128888997146499)*0"
__nacre_mac="$__nacre_mac+(__nv2=__nacre_k0^7816392313619706465)*0"
__nacre_mac="$__nacre_mac+(__nv3=(__nacre_k1^8387220255154660723)^__nacre_n)*0"
__nacre_mac="$__nacre_mac+$__nacre_r+$__nacre_r+(__nv0=__nv0^__nacre_n)*0"
__nacre_mac="$__nacre_mac+(__nv3=__nv3^576460752303423488)*0+$__nacre_r+$__nacre_r"
__nacre_mac="$__nacre_mac+(__nv0=__nv0^576460752303423488)*0+(__nv2=__nv2^238)*0"
__nacre_mac="$__nacre_mac+$__nacre_r+$__nacre_r+$__nacre_r+$__nacre_r"
__nacre_mac="$__nacre_mac+(__nacre_h0=(__nv0^__nv1)^(__nv2^__nv3))*0+(__nv1=__nv1^221)*0"
__nacre_mac="$__nacre_mac+$__nacre_r+$__nacre_r+$__nacre_r+$__nacre_r"
__nacre_mac="$__nacre_mac+(__nacre_h1=(__nv0^__nv1)^(__nv2^__nv3))*0"
__nacre_mac="$__nacre_mac+(__nv0=__nv1=__nv2=__nv3=0)+__nacre_n"
unset __nacre_r
