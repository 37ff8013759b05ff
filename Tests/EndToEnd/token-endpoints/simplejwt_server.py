"""djangorestframework-simplejwt as its documents set it up: a password for the first token, a refresh token that rotates
and is blacklisted once it was used. Counts each answer by path and status."""

import contextlib
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings
from gateway import SECRET
from wsgi_server import WSGIServed

USERS = 20
LIFE = 6
log = Counter()


def count(get_response):
    """Middleware that counts what was answered."""

    def answer(request):
        response = get_response(request)
        log[f"{request.path} {response.status_code}"] += 1
        return response

    return answer


def set_up(folder):
    """Configures Django once in a process, with its users. Returns the application."""
    settings.configure(
        ALLOWED_HOSTS=["*"],
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(folder / "users.sqlite"),
                "OPTIONS": {"timeout": 30, "transaction_mode": "IMMEDIATE"},
            }
        },
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "rest_framework",
            "rest_framework_simplejwt.token_blacklist",
        ],
        MIDDLEWARE=["simplejwt_server.count"],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        REST_FRAMEWORK={"DEFAULT_THROTTLE_CLASSES": []},
        ROOT_URLCONF="simplejwt_urls",
        SECRET_KEY=SECRET,
        SIMPLE_JWT={
            "ACCESS_TOKEN_LIFETIME": timedelta(seconds=LIFE),
            "BLACKLIST_AFTER_ROTATION": True,
            "ROTATE_REFRESH_TOKENS": True,
            "SIGNING_KEY": SECRET,
            "USER_ID_FIELD": "username",
        },
        USE_TZ=True,
    )
    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    call_command("migrate", verbosity=0)
    for name, password in people():
        User.objects.create_user(name, password=password)
    return one_at_a_time(get_wsgi_application())


def one_at_a_time(application):
    """Answers in the order in which requests come: writers that compete for SQLite's lock overtake one of them for as long
    as 30 s, while it sleeps."""
    worker = ThreadPoolExecutor(1)

    def whole(environ, start_response):
        with contextlib.closing(application(environ, start_response)) as response:
            return list(response)

    def answer(environ, start_response):
        return worker.submit(whole, environ, start_response).result()

    return answer


def people():
    """The users with their passwords, some of which a careless writer of JSON or CSV would break."""
    return [(f"user{number}@example.com", f'pass,"{number}"\\') for number in range(USERS)]


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 256
    address_family = socket.AF_INET


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Server(WSGIServed):
    """The application on a port of its own, until the `with` block ends."""

    def __init__(self, application):
        self.server = make_server("127.0.0.1", 0, application, Threaded, Quiet)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        log.clear()
        return super().__enter__()
