"""A server of opaque tokens, built with Authlib. It issues, introspects and revokes them on loopback."""

import logging
import os
import threading
import time

import requests
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from flask import Flask, request
from werkzeug.serving import make_server

CLIENT, SECRET = "chat gateway", "a secret: of the gateway"
# It is on loopback, without TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


class TheClient(ClientMixin):
    client_id = CLIENT

    def get_client_id(self):
        return CLIENT

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_client_secret(self, secret):
        return secret == SECRET

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "client_secret_basic"

    def check_grant_type(self, grant_type):
        return grant_type == "password"


class Token(TokenMixin):
    def __init__(self, values, user, life):
        self.values, self.user, self.revoked, self.end = values, user, False, time.time() + life

    def check_client(self, client):
        return True

    def is_expired(self):
        return time.time() > self.end

    def is_revoked(self):
        return self.revoked


class Server:
    """The server, until the `with` block ends."""

    def __init__(self, life=3600):
        tokens, self.asked = {}, 0
        outer = self

        class Password(grants.ResourceOwnerPasswordCredentialsGrant):
            def authenticate_user(self, username, password):
                return username if password == "right" else None

        class Introspect(IntrospectionEndpoint):
            def query_token(self, text, hint):
                outer.asked += 1
                return tokens.get(text)

            def check_permission(self, token, client, request):
                return True

            def introspect_token(self, token):
                return {"sub": token.user, "iss": outer.url, "aud": "realtime", "exp": int(token.end)}

        class Revoke(RevocationEndpoint):
            def query_token(self, text, hint):
                return tokens.get(text)

            def revoke_token(self, token, request):
                token.revoked = True

        def save(token, request):
            tokens[token["access_token"]] = Token(token, request.user, life)

        app = Flask("login")
        server = AuthorizationServer(app, query_client=lambda name: TheClient() if name == CLIENT else None, save_token=save)
        server.register_grant(Password)
        for endpoint in (Introspect, Revoke):
            server.register_endpoint(endpoint)
        app.post("/token")(lambda: server.create_token_response(request))
        app.post("/introspect", endpoint="introspect")(lambda: server.create_endpoint_response("introspection"))
        app.post("/revoke", endpoint="revoke")(lambda: server.create_endpoint_response("revocation"))
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self.http = make_server("127.0.0.1", 0, app, threaded=True)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.introspection = f"{self.url}/introspect"

    def log_in(self, user):
        form = {"grant_type": "password", "username": user, "password": "right"}
        answer = requests.post(f"{self.url}/token", data=form, auth=(CLIENT, SECRET), timeout=60)
        return answer.json()["access_token"]

    def revoke(self, token):
        answer = requests.post(f"{self.url}/revoke", data={"token": token}, auth=(CLIENT, SECRET), timeout=60)
        assert answer.status_code == 200, answer.text

    def __enter__(self):
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()
