"""A WSGI server of a test's own, in a thread."""

import threading


class WSGIServed:
    """Serves `server`, which the class that inherits this has made, until the `with` block ends."""

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(30)
