"""The provider, as a person and the SDK use it."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import requests
from websockets.sync.client import connect

CLIENT = "streem-sdk"
REDIRECT = "http://127.0.0.1:49321/callback"
LOGGED_OUT = "http://127.0.0.1:49321/logged-out"
SCOPES = "openid profile offline_access"


def log_in(address, user="ann", password="secret"):
    """Opens the page, submits its form, and returns the address to which the browser is redirected."""
    page = requests.get(address, timeout=60)
    assert page.status_code == 200, page.text
    action = re.search(r'<form method="post" action="([^"]+)"', page.text)[1]
    name = re.search(r'name="request" value="([^"]+)"', page.text)[1]
    form = {"request": name, "username": user, "password": password}
    answer = requests.post(action, data=form, timeout=60, allow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def parameters(address):
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def exchange(gateway, access_token, **order):
    return requests.post(
        f"{gateway.http_url}/streem/v1/streem-token",
        json=order,
        headers={"Authorization": f"Bearer {access_token}"},
        timeout=60,
    )


def identify(gateway, token):
    """The first message on a new socket."""
    with connect(f"{gateway.url}/streem/v1/connect", open_timeout=60, proxy=None) as socket:
        socket.send(json.dumps({"type": "identify", "token": token, "isExpert": True}))
        return json.loads(socket.recv(timeout=60))
