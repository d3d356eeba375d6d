import { constants } from 'node:crypto'
import type { TlsOptions } from 'node:tls'

/**
 * How the listeners speak TLS. Mozilla's "intermediate" profile: all clients since about 2014. Finite-field key exchange is excluded, because it
 * costs the server most.
 */
export const LISTENER_SETTINGS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  honorCipherOrder: true,
  ecdhCurve: 'X25519MLKEM768:X25519:prime256v1:secp384r1',
  // A client could otherwise keep the CPU busy with repeated handshakes on the same connection.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const satisfies TlsOptions
