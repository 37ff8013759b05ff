"""The files of compose: by its schema, by the programs that read them, and played on this machine."""

import contextlib
import json
import subprocess
import sys
import urllib.request

import yaml

from clients import Client, control
from conftest import DEPLOY, fails, passes, program, redis_server
from gateway import Gateway
from ports import free_port
from test_store_nodes import eventually

SCHEMA = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]


def compose(name="compose.yaml"):
    return yaml.safe_load((DEPLOY / "compose" / name).read_text())


def mounted(compose):
    """The folders, files and volumes that the services mount."""
    return [volume.split(":")[0] for service in compose["services"].values() for volume in service.get("volumes", [])]


def test_compose_knows_all_of_its_files_and_finds_what_it_mounts(copied):
    folder = copied("compose", "stop_grace_period", "stop_grace_time", "compose.yaml")
    fails(*SCHEMA, folder / "compose.yaml")
    passes(folder / "make-secrets")
    for name, count in (("compose.yaml", 7), ("cluster.yaml", 7)):
        passes(*SCHEMA, DEPLOY / "compose" / name)
        file = compose(name)
        assert len(mounted(file)) == count
        for path in mounted(file):
            assert path in file["volumes"] or (folder / path).exists() or (DEPLOY / "compose" / path).exists(), path
        assert {secret for one in file["services"].values() for secret in one.get("secrets", [])} == set(file["secrets"])
        for service in file["services"].values():
            if build := service.get("build"):
                assert (DEPLOY / "compose" / build["context"] / build["dockerfile"]).exists()


def test_the_secrets_of_compose_are_made_once(copied):
    folder = copied("compose", "set -euo", "set -euo", "make-secrets")
    made = lambda: {file: file.read_bytes() for file in (folder / "secrets").rglob("*") if file.is_file()}
    passes(folder / "make-secrets")
    first = made()
    named = {folder / one["file"] for name in ("compose.yaml", "cluster.yaml") for one in compose(name)["secrets"].values()}
    assert set(first) == named | {folder / "secrets/redis/tls.key", folder / "secrets/redis/users.acl"}
    assert len(set(first.values())) == len(first) and all(map(len, first.values()))
    passes(folder / "make-secrets")
    assert made() == first


def test_the_server_of_compose_is_that_of_kubernetes():
    manifests = [one for one in yaml.safe_load_all((DEPLOY / "kubernetes" / "redis.yaml").read_text()) if one]
    conf = next(one for one in manifests if one["kind"] == "ConfigMap")["data"]["redis.conf"]
    assert (DEPLOY / "compose" / "redis.conf").read_text() == conf


def test_three_processes_behind_the_proxy_are_one_gateway_and_one_of_them_may_be_killed(copied, tmp_path, monkeypatch):
    """With the settings of cluster.yaml, for addresses of this machine, and free ports."""
    folder = copied("compose", "set -euo", "set -euo", "make-secrets")
    monkeypatch.setenv("REDIS_NAMES", "IP:127.0.0.1")
    passes(folder / "make-secrets")
    file, front = compose("cluster.yaml"), free_port()
    secrets = {f"/run/secrets/{name}": str(folder / one["file"]) for name, one in file["secrets"].items()}
    flags = json.loads((folder / "cluster.json").read_text())
    assert flags["store"] == "rediss://redis:6379"
    proxy_address = file["services"]["proxy"]["networks"]["default"]["ipv4_address"]
    assert flags["trusted-proxy"] == proxy_address
    flags = {name: secrets.get(value, value) if isinstance(value, str) else value for name, value in flags.items()}
    flags |= {"trusted-proxy": "127.0.0.1", "connections-max": 500}
    flags |= {"host": "127.0.0.1", "control-host": "127.0.0.1", "port": 0, "control-port": 0}
    control_secret = (folder / "secrets/control").read_text().strip()
    provider_secret = (folder / "secrets/provider").read_text().strip()
    with contextlib.ExitStack() as stack:
        conf = (folder / "redis.conf").read_text()
        flags["store"] = f"rediss://127.0.0.1:{stack.enter_context(redis_server(conf, folder / 'secrets/redis', tmp_path))}"
        (folder / "cluster.json").write_text(json.dumps(flags))
        gateways = []
        for letter in "abc":
            words = file["services"][f"gateway-{letter}"]["command"]
            assert words[:3] == ["serve", "--config", "/etc/postern/postern.json"]
            gateways.append(Gateway("--config", str(folder / "cluster.json"), *words[3:], expected_exit=-9 if letter == "b" else 0))
            stack.enter_context(gateways[-1])
        lines = (folder / "haproxy.cfg").read_text().replace("bind :8080", f"bind 127.0.0.1:{front}").replace("maxconn 40000", "maxconn 500")
        for letter, gateway in zip("abc", gateways):
            old = f"server {letter} gateway-{letter}:8080 check port 8081"
            assert old in lines
            ports = [url.rsplit(":", 1)[1].strip("/") for url in (gateway.http_url, gateway.control_url)]
            lines = lines.replace(old, f"server {letter} 127.0.0.1:{ports[0]} check port {ports[1]}")
        (folder / "haproxy.cfg").write_text(lines)
        passes(program("haproxy"), "-c", "-f", folder / "haproxy.cfg")
        proxy = subprocess.Popen([program("haproxy"), "-f", folder / "haproxy.cfg"], stdout=subprocess.DEVNULL)
        stack.callback(proxy.wait), stack.callback(proxy.kill)

        def issue(user):
            """A token by the proxy; None while it has no gateway."""
            body = json.dumps({"user_id": user}).encode()
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {provider_secret}"}
            call = urllib.request.Request(f"http://127.0.0.1:{front}/v1/tokens", body, headers)
            try:
                with urllib.request.urlopen(call, timeout=30) as answer:
                    return json.load(answer)["token"]
            except OSError:
                return None

        eventually(lambda: issue("ann"))
        nodes = control(gateways[0], "GET", "/nodes", token=control_secret).json["nodes"]
        assert sorted(one["name"] for one in nodes) == ["a", "b", "c"]
        # Of the clients by the proxy, each gateway has some, once its checks have found all three ready.
        clients = []

        def is_spread():
            client = stack.enter_context(Client(Front(front), token=eventually(lambda: issue(f"user{len(clients)}"))))
            clients.append(client)
            client.receive("connected")
            assert client.ask("join", cid="default:talk")["type"] == "joined"
            nodes = control(gateways[2], "GET", "/nodes", token=control_secret).json["nodes"]
            counts = [one["sessions"] for one in nodes]
            return len(clients) >= 10 and all(counts) and sum(counts) == len(clients)

        eventually(is_spread)
        clients[0].send("publish", cid="default:talk", content="to all")
        for client in clients:
            while (message := client.receive())["type"] != "message":
                assert message["type"] in ("member_joined", "published")
            assert message["content"] == "to all"
        gateways[1].process.kill()
        eventually(lambda: len(control(gateways[0], "GET", "/nodes", token=control_secret).json["nodes"]) == 2)
        for number in range(4):
            with Client(Front(front), token=eventually(lambda: issue(f"later{number}"))) as client:
                client.receive("connected")


class Front:
    """The proxy, as clients see a gateway."""

    def __init__(self, port):
        self.url, self.http_url = f"ws://127.0.0.1:{port}", f"http://127.0.0.1:{port}"


def test_prometheus_reads_the_configuration_of_compose(copied):
    folder = copied("compose", "scrape_interval: 5s", "scrape_interval: 5s", "prometheus.yml")
    (folder / "rules").mkdir()
    (folder / "rules" / "postern.rules.yml").write_bytes((DEPLOY / "prometheus/postern.rules.yml").read_bytes())
    check = [program("promtool"), "check", "config", "--syntax-only"]
    passes(*check, folder / "prometheus.yml")
    file = folder / "prometheus.yml"
    file.write_text(file.read_text().replace("credentials_file", "credential_file"))
    fails(*check, file)
