"""An authenticator in software: a device with passkeys, and the browser in front of it (WebAuthn Level 3).

The formats are those of the package `fido2`, and none of the gateway's code is used.
"""

import base64
import os
import secrets
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2.cose import ES256, RS256, EdDSA
from fido2.utils import sha256
from fido2.webauthn import (
    Aaguid, AttestationObject, AttestedCredentialData, AuthenticationResponse, AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse, AuthenticatorData, CollectedClientData, PublicKeyCredentialCreationOptions,
    PublicKeyCredentialRequestOptions, RegistrationResponse)
from webauthn import verify_authentication_response, verify_registration_response

from client import ok_body

FLAG = AuthenticatorData.FLAG
# By COSE algorithm: creates a key, and signs with it.
KEYS = {
    ES256: (lambda: ec.generate_private_key(ec.SECP256R1()),
            lambda key, data: key.sign(data, ec.ECDSA(hashes.SHA256()))),
    RS256: (lambda: rsa.generate_private_key(65537, 2048),
            lambda key, data: key.sign(data, padding.PKCS1v15(), hashes.SHA256())),
    EdDSA: (ed25519.Ed25519PrivateKey.generate, lambda key, data: key.sign(data)),
}


@dataclass
class Passkey:
    id: bytes
    rp_id: str
    user_handle: bytes
    algorithm: type
    key: object
    counter: int = 0


@dataclass
class Authenticator:
    """Creates passkeys with keys of `algorithm` for pages of `origin`."""

    algorithm: type = ES256
    origin: str = "http://localhost:3000"
    verifies_user: bool = True
    passkeys: list[Passkey] = field(default_factory=list)

    @property
    def flags(self):
        return FLAG.UP | FLAG.UV if self.verifies_user else FLAG.UP

    def create(self, options):
        """`navigator.credentials.create()`: returns the response, in JSON, to options in JSON."""
        options = PublicKeyCredentialCreationOptions.from_dict(options)
        assert self.algorithm.ALGORITHM in [parameter.alg for parameter in options.pub_key_cred_params]
        passkey = Passkey(
            os.urandom(32), options.rp.id, options.user.id, self.algorithm, KEYS[self.algorithm][0]())
        excluded = [descriptor.id for descriptor in options.exclude_credentials or []]
        assert not any(known.id in excluded for known in self.passkeys), "InvalidStateError"
        # A discoverable passkey replaces that of the same account.
        self.passkeys = [
            known for known in self.passkeys
            if (known.rp_id, known.user_handle) != (passkey.rp_id, passkey.user_handle)] + [passkey]
        public_key = self.algorithm.from_cryptography_key(passkey.key.public_key())
        data = AuthenticatorData.create(
            options.rp.id_hash, self.flags | FLAG.AT, passkey.counter,
            AttestedCredentialData.create(Aaguid(bytes(16)), passkey.id, public_key))
        return dict(RegistrationResponse(
            raw_id=passkey.id, response=AuthenticatorAttestationResponse(
                client_data=CollectedClientData.create(
                    CollectedClientData.TYPE.CREATE, options.challenge, self.origin),
                attestation_object=AttestationObject.create("none", data, {}))))

    def get(self, options):
        """`navigator.credentials.get()`: returns the response, in JSON, of the passkey that was created last."""
        options = PublicKeyCredentialRequestOptions.from_dict(options)
        passkey = [known for known in self.passkeys if known.rp_id == options.rp_id][-1]
        passkey.counter += secrets.randbelow(5) + 1
        client_data = CollectedClientData.create(CollectedClientData.TYPE.GET, options.challenge, self.origin)
        data = AuthenticatorData.create(sha256(passkey.rp_id.encode()), self.flags, passkey.counter)
        signature = KEYS[passkey.algorithm][1](passkey.key, data + client_data.hash)
        return dict(AuthenticationResponse(
            raw_id=passkey.id, response=AuthenticatorAssertionResponse(
                client_data=client_data, authenticator_data=data, signature=signature,
                user_handle=passkey.user_handle)))


class Ceremonies:
    """Performs ceremonies with an authenticator. What the gateway accepts, `webauthn` must accept too."""

    def __init__(self, client, authenticator):
        self.client = client
        self.authenticator = authenticator
        self.public_key = None
        self.counter = 0

    def register(self, operation, start, more):
        options = ok_body(self.client.call(f"start{operation}", start))["credentialCreationOptions"]
        response = self.authenticator.create(options)
        verified = verify_registration_response(
            credential=response, expected_challenge=base64.b64decode(options["challenge"]),
            expected_rp_id=options["rp"]["id"], expected_origin=self.authenticator.origin,
            require_user_verification=True)
        self.public_key, self.counter = verified.credential_public_key, verified.sign_count
        return ok_body(self.client.call(
            f"finalize{operation}", {**more, "authenticatorRegistrationResponse": response}))

    def enroll(self, session, name="Software"):
        body = {"idToken": session["idToken"]}
        return self.register("PasskeyEnrollment", body, body | {"name": name})

    def sign_up(self, **profile):
        return self.register("PasskeySignUp", profile, profile)

    def assertion(self):
        """The response to the options of a new sign-in."""
        options = ok_body(self.client.call("startPasskeySignIn", {}))["credentialRequestOptions"]
        response = self.authenticator.get(options)
        self.counter = self.verify(response, options).new_sign_count
        return response

    def verify(self, response, options):
        return verify_authentication_response(
            credential=response, expected_challenge=base64.b64decode(options["challenge"]),
            expected_rp_id=options["rpId"], expected_origin=self.authenticator.origin,
            credential_public_key=self.public_key, credential_current_sign_count=self.counter,
            require_user_verification=True)

    def finalize(self, response):
        return self.client.call("finalizePasskeySignIn", {"authenticatorAuthenticationResponse": response})

    def sign_in(self):
        return ok_body(self.finalize(self.assertion()))
