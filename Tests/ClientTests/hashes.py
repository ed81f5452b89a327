"""Password hashes of other software and the parameters to import each of them."""

import base64
import hashlib
import hmac

import argon2
import bcrypt
import passlib.hash
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from firebase_admin import auth

# The key of Firebase's scrypt and of the HMAC algorithms.
SIGNER_KEY = bytes(range(64))
SEPARATOR = b"\x07"
SALT = b"NaCl, not sugar"


def firebase_scrypt(password, salt=SALT, rounds=8, memory_cost=12):
    """Hashes with Firebase's variant of scrypt: encrypts the signer key with a key derived from the password."""
    derived = hashlib.scrypt(
        password.encode(), salt=salt + SEPARATOR, n=2**memory_cost, r=rounds, p=1, dklen=64, maxmem=2**28)
    return Cipher(algorithms.AES(derived[:32]), modes.CTR(bytes(16))).encryptor().update(SIGNER_KEY)


def hmac_of(name):
    """Returns a function that hashes a password with HMAC and the digest algorithm `name`."""
    return lambda password: hmac.new(SIGNER_KEY, password.encode() + SALT, name).digest()


def digest_of(name, rounds=1):
    """Returns a function that hashes a password with the digest algorithm `name`, applied `rounds` times."""
    def hashed(password):
        digest = SALT + password.encode()
        for _ in range(rounds):
            digest = hashlib.new(name, digest).digest()
        return digest

    return hashed


# For every algorithm that firebase-admin can import: its parameters, and a function that hashes a password.
ADMIN_HASHES = {
    "scrypt": (
        auth.UserImportHash.scrypt(SIGNER_KEY, rounds=8, memory_cost=12, salt_separator=SEPARATOR), firebase_scrypt),
    "standard_scrypt": (
        auth.UserImportHash.standard_scrypt(
            memory_cost=1024, parallelization=16, block_size=8, derived_key_length=64),
        lambda password: hashlib.scrypt(password.encode(), salt=SALT, n=1024, r=8, p=16, dklen=64)),
    "bcrypt": (auth.UserImportHash.bcrypt(), lambda password: bcrypt.hashpw(password.encode(), bcrypt.gensalt(5))),
    "pbkdf2_sha256": (
        auth.UserImportHash.pbkdf2_sha256(100_000),
        lambda password: hashlib.pbkdf2_hmac("sha256", password.encode(), SALT, 100_000, 64)),
    "pbkdf_sha1": (
        auth.UserImportHash.pbkdf_sha1(1000),
        lambda password: hashlib.pbkdf2_hmac("sha1", password.encode(), SALT, 1000)),
    "hmac_sha512": (auth.UserImportHash.hmac_sha512(SIGNER_KEY), hmac_of("sha512")),
    "hmac_sha256": (auth.UserImportHash.hmac_sha256(SIGNER_KEY), hmac_of("sha256")),
    "hmac_sha1": (auth.UserImportHash.hmac_sha1(SIGNER_KEY), hmac_of("sha1")),
    "hmac_md5": (auth.UserImportHash.hmac_md5(SIGNER_KEY), hmac_of("md5")),
    "sha512": (auth.UserImportHash.sha512(20), digest_of("sha512", 20)),
    "sha256": (auth.UserImportHash.sha256(1), digest_of("sha256")),
    "sha1": (auth.UserImportHash.sha1(2), digest_of("sha1", 2)),
    # Firebase expects the hexadecimal digits of an MD5 digest, not its bytes.
    "md5": (auth.UserImportHash.md5(0), lambda password: digest_of("md5")(password).hex().encode()),
}

# For every format whose strings contain algorithm, parameters and salt: a function that hashes a password.
SELF_DESCRIBING_HASHES = {
    "argon2id": argon2.PasswordHasher(time_cost=2, memory_cost=4096, parallelism=4).hash,
    "argon2i": argon2.PasswordHasher(time_cost=3, memory_cost=1024, parallelism=1, type=argon2.Type.I).hash,
    "bcrypt": lambda password: bcrypt.hashpw(password.encode(), bcrypt.gensalt(5)).decode(),
    "bcrypt $2a$": lambda password: bcrypt.hashpw(password.encode(), bcrypt.gensalt(5, prefix=b"2a")).decode(),
    "sha256_crypt": passlib.hash.sha256_crypt.using(rounds=2000).hash,
    "sha512_crypt": passlib.hash.sha512_crypt.hash,
}


def as_base64(value):
    return base64.b64encode(value.encode() if isinstance(value, str) else value).decode()
