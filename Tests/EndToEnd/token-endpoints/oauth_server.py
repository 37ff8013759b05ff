"""Authlib's OAuth 2.0 server for client credentials (RFC 6749 section 4.4), over TLS that wants a certificate of its
clients. Counts each answer by status."""

import ssl
from collections import Counter

import trustme
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin
from authlib.oauth2.rfc6749.grants import ClientCredentialsGrant
from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server
from wsgi_server import WSGIServed

LIFE = 3
CLIENTS = {f"client-{number}": f"secret-{number}" for number in range(20)}


class Client(ClientMixin):
    def __init__(self, name):
        self.name = name

    def get_client_id(self):
        return self.name

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return "realtime" if scope == "realtime" else ""

    def check_redirect_uri(self, redirect_uri):
        return False

    def check_client_secret(self, client_secret):
        return CLIENTS[self.name] == client_secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "client_secret_basic"

    def check_response_type(self, response_type):
        return False

    def check_grant_type(self, grant_type):
        return grant_type == "client_credentials"


def application(log):
    app = Flask("oauth")
    app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"client_credentials": LIFE}
    server = AuthorizationServer(
        app, query_client=lambda name: Client(name) if name in CLIENTS else None, save_token=lambda token, request: None
    )
    server.register_grant(ClientCredentialsGrant)

    @app.post("/oauth/token")
    def token():
        return server.create_token_response()

    @app.after_request
    def count(response):
        log[response.status_code] += 1
        return response

    return app


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


class Server(WSGIServed):
    """The application on a port of its own, until the `with` block ends; its certificates are in `folder`."""

    def __init__(self, folder):
        self.log = Counter()
        authority = trustme.CA()
        authority.cert_pem.write_to_path(folder / "staging-ca.pem")
        client = authority.issue_cert("client@example.com")
        client.cert_chain_pems[0].write_to_path(folder / "client.pem")
        client.private_key_pem.write_to_path(folder / "client.key")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        authority.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
        self.server = make_server(
            "127.0.0.1", 0, application(self.log), threaded=True, request_handler=Quiet, ssl_context=context
        )
        self.url = f"https://127.0.0.1:{self.server.server_port}"
