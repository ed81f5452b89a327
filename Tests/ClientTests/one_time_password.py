"""An authenticator app (RFC 6238), without the gateway's code."""

import base64
import hashlib
import hmac
import struct
import time


def totp(secret, ahead=0):
    """Returns the code of the present step of 30 seconds, or of a later one."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.digest(key, struct.pack(">Q", int(time.time()) // 30 + ahead), hashlib.sha1)
    offset = digest[19] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 10**6:06}"
