#!/usr/bin/python3
"""The services of compose.yaml without a registry: the gateway from its image, Prometheus as Debian packages it, and the
queries that Grafana would send. `compose.py CONFIG GRAFANA CONTAINER STORAGE...` runs in a network and mounts of its own.

CONFIG is what `docker-compose config` makes of the file: its commands, mounts, secrets and names are taken from there. GRAFANA is
the folder of provisioning and board that it mounts; STORAGE are buildah's flags."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import yaml

from image import gateways
from scene import bring_up_loopback

CLIENTS = 300
NOBODY = 65534  # The user that Prometheus' image runs as.
POSTERN = "/usr/bin/postern"


def mounted(source, target):
    """Mounts a file or a folder at another path of this namespace."""
    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.mkdir(exist_ok=True) if Path(source).is_dir() else target.touch()
    subprocess.run(["mount", "--bind", source, target], check=True)


def secrets_of(service, compose):
    """Name and file of each secret. Compose mounts them below /run/secrets."""
    for secret in service["secrets"]:
        name = secret if isinstance(secret, str) else secret["source"]
        yield name, compose["secrets"][name]["file"]


def volumes_of(service):
    """Source and target of each folder or file; a named volume is the service's own."""
    for volume in service.get("volumes", []):
        if isinstance(volume, dict):
            source, target = volume["source"], volume["target"]
        else:
            source, target = volume.split(":")[:2]
        if source.startswith("/"):
            yield source, target


class Container:
    """The gateway's image, with the secrets that compose.yaml gives it."""

    def __init__(self, name, storage, service, compose):
        self.name, self.storage = name, storage
        self.volumes = [f"--volume={file}:/run/secrets/{secret}:ro" for secret, file in secrets_of(service, compose)]

    def run(self, *words):
        return subprocess.Popen(
            ["buildah", *self.storage, "run", "--isolation", "chroot", *self.volumes, self.name, "--", POSTERN, *words],
            stdout=subprocess.PIPE, text=True)


def asked(url, **parameters):
    with urllib.request.urlopen(f"{url}?{urllib.parse.urlencode(parameters)}", timeout=10) as answer:
        return json.load(answer)["data"]


def until(what, patience=60):
    """Waits for output, and returns it."""
    end = time.monotonic() + patience
    while True:
        try:
            if said := what():
                return said
        except OSError as error:
            said = error
        assert time.monotonic() < end, f"{what.__name__}: {said}"
        time.sleep(0.5)


def board_answers(grafana, source):
    """Sends each query of the board to the source as Grafana does. Returns how many have data."""
    (provider,) = yaml.safe_load((grafana / "dashboards/postern.yaml").read_text())["providers"]
    board = json.loads((Path(provider["options"]["path"]) / "postern.json").read_text())
    jobs = asked(source + "/api/v1/label/job/values", **{"match[]": "postern_build_info"})
    assert jobs == ["postern"], jobs
    shown, queries = 0, [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    for query in queries:
        for name, value in (("$__rate_interval", "20s"), ("$job", jobs[0]), ("$instance", ".*")):
            query = query.replace(name, value)
        now = time.time()
        said = asked(source + "/api/v1/query_range", query=query, start=now - 120, end=now, step=5)
        shown += any(value not in ("NaN", "0") for series in said["result"] for _, value in series["values"])
    return shown, len(queries)


def main(config, grafana, name, *storage):
    bring_up_loopback()
    compose = yaml.safe_load(Path(config).read_text())
    services = compose["services"]
    scratch = Path(tempfile.mkdtemp(prefix="postern-compose-"))
    # The names of this network, and paths that the images have.
    hosts = scratch / "hosts"
    hosts.write_text("".join(f"127.0.0.1 {host}\n" for host in ("localhost", *services)))
    mounted(hosts, "/etc/hosts")
    for folder in ("/etc/prometheus", "/var/lib/grafana"):
        if Path(folder).is_dir():
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)

    container = Container(name, storage, services["gateway"], compose)
    gateway = container.run(*services["gateway"]["command"])
    listening = json.loads(gateway.stdout.readline())
    assert listening["port"] == 8080 and listening["control_port"] == 8081, listening

    prometheus = services["prometheus"]
    for source, target in [*volumes_of(prometheus), *volumes_of(services["grafana"])]:
        mounted(source, target)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run"], check=True)
    for secret, file in secrets_of(prometheus, compose):
        mounted(file, f"/run/secrets/{secret}")
    data = scratch / "data"
    data.mkdir()
    os.chown(data, NOBODY, NOBODY)
    scratch.chmod(0o755)
    watching = subprocess.Popen(
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "prometheus", *prometheus["command"],
         "--web.listen-address=127.0.0.1:9090", f"--storage.tsdb.path={data}", "--log.level=error"], cwd="/")

    (origin,) = yaml.safe_load((Path(grafana) / "datasources/prometheus.yaml").read_text())["datasources"]
    url = origin["url"]

    def scraped():
        assert watching.poll() is None, "Prometheus does not run"
        found = asked(url + "/api/v1/query", query='up{job="postern"}')["result"]
        return found and found[0]["value"][1] == "1" and found[0]["metric"]["instance"]

    instance = until(scraped)
    assert instance == "gateway:8081", instance
    storm = container.run(
        "storm", "--url", "ws://127.0.0.1:8080", "--control-url", "http://127.0.0.1:8081",
        "--control-secret-file", "/run/secrets/control", "--provider-secret-file", "/run/secrets/provider",
        "--clients", str(CLIENTS), "--rate", "300", "--expire-after", "15s", "--hold", "12s")
    said, _ = storm.communicate(timeout=180)
    assert storm.returncode == 0, said

    def refreshed():
        found = asked(url + "/api/v1/query", query='sum(postern_refreshes_total{origin="asked"})')["result"]
        return found and float(found[0]["value"][1]) == CLIENTS

    until(refreshed)
    wanted = {rule["alert"] for group in yaml.safe_load(Path("/etc/prometheus/rules/postern.rules.yml").read_text())["groups"]
              for rule in group["rules"] if "alert" in rule}
    rules = [rule for group in asked(url + "/api/v1/rules")["groups"] for rule in group["rules"]]
    assert {rule["name"] for rule in rules if rule["type"] == "alerting"} == wanted
    assert {rule["health"] for rule in rules} == {"ok"}, rules
    shown, queries = board_answers(Path(grafana), url)
    assert shown > queries / 2, f"only {shown} of {queries} queries of the board show anything"

    (pid,) = gateways()
    os.kill(pid, signal.SIGTERM)
    assert gateway.wait(timeout=float(str(services["gateway"]["stop_grace_period"]).removesuffix("s"))) == 0
    watching.terminate()
    watching.wait(timeout=20)
    print(f"   {instance} is scraped with its secret, {len(wanted)} alerts are loaded; {queries} queries of the board are "
          f"answered, {shown} of them show something after {CLIENTS} clients")


if __name__ == "__main__":
    main(*sys.argv[1:])
