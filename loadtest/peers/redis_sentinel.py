"""A Redis primary, its replicas and three Sentinels on free loopback ports, of Debian's redis-server."""

import contextlib
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

NAME = "mymaster"


def free_port():
    """A port outside the system's range for outgoing connections. One of those could be taken while a server is away."""
    while True:
        port = random.randrange(10_000, 32_768)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class RedisError(Exception):
    """The server's error reply."""


def ask(port, *words, timeout=5):
    """The reply to one command: bytes, a number, None or a list of them."""
    command = b"*%d\r\n" % len(words)
    for word in words:
        word = str(word).encode()
        command += b"$%d\r\n%s\r\n" % (len(word), word)
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        connection.sendall(command)
        with connection.makefile("rb") as stream:
            return read(stream)


def read(stream):
    line = stream.readline()
    if not line.endswith(b"\r\n"):
        raise OSError("the connection ended")
    kind, rest = line[:1], line[1:-2]
    if kind == b"+":
        return rest
    if kind == b"-":
        raise RedisError(rest.decode(errors="replace"))
    if kind == b":":
        return int(rest)
    if int(rest) < 0:
        return None
    if kind == b"$":
        return stream.read(int(rest) + 2)[:-2]
    return [read(stream) for _ in range(int(rest))]


class Server:
    """One redis-server: a primary, a replica or a Sentinel."""

    def __init__(self, folder, name, *flags, sentinel=None):
        self.folder, self.name, self.port = Path(folder, name), name, free_port()
        self.folder.mkdir()
        self.flags, self.sentinel = flags, sentinel
        self.process = None

    def start(self):
        program = shutil.which("redis-server") or shutil.which("valkey-server")
        assert program, "there is no redis-server; install it: Deploy/install-packages tests"
        common = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder)]
        if self.sentinel is None:
            command = [program, *common, "--save", "", "--appendonly", "yes", *self.flags]
        else:
            # A Sentinel writes its knowledge into its file, so a later start goes on with it.
            file = self.folder / "sentinel.conf"
            if not file.exists():
                file.write_text(f"sentinel announce-ip 127.0.0.1\n{self.sentinel}\n")
            command = [program, str(file), "--sentinel", *common, *self.flags]
        with (self.folder / "log").open("ab") as log:
            # SIGXFSZ stays ignored, as under Python: a limit of file sizes is an error of a write then, as a full disk is.
            self.process = subprocess.Popen(command, stdout=log, stderr=log, restore_signals=False)
        self.eventually(self.answers, "does not start")
        return self

    def answers(self):
        try:
            return ask(self.port, "PING") == b"PONG"
        except RedisError as error:
            return str(error).startswith(("NOAUTH", "NOPERM"))

    def eventually(self, condition, fault, patience=60):
        deadline = time.monotonic() + patience
        while True:
            try:
                if answer := condition():
                    return answer
            except (OSError, RedisError):
                pass
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"{self.name} {fault}: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


class Cluster:
    """The servers and Sentinels; ends with the `with` block."""

    def __init__(self, folder, replicas=2, down_after=5, flags=(), sentinel_flags=()):
        self.servers = [Server(folder, "redis-0", *flags)]
        for number in range(1, replicas + 1):
            more = ("--replicaof", "127.0.0.1", str(self.servers[0].port), "--repl-diskless-sync-delay", "0")
            self.servers.append(Server(folder, f"redis-{number}", *more, *flags))
        watch = (
            f"sentinel monitor {NAME} 127.0.0.1 {self.servers[0].port} 2\n"
            f"sentinel down-after-milliseconds {NAME} {int(1000 * down_after)}\n"
            f"sentinel failover-timeout {NAME} 10000\n"
            f"sentinel parallel-syncs {NAME} 2"
        )
        self.sentinels = [Server(folder, f"sentinel-{n}", *sentinel_flags, sentinel=watch) for n in range(3)]

    def __enter__(self):
        try:
            for server in self.servers + self.sentinels:
                server.start()
            self.await_whole()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        for server in self.sentinels + self.servers:
            if server.process:
                server.signal(signal.SIGCONT)
            server.kill()

    @property
    def url(self):
        return "redis+sentinel://" + ",".join(f"127.0.0.1:{one.port}" for one in self.sentinels) + f"/{NAME}"

    def facts(self, sentinel):
        """What a Sentinel knows of the primary."""
        words = [word.decode() for word in ask(sentinel.port, "SENTINEL", "MASTER", NAME)]
        return dict(zip(words[::2], words[1::2]))

    def await_whole(self, patience=60):
        """Waits until all Sentinels know each other and the replicas, and all replicas are connected to the primary."""
        for sentinel in self.sentinels:
            def knows():
                facts = self.facts(sentinel)
                return (facts["num-other-sentinels"], facts["num-slaves"]) == ("2", str(len(self.servers) - 1))
            sentinel.eventually(knows, "does not know the others", patience)
        primary = self.primary()
        def is_followed():
            info = ask(primary.port, "INFO", "replication").decode()
            return info.count("state=online") >= len(self.servers) - 1
        primary.eventually(is_followed, "has too few replicas", patience)

    def primary(self):
        """The server that a majority of the Sentinels names."""
        named = []
        for sentinel in self.sentinels:
            try:
                named.append(int(ask(sentinel.port, "SENTINEL", "get-master-addr-by-name", NAME)[1]))
            except (OSError, TypeError):
                pass
        port = max(set(named), key=named.count)
        return next(one for one in self.servers if one.port == port)

    def await_failover(self, before, patience=60):
        """Waits until another server than `before` is the primary, by its own word and that of the Sentinels. Returns it."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            found = self.primary()
            try:
                if found is not before and ask(found.port, "ROLE")[0] == b"master":
                    return found
            except (OSError, RedisError):
                pass
            time.sleep(0.05)
        raise RuntimeError("Sentinel has chosen no other primary: " + (self.sentinels[0].folder / "log").read_text()[-3000:])

    def fail_over(self, patience=60):
        """Has Sentinel make another server the primary, while the present one runs. Returns the new one."""
        before = self.primary()
        ask(self.sentinels[0].port, "SENTINEL", "FAILOVER", NAME)
        return self.await_failover(before, patience)
