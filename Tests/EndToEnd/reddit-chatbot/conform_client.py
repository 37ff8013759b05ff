"""Reddit-ChatBot-Python for `postern ctl conform --dialect sendbird`. Two things are changed: the host that it dials, and the
tokens come from the run's provider instead of Reddit."""

import os
import urllib.parse

from conform_token import conform_token
from Reddit_ChatBot_Python import ChatBot, _ws_client
from Reddit_ChatBot_Python.reddit_auth import _RedditAuthBase

HARD_CODED = "wss://sendbirdproxyk8s.chat.redditmedia.com"
ADDRESS = _ws_client.get_ws_url


class Tokens(_RedditAuthBase):
    """First the token that the client begins with, and then the provider's."""

    def __init__(self):
        super().__init__(api_token="unused", reddit_session="unused")
        self.first = os.environ["POSTERN_TOKEN"]

    def authenticate(self):
        token, self.first = self.first or conform_token(), None
        return {"sb_access_token": token, "user_id": os.environ["POSTERN_USER"]}


def main():
    url = urllib.parse.urlsplit(os.environ["POSTERN_URL"])
    _ws_client.get_ws_url = lambda *them: ADDRESS(*them).replace(HARD_CODED, f"{url.scheme}://{url.netloc}")
    bot = ChatBot(Tokens(), store_session=False, print_chat=False, other_logging=False)
    # It asks Reddit's proxy, at a host of its own, for its channels.
    bot._ChatBot__WebSocketClient.get_current_channels = lambda **_: []
    bot.run_4ever()


if __name__ == "__main__":
    main()
