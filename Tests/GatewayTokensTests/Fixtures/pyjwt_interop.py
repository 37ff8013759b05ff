#!/usr/bin/env python3
"""Two implementations, one token: PyJWT and Postern.

    pyjwt_interop.py make               writes the keys in keys/ and the tokens in pyjwt.json, made by PyJWT
    pyjwt_interop.py check <postern>    mints with `postern token mint`, verifies with PyJWT, and the other way round

Needs `PyJWT[crypto]` from PyPI. The keys are for tests alone: anybody can read them here.
"""

import datetime
import json
import pathlib
import subprocess
import sys

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID

HERE = pathlib.Path(__file__).parent
KEYS = HERE / "keys"

# Which key signs by which algorithm; hmac-N is a secret of N bytes.
ALGORITHMS = {
    "HS256": "hmac-32", "HS384": "hmac-48", "HS512": "hmac-64",
    "RS256": "rsa2048", "RS384": "rsa2048", "RS512": "rsa2048",
    "PS256": "rsa2048", "PS384": "rsa2048", "PS512": "rsa2048",
    "ES256": "p256", "ES384": "p384", "EdDSA": "ed25519",
}
CLAIMS = {"user_id": "ann", "iat": 1700000000, "exp": 4102444800, "iss": "pyjwt", "name": "Ännchen \"A\" 👋"}


def private(key, password=None, form=serialization.PrivateFormat.PKCS8):
    cipher = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, cipher)


def public(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def certificate(key):
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "postern tests")])
    start = datetime.datetime(2020, 1, 1)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(start).not_valid_after(start + datetime.timedelta(days=36500))
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def make_keys():
    KEYS.mkdir(exist_ok=True)
    for size in (32, 48, 64):
        (KEYS / f"hmac-{size}").write_bytes(bytes(range(1, size + 1)))
    traditional = serialization.PrivateFormat.TraditionalOpenSSL
    pairs = {
        "rsa2048": rsa.generate_private_key(65537, 2048),
        "other-rsa2048": rsa.generate_private_key(65537, 2048),
        "p256": ec.generate_private_key(ec.SECP256R1()),
        "p384": ec.generate_private_key(ec.SECP384R1()),
        "ed25519": ed25519.Ed25519PrivateKey.generate(),
        "weak-rsa1024": rsa.generate_private_key(65537, 1024),
        "unsupported-p521": ec.generate_private_key(ec.SECP521R1()),
        "unsupported-secp256k1": ec.generate_private_key(ec.SECP256K1()),
    }
    for name, key in pairs.items():
        (KEYS / f"{name}.pem").write_bytes(private(key))
        (KEYS / f"{name}.pub.pem").write_bytes(public(key))
    (KEYS / "rsa2048.crt.pem").write_bytes(certificate(pairs["rsa2048"]))
    (KEYS / "rsa2048.pkcs1.pem").write_bytes(private(pairs["rsa2048"], form=traditional))
    (KEYS / "p256.sec1.pem").write_bytes(private(pairs["p256"], form=traditional))
    (KEYS / "rsa2048.encrypted.pem").write_bytes(private(pairs["rsa2048"], password=b"secret"))
    write_jwks(pairs)


def write_jwks(pairs):
    algorithms = jwt.algorithms.get_default_algorithms()
    use = {"rsa2048": "RS256", "p256": "ES256", "p384": "ES384", "ed25519": "EdDSA"}
    for suffix, pick in (("public", lambda key: key.public_key()), ("private", lambda key: key)):
        keys = []
        for name, algorithm in use.items():
            jwk = json.loads(algorithms[algorithm].to_jwk(pick(pairs[name])))
            jwk.pop("key_ops", None)
            keys.append({"kid": name, **jwk})
        (KEYS / f"jwks.{suffix}.json").write_text(json.dumps({"keys": keys}, indent=1) + "\n")


def make_tokens():
    tokens = []
    for algorithm, key in ALGORITHMS.items():
        path = KEYS / (key if key.startswith("hmac") else f"{key}.pem")
        token = jwt.encode(CLAIMS, path.read_bytes(), algorithm=algorithm, headers={"kid": key})
        tokens.append({"alg": algorithm, "key": key, "token": token})
    text = json.dumps({"claims": CLAIMS, "tokens": tokens}, indent=1) + "\n"
    (HERE / "pyjwt.json").write_text(text)


def run(postern, *arguments, stdin=None):
    return subprocess.run([postern, "token", *arguments], input=stdin, capture_output=True, text=True, check=True).stdout


def check(postern):
    for algorithm, key in ALGORITHMS.items():
        if key.startswith("hmac"):
            sign = verify = ["--secret-file", str(KEYS / key)]
            theirs = (KEYS / key).read_bytes()
        else:
            sign = ["--key-file", str(KEYS / f"{key}.pem")]
            verify = ["--key-file", str(KEYS / f"{key}.pub.pem")]
            theirs = (KEYS / f"{key}.pub.pem").read_bytes()
        minted = run(postern, "mint", "--user", "ann", "--life", "1h", "--algorithm", algorithm, *sign).strip()
        claims = jwt.decode(minted, theirs, algorithms=[algorithm])
        assert claims["user_id"] == "ann", claims
        assert round(claims["exp"] - claims["iat"]) == 3600, claims
        token = next(t["token"] for t in json.loads((HERE / "pyjwt.json").read_text())["tokens"] if t["alg"] == algorithm)
        answer = json.loads(run(postern, "verify", "--json", "--algorithm", algorithm, *verify, stdin=token))
        assert answer["valid"] and answer["user_id"] == "ann", answer
        print(algorithm, "both ways")


if __name__ == "__main__":
    if sys.argv[1:] == ["make"]:
        make_keys()
        make_tokens()
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        check(sys.argv[2])
    else:
        sys.exit(__doc__)
