"""The rules, tried by promtool and by a Prometheus that scrapes a gateway, and the board, read by Grafana's own SDK."""

import importlib.metadata
import json
import re
import subprocess
import sys
import time

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from clients import Client, control, request
from conftest import DEPLOY, fails, passes, program
from gateway import Gateway, token
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
from ports import free_port

RULES = DEPLOY / "prometheus" / "postern.rules.yml"
BOARD = DEPLOY / "grafana" / "postern.json"
# Prometheus itself records whether a scrape was answered. The rules make the other metrics.
NOT_SCRAPED = {"up"}


def test_the_rules_are_rules_and_go_off_when_they_should():
    passes(program("promtool"), "check", "rules", RULES)
    passes(program("promtool"), "test", "rules", "postern.test.yml", cwd=RULES.parent)


def test_every_alert_is_tried():
    names = {rule["alert"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"] if "alert" in rule}
    tests = yaml.safe_load((RULES.parent / "postern.test.yml").read_text())["tests"]
    tried = [case for test in tests for case in test["alert_rule_test"]]
    assert {case["alertname"] for case in tried if case.get("exp_alerts")} == names


@pytest.mark.parametrize(
    "old, new", [("expr: sum by", "expr: sum bye"), ("for: 1m", "for: soon"), ("- alert: PosternDown", "- alarm: PosternDown")])
def test_a_broken_rule_is_seen(copied, old, new):
    fails(program("promtool"), "check", "rules", copied("prometheus", old, new, RULES.name) / RULES.name)


@pytest.mark.parametrize(
    "old, new",
    [
        ("> 1000", "> 100000"), ("> 0.3 *", "> 0.01 *"), ("increase5m / 6", "increase5m / 60"), ("increase5m / 6", "increase5m"),
        ("> instance:postern_tokens_granted:increase5m\n            or", "> 0\n            or"), ("< 300\n", "< 3\n"), ("for: 5m", "for: 1h"), ("> 0.05 *", "> 0.5 *"), ("> 15", "> 60"),
        ('phase="draining"', 'phase="closing"'), ("0.02 *", "0.9 *"), ("> 5000", "> 50000"), ("> 0.95", "> 0.999"), ("hook_connect|hook_refresh|hook_commands", ".*"), ("postern_sessions_on_grace) > 0", "postern_sessions_on_grace) > 5000"),
        ("[10m]) > 0", "[10m]) > 100"), ("up{", "down{"),
    ],
)
def test_a_rule_that_goes_off_at_another_time_is_seen(copied, old, new):
    folder = copied("prometheus", old, new, RULES.name)
    fails(program("promtool"), "test", "rules", "postern.test.yml", cwd=folder)


# MARK: Names

def metric_names(expression):
    """The metrics that an expression asks Prometheus for: names in front of braces or brackets, or alone."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    text = re.sub(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", "", text)
    names = re.findall(r"(?<![\w:$.\"])([a-zA-Z_:][\w:]*)\b(?!\s*\()", re.sub(r"\{[^}]*\}|\[[^]]*\]", "", text))
    return set(names) - {"and", "or", "unless", "by", "without", "on", "bool", "offset"}


def labels_asked_for(expression):
    """(metric, label, values or None for a pattern) for each comparison with a label."""
    for name, braces in re.findall(r"([a-zA-Z_:][\w:]*)\{([^}]*)\}", expression):
        for label, how, value in re.findall(r'(\w+)\s*(=~|=|!=|!~)\s*"([^"]*)"', braces):
            if label not in ("job", "instance"):
                yield name, label, value.split("|") if how in ("=", "=~") else []


def expressions():
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["expr"]
    board = json.loads(BOARD.read_text())
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"]
    for note in board["annotations"]["list"]:
        yield note["expr"]
    for variable in board["templating"]["list"]:
        if asked := re.fullmatch(r"label_values\((.*), \w+\)", variable["query"]):
            yield asked[1]


@pytest.fixture(scope="module")
def scraped():
    """Every sample of a gateway with hooks that has answered a request, as (name, labels)."""
    hooks = [word for hook in ("connect", "refresh", "commands") for word in (f"--hook-{hook}", "http://127.0.0.1:9/")]
    with Gateway(*hooks) as gateway:
        assert request(gateway.http_url, "POST", "/v1/guests").status == 201
        text = control(gateway, "GET", "/metrics").body.decode()
        return [(sample.name, sample.labels) for family in text_string_to_metric_families(text) for sample in family.samples]


def unknown(expression, scraped):
    recorded = {
        rule["record"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"] if "record" in rule}
    names = {name for name, _ in scraped}
    return metric_names(expression) - names - recorded - NOT_SCRAPED


def test_every_metric_that_a_rule_or_a_panel_names_is_there(scraped):
    asked = [expression for expression in expressions()]
    assert len(asked) > 40
    for expression in asked:
        assert not unknown(expression, scraped), expression
        for name, label, values in labels_asked_for(expression):
            there = {labels[label] for other, labels in scraped if other == name and label in labels}
            assert name in NOT_SCRAPED or set(values) <= there, f"{name} has no {label} of {values}: {sorted(there)}"


def test_a_metric_that_is_not_there_is_seen(scraped):
    assert unknown("sum(rate(postern_refreshs_total[5m])) > 1", scraped) == {"postern_refreshs_total"}
    assert unknown('histogram_quantile(0.9, sum by (le) (rate(postern_login_seconds_bucket{job="x"}[5m])))', scraped) == set()
    assert unknown("max by (job) (postern_connections) and on (job) nothing", scraped) == {"nothing"}


# MARK: A Prometheus

SCRAPE = """
global: {{scrape_interval: 500ms, evaluation_interval: 500ms}}
rule_files: [{rules}]
scrape_configs:
  - job_name: postern
    authorization: {{credentials_file: {secret}}}
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


def test_a_prometheus_with_the_secret_scrapes_a_gateway_and_evaluates_the_rules(tmp_path):
    secret = tmp_path / "control"
    secret.write_text("the secret of the control port")
    with Gateway("--control-secret-file", str(secret)) as gateway, Client(gateway, token=token()) as client:
        client.receive("connected")
        configuration = tmp_path / "prometheus.yml"
        configuration.write_text(
            SCRAPE.format(rules=RULES, secret=secret, port=gateway.ready["control_port"]))
        passes(program("promtool"), "check", "config", configuration)
        port = free_port()
        command = [
            program("prometheus"), f"--config.file={configuration}", f"--storage.tsdb.path={tmp_path}/data",
            f"--web.listen-address=127.0.0.1:{port}", "--log.level=error",
        ]
        prometheus = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while (value := ask(port, "instance:postern_connections:sum")) != 1:
                assert prometheus.poll() is None and time.monotonic() < deadline, value
                time.sleep(0.2)
            # A scrape may take half a second, and every one counts.
            while (value := ask(port, "up{job='postern'}")) != 1:
                assert time.monotonic() < deadline, value
                time.sleep(0.2)
            answer = request(f"http://127.0.0.1:{port}", "GET", "/api/v1/rules", document=None).json
            rules = [rule for group in answer["data"]["groups"] for rule in group["rules"]]
            assert rules and all(rule["health"] in ("ok", "unknown") for rule in rules), rules
        finally:
            prometheus.terminate()
            prometheus.wait(timeout=60)


def ask(port, expression):
    try:
        answer = request(f"http://127.0.0.1:{port}", "GET", "/api/v1/query?query=" + expression, document=None)
    except ConnectionError:
        return None
    found = answer.json.get("data", {}).get("result", []) if answer.status == 200 else []
    return float(found[0]["value"][1]) if found else None


# MARK: The board

register_default_plugins()


def gone(mine, theirs, path="board"):
    """What of mine is not in theirs as it was."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in mine:
            yield from gone(mine[key], theirs[key], f"{path}.{key}") if key in theirs else [f"{path}.{key}"]
    elif isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
        for index, (one, other) in enumerate(zip(mine, theirs)):
            yield from gone(one, other, f"{path}[{index}]")
    elif mine != theirs:
        yield path


def understood(board):
    return json.loads(JSONEncoder().encode(Dashboard.from_json(board)))


def test_grafana_understands_the_whole_board():
    board = json.loads(BOARD.read_text())
    assert list(gone(board, understood(board))) == []
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
    assert len(set(places)) == len(places), "one panel lies on another"


def test_the_sdk_is_of_the_grafana_that_compose_starts():
    (image,) = re.findall(r"grafana/grafana:(\S+)", (DEPLOY / "compose/compose.yaml").read_text())
    assert importlib.metadata.version("grafana_foundation_sdk").partition("!")[2] == image


def test_a_field_that_grafana_does_not_know_is_seen():
    board = json.loads(BOARD.read_text())
    panel = next(panel for panel in board["panels"] if panel["type"] == "timeseries")
    panel["discription"] = "a typo"
    panel["targets"][0]["expression"] = "another"
    assert len(list(gone(board, understood(board)))) == 2


def test_the_board_is_what_its_script_writes(copied):
    passes(sys.executable, DEPLOY / "grafana" / "make-board", "--check")
    folder = copied("grafana", '"title": "Postern"', '"title": "Another"', BOARD.name)
    fails(sys.executable, folder / "make-board", "--check")


def expressions_of_the_board():
    return [target["expr"] for panel in json.loads(BOARD.read_text())["panels"] for target in panel.get("targets", [])]


def test_prometheus_can_parse_every_panel(tmp_path):
    """As rules, which promtool checks; Grafana's variables filled in."""
    def rules(expressions):
        filled = [text.replace("$__rate_interval", "1m").replace("$job", "postern").replace("$instance", ".*") for text in expressions]
        file = tmp_path / "panels.yml"
        file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": [
            {"record": f"panel:{number}", "expr": text} for number, text in enumerate(filled)]}]}))
        return file

    passes(program("promtool"), "check", "rules", rules(expressions_of_the_board()))
    fails(program("promtool"), "check", "rules", rules(["sum by (le (rate(postern_login_seconds_bucket[5m]))"]))
