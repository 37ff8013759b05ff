"""Sinch's credentials in each signer's form, made with hmac and hashlib only, and a client of our Sinch wire. Every exchange is
checked against the documents."""

import base64
import datetime
import hashlib
import hmac
import json
import time
import uuid

from websockets.exceptions import ConnectionClosed

import documents
from clients import request
from documented_socket import DocumentedSocket

KEY = "d404a4d3-51cf-45e2-bc32-e294ae879d58"
SECRET = "oYdgGRXoxEuJhGDY2KQ/HQ=="
DAY = 86_400

SOCKET = documents.SocketDocument("sinch-asyncapi.yaml")
HTTP = documents.HTTPDocument("sinch-openapi.yaml")


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(header, claims, secret=SECRET, date=None, **form):
    """A JWT of these two objects. Its key is derived for the date in kid."""
    date = date or header["kid"].removeprefix("hkdfv1-")
    key = hmac.new(base64.b64decode(secret), date.encode(), hashlib.sha256).digest()
    text = ".".join(base64url(json.dumps(part, **form).encode()) for part in (header, claims))
    return f"{text}.{base64url(hmac.new(key, text.encode(), hashlib.sha256).digest())}"


def claims(user, key=KEY, issued=None, life=600, instance_life=None, nonce=None):
    issued = int(time.time()) if issued is None else issued
    issuer = f"//rtc.sinch.com/applications/{key}"
    made = {
        "iss": issuer,
        "sub": f"{issuer}/users/{user}",
        "iat": issued,
        "exp": issued + life,
        "nonce": nonce or str(uuid.uuid4()),
    }
    if instance_life is not None:
        made["sinch:rtc:instance:exp"] = issued + instance_life
    return made


def kid(offset=datetime.timedelta(0)):
    return "hkdfv1-" + (datetime.datetime.now(datetime.timezone.utc) + offset).strftime("%Y%m%d")


def token(user="alice", **options):
    """As the Java and Python examples sign."""
    secret = options.pop("secret", SECRET)
    return sign({"alg": "HS256", "kid": kid()}, claims(user, **options), secret, separators=(",", ":"))


def ios_token(user="alice"):
    nonce = str(uuid.uuid4()).upper()
    return sign({"typ": "JWT", "kid": kid(), "alg": "HS256"}, claims(user, nonce=nonce), separators=(",", ":"))


def android_token(user="alice", hours=0):
    header = {"alg": "HS256", "typ": "JWT", "kid": kid(datetime.timedelta(hours=hours))}
    return sign(header, claims(user), separators=(",", ":"))


def javascript_token(user="alice"):
    header = {"alg": "HS256", "kid": kid(), "type": "JWT"}
    return sign(header, claims(user, life=600_000, nonce=uuid.uuid4().hex), sort_keys=True)


def arabic_token(user="alice"):
    digits = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
    date = kid().removeprefix("hkdfv1-").translate(digits)
    return sign({"alg": "HS256", "typ": "JWT", "kid": "hkdfv1-" + date}, claims(user), ensure_ascii=False)


def mobile_signature(user, sequence, key=KEY, secret=SECRET):
    return base64.b64encode(hashlib.sha1(f"{user}{key}{sequence}{secret}".encode()).digest()).decode()


def ticket(user="alice", created=None, life=3600, key=KEY, secret=SECRET):
    body = {
        "identity": {"type": "username", "endpoint": user},
        "expiresIn": life,
        "applicationKey": key,
        "created": created or now(),
    }
    text = json.dumps(body, separators=(",", ":")).encode()
    code = hmac.new(base64.b64decode(secret), text, hashlib.sha256).digest()
    return f"{base64.b64encode(text).decode()}:{base64.b64encode(code).decode()}"


def now(offset=0):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=offset)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def signature(secret, method, path, timestamp, body=b"", content_type=""):
    """The signature of a request with a base64 secret."""
    digest = base64.b64encode(hashlib.md5(body).digest()).decode() if body else ""
    text = f"{method}\n{digest}\n{content_type}\nx-timestamp:{timestamp}\n{path}"
    return base64.b64encode(hmac.new(base64.b64decode(secret), text.encode(), hashlib.sha256).digest()).decode()


def api(gateway, method, path, body=None, authorization=None, timestamp=None, headers=None):
    """One exchange with Sinch's HTTP side."""
    headers = dict(headers or {})
    if authorization:
        headers["Authorization"] = authorization
    if timestamp:
        headers["X-Timestamp"] = timestamp
    answer = request(gateway.http_url, method, path, body, headers=headers, document=None)
    HTTP.check(method, path.split("?")[0], body, answer)
    return answer


def signed(gateway, method, path, scheme, name, secret, body=None, offset=0):
    """An exchange that is signed by an application or an instance, as vendor code signs it."""
    timestamp = now(offset)
    payload = b"" if body is None else json.dumps(body).encode()
    content_type = "application/json" if body is not None else "application/json; charset=UTF-8"
    code = signature(secret, method, path, timestamp, payload, content_type)
    return api(
        gateway, method, path, body, f"{scheme} {name}:{code}", timestamp, {"Content-Type": content_type}
    )


class SinchClient(DocumentedSocket):
    """One connection of our Sinch wire."""

    document, path = SOCKET, "/sinch/v1/connect"

    def __init__(self, gateway):
        super().__init__(gateway)
        HTTP.seen.add(("GET", self.path, 101))

    def start(self, user="alice", key=KEY, device="d1", **more):
        sdk = {"platform": "android", "version": "6.0"}
        self.send("start", applicationKey=key, userId=user, deviceId=device, sdk=sdk, **more)

    def start_with(self, instance, user="alice", device="d1", offset=0):
        timestamp = now(offset)
        code = signature(instance["secret"], "GET", "/sinch/v1/connect", timestamp)
        proof = {"id": instance["id"], "timestamp": timestamp, "signature": code}
        self.start(user, device=device, instance=proof)

    def registered(self, user="alice", device="d1", **credentials):
        """Starts, registers and returns the instance."""
        self.start(user, device=device)
        assert self.receive("credentialsRequired")["reason"] == "first"
        self.send("register", **(credentials or {"jwt": token(user)}))
        instance = self.receive("userRegistered")["instance"]
        self.receive("clientStarted")
        return instance

    def until_closed(self):
        try:
            while True:
                self.receive()
        except ConnectionClosed as end:
            return end.rcvd.code
