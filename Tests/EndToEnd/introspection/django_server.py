"""A server of opaque tokens, built with django-oauth-toolkit. It issues, introspects and revokes them on loopback. It names
users by `username` alone, and has no audience."""

import threading

import django
import requests
from django.conf import settings

CLIENT, SECRET = "chat", "a secret: of the gateway"


class Server:
    """The server, until the `with` block ends. At most one in a process."""

    def __init__(self, folder):
        settings.configure(
            SECRET_KEY="of a test", DEBUG=False, ALLOWED_HOSTS=["*"], USE_TZ=True, ROOT_URLCONF=__name__,
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "login.db"), "OPTIONS": {"timeout": 30}}},
            INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
            PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
            OAUTH2_PROVIDER={"SCOPES": {"chat": "talk", "introspection": "ask"}, "PKCE_REQUIRED": False},
            LOGGING_CONFIG=None)
        django.setup()
        from django.contrib.auth import get_user_model
        from django.core.management import call_command
        from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
        from django.core.wsgi import get_wsgi_application
        from oauth2_provider.models import Application

        class Quiet(WSGIRequestHandler):
            def log_message(self, *_):
                pass

        call_command("migrate", verbosity=0)
        for name in ("ann", "bob"):
            get_user_model().objects.create_user(name, password="right")
        Application.objects.create(
            name="chat", client_id=CLIENT, client_secret=SECRET, client_type=Application.CLIENT_CONFIDENTIAL,
            authorization_grant_type=Application.GRANT_PASSWORD)
        self.http = ThreadedWSGIServer(("127.0.0.1", 0), Quiet)
        self.http.daemon_threads = True
        self.http.set_app(get_wsgi_application())
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.introspection = f"{self.url}/o/introspect/"

    def log_in(self, user):
        form = {"grant_type": "password", "username": user, "password": "right", "scope": "chat"}
        answer = requests.post(f"{self.url}/o/token/", data=form, auth=(CLIENT, SECRET), timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()["access_token"]

    def revoke(self, token):
        answer = requests.post(f"{self.url}/o/revoke_token/", data={"token": token}, auth=(CLIENT, SECRET), timeout=60)
        assert answer.status_code == 200, answer.text

    def __enter__(self):
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


def __getattr__(name):
    """The routes. Django imports them when it is set up."""
    if name != "urlpatterns":
        raise AttributeError(name)
    from django.urls import include, path

    return [path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]
