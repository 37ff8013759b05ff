"""What the router asks about every ticket: a JWT, good or over. Writes what it said into the file of POSTERN_TEST_LOG."""

import os
import time

import jwt
from autobahn.twisted.wamp import ApplicationSession
from autobahn.wamp.exception import ApplicationError
from twisted.internet.defer import inlineCallbacks
from twisted.internet.task import LoopingCall

SECRET = "a secret of thirty-two bytes, or more"


def note(word):
    with open(os.environ["POSTERN_TEST_LOG"], "a") as log:
        log.write(word + "\n")


class Authenticator(ApplicationSession):
    @inlineCallbacks
    def onJoin(self, details):
        sessions = {}

        def authenticate(realm, authid, details):
            try:
                claims = jwt.decode(details["ticket"], SECRET, algorithms=["HS256"], options={"verify_aud": False})
            except jwt.InvalidTokenError:
                note("refused")
                raise ApplicationError("wamp.error.not_authorized", "the ticket is no good") from None
            sessions[details["session"]] = claims["exp"]
            note("accepted")
            return {"realm": realm, "role": "user"}

        yield self.register(authenticate, "com.example.authenticate")

        # The application ends the sessions whose tickets are over: the protocol itself does not.
        @inlineCallbacks
        def end():
            for session, over in list(sessions.items()):
                if over <= time.time():
                    del sessions[session]
                    try:
                        yield self.call("wamp.session.kill", session, reason="wamp.close.ticket_over")
                        note("over")
                    except ApplicationError:
                        note("gone")

        LoopingCall(end).start(0.05, now=False)
