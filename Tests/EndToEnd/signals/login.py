"""An OpenID provider that sends back-channel logout: idpyoidc, with a discovery page and a page of keys on loopback. It signs
and sends by itself."""

import http.server
import json
import threading

import requests
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration

CLIENT, SECRET, REDIRECT = "chat", "a secret of the client chat", "https://chat.example/back"
BACK = "idpyoidc.server."


class Login:
    """The provider, until the `with` block ends."""

    def __init__(self, folder):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                document = {"/.well-known/openid-configuration": outer.discovery, "/keys": outer.keys}.get(self.path)
                body = json.dumps(document() if document else {}).encode()
                self.send_response(200 if document else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        endpoints = {"authorization": "oidc.authorization.Authorization", "token": "oidc.token.Token"}
        endpoint = {
            name: {"path": name, "class": BACK + kind, "kwargs": {}} for name, kind in endpoints.items()
        }
        endpoint["token"]["kwargs"] = {"client_authn_method": ["client_secret_post"]}
        endpoint["session"] = {
            "path": "session", "class": BACK + "oidc.session.Session",
            "kwargs": {
                "logout_verify_url": "verify_logout", "post_logout_uri_path": "post_logout", "signing_alg": "ES256",
                "backchannel_logout_supported": True, "backchannel_logout_session_required": True,
            },
        }
        keys = [{"type": "RSA", "use": ["sig"]}, {"type": "EC", "crv": "P-256", "use": ["sig"]}]
        token = {"class": BACK + "token.jwt_token.JWTToken", "kwargs": {"lifetime": 3600, "aud": [CLIENT]}}
        configuration = {
            "issuer": self.url,
            "httpc_params": {"verify": False, "timeout": 10},
            "key_conf": {"key_defs": keys, "uri_path": "keys"},
            "endpoint": endpoint,
            "token_handler_args": {
                "jwks_def": {"key_defs": [{"type": "oct", "bytes": "24", "use": ["enc"], "kid": "code"}]},
                "code": {"kwargs": {"lifetime": 600}}, "token": token,
                "id_token": {"class": BACK + "token.id_token.IDToken", "kwargs": {}},
            },
            "authentication": {
                "anon": {"acr": "none", "class": BACK + "user_authn.user.NoAuthn", "kwargs": {"user": "diana"}},
            },
            "userinfo": {"class": BACK + "user_info.UserInfo", "kwargs": {"db": {"diana": {}}}},
            "session_params": {"sub_func": {"public": {"class": BACK + "session.manager.PublicID", "kwargs": {"salt": "salt"}}}},
        }
        self.server = Server(OPConfiguration(configuration, base_path=str(folder)), cwd=str(folder))
        self.context = self.server.context
        self.context.httpc = requests.request
        self.context.cdb[CLIENT] = {
            "client_id": CLIENT, "client_secret": SECRET, "redirect_uris": [(REDIRECT, None)], "response_types": ["code"],
            "token_endpoint_auth_method": "client_secret_post", "client_id_issued_at": 0,
            "allowed_scopes": ["openid"], "scope": ["openid"], "response_types_supported": ["code"],
        }
        self.server.keyjar.add_symmetric(CLIENT, SECRET)

    def discovery(self):
        return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}

    def keys(self):
        return self.server.keyjar.export_jwks()

    def log_out_at(self, address):
        """Registers the address where the client receives logouts."""
        self.context.cdb[CLIENT]["backchannel_logout_uri"] = address

    def log_in(self):
        """Logs diana in by the code flow. Returns her access token and her session."""
        asked = {
            "client_id": CLIENT, "redirect_uri": REDIRECT, "response_type": "code", "scope": "openid", "state": "state",
            "nonce": "nonce",
        }
        endpoint = self.server.get_endpoint("authorization")
        answer = endpoint.process_request(endpoint.parse_request(asked))
        code = answer["response_args"]["code"]
        endpoint = self.server.get_endpoint("token")
        answer = endpoint.process_request(endpoint.parse_request({
            "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "client_id": CLIENT,
            "client_secret": SECRET, "state": "state",
        }))
        found = answer["response_args"]
        session = self.context.session_manager.get_session_info_by_token(found["access_token"], handler_key="access_token")
        return found["access_token"], session["branch_id"]

    def log_out(self, session):
        """Ends the session as the logout page does once the user has agreed. The provider tells the client."""
        self.server.get_endpoint("session").do_verified_logout(session)

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()
