from __future__ import annotations

from pathlib import Path

import pytest

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.gaps import rules
from orrery_knowledge.gaps.rules import AlertRule, read_file, read_rules

PLAIN = """\
groups:
  - name: pool
    interval: 30s
    rules:
      - record: job:pool:sum
        expr: sum(pool)
      - alert: PoolFull
        expr: pool > 0.9
        for: 5m
        labels: {severity: page, level: 1}
        annotations:
          summary: "pool of {{ $labels.instance }} is full"
          runbook_url: https://example.org/pool.md#remedy
"""

RESOURCE = """\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: pool}
spec:
  groups:
    - name: op
      rules: [{alert: FromOperator, expr: up == 0}]
"""


def found(text: str) -> list[str]:
    return [rule.name for rule in read_rules("a.yaml", text.encode())]


def refusal(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(ConfigurationError) as caught:
        read_rules("a.yaml", data)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_rule_file() -> None:
    assert read_rules("a.yaml", PLAIN.encode()) == [
        AlertRule(
            file="a.yaml",
            line=7,
            group="pool",
            name="PoolFull",
            labels={"severity": "page", "level": "1"},
            annotations={
                "summary": "pool of {{ $labels.instance }} is full",
                "runbook_url": "https://example.org/pool.md#remedy",
            },
        )
    ]


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (RESOURCE, ["FromOperator"]),
        (f"{PLAIN}---\n{RESOURCE}---\n", ["PoolFull", "FromOperator"]),
        (f"kind: Service\nspec: {{}}\n---\n{RESOURCE}", ["FromOperator"]),
        (f"kind: List\nitems:\n  -\n{indented(RESOURCE)}", ["FromOperator"]),
        (f"kind: PrometheusRuleList\nitems:\n  -\n{indented(RESOURCE)}", ["FromOperator"]),
        (f"-\n{indented(RESOURCE)}-\n{indented(PLAIN)}", ["FromOperator", "PoolFull"]),
        ("groups: []\n", []),
        ("groups:\n", []),
        ("groups: [{name: a, rules: [{record: x, expr: y}]}]\n", []),
        ("groups: [{name: a}]\n", []),
        ("groups: [{rules: [{alert: 404, annotations: }]}]\n", ["404"]),
        ("\ufeffgroups: [{rules: [{alert: Bom}]}]\r\n", ["Bom"]),
    ],
)
def test_what_rules_come_in(text: str, names: list[str]) -> None:
    assert found(text) == names


def test_json_is_yaml_too() -> None:
    assert found('{"groups": [{"rules": [{"alert": "A", "annotations": {"x": "y"}}]}]}') == ["A"]


def test_merge_keys_are_read_and_lie_below() -> None:
    text = (
        "x: &x {summary: base, team: a}\n"
        "groups: [{rules: [{alert: A, annotations: {<<: *x, summary: own}}]}]\n"
    )
    assert read_rules("a", text.encode())[0].annotations == {"summary": "own", "team": "a"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("groups:\n  - name: [\n", "a.yaml, line 3: is not valid YAML"),
        ("a: b\na2: b: c\n", "a.yaml, line 2: is not valid YAML"),
        ("groups: *gone\n", "a.yaml, line 1: is not valid YAML"),
        ("# nothing\n", "a.yaml: holds no rules: neither groups nor a PrometheusRule"),
        ("kind: Service\n", "a.yaml: holds no rules: neither groups nor a PrometheusRule"),
        ("groups: {a: b}\n", "a.yaml, line 1: has groups that are no list"),
        ("groups:\n  - x\n", "a.yaml, line 2: has a group that is no mapping"),
        ("groups: [{rules:\n x}]\n", "a.yaml, line 2: has rules that are no list"),
        ("groups: [{rules: [x]}]\n", "a.yaml, line 1: has a rule that is no mapping"),
        ("groups: [{rules: [{alert: ''}]}]\n", "a.yaml, line 1: has an alert without a name"),
        ("groups: [{rules: [{alert: A,\n alert: B}]}]\n", "a.yaml, line 2: has a key twice"),
        (b"groups:\n\xff", "a.yaml, line 2: is no UTF-8"),
        ("groups:\n\x00", "a.yaml, line 2: holds a control character"),
        ("[" * 60, "a.yaml, line 1: nests more than 50 levels"),
        ("- " * 100_000, "a.yaml, line 1: nests more than 50 levels"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str | bytes, message: str) -> None:
    assert refusal(text) == f"rules: {message}"


@pytest.mark.parametrize(
    "text",
    [
        "groups:\n{{- if .Values.alerts }}\n  - name: a\n{{- end }}\n",
        "groups:\n  - name: {{ .Release.Name }}\n",
        "groups:\n{{ range $x := list 1 }}\n  - name: a\n{{ end }}\n",
        'kind: PrometheusRule\nmetadata:\n  labels: {{- include "x.labels" . | nindent 4 }}\n',
        "groups: [{rules: [{alert: A, annotations: {x: '{{`{{ $labels.a }}`}}'}}]}]\n",
    ],
)
def test_a_helm_template_is_refused_with_the_way_out(text: str) -> None:
    message = refusal(text)
    assert "is a Helm template; render it first: helm template" in message
    assert message.startswith("rules: a.yaml, line ")


def test_templates_of_prometheus_are_none_of_helm() -> None:
    text = (
        "groups: [{rules: [{alert: A, annotations: "
        "{x: '{{ range query \"up\" }}{{ .Labels.instance }} {{ .Value | humanize }}{{ end }}'}}]}]"
    )
    assert found(text) == ["A"]


LAUGHS = "a0: &a0 [lol]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (LAUGHS + "groups: [{rules: [{alert: A, annotations: {x: *a11}}]}]\n", ["A"]),
        ("groups: [{rules: [&r {alert: A, labels: *r}]}]\n", ["A"]),
    ],
)
def test_aliases_in_what_is_not_looked_at_cost_nothing(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        f"x: &x [{', '.join(['{alert: A}'] * 1000)}]\n"
        f"y: &y {{rules: *x}}\ngroups: [{', '.join(['*y'] * 2000)}]\n",
        f"x: &x {{{', '.join(f'k{n}: v' for n in range(2000))}}}\n"
        f"groups: [{{rules: [{', '.join(['{<<: *x, alert: A}'] * 1000)}]}}]\n",
    ],
)
def test_aliases_in_what_is_looked_at_are_counted(text: str) -> None:
    assert "holds more than 200000 values" in refusal(text)


def test_a_merge_of_itself_ends() -> None:
    assert "merges too many mappings" in refusal("groups: &g [{rules: [&r {<<: *r, alert: A}]}]\n")


def test_a_large_file_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MAX_BYTES", 1024 * 1024)
    large = tmp_path / "large.yaml"
    with large.open("wb") as opened:
        opened.truncate(200 * 1024 * 1024)
    data = read_file(large)
    assert len(data) == 1024 * 1024 + 1
    assert refusal(data) == "rules: a.yaml: is larger than 1 MiB"


def test_a_file_that_can_not_be_read_is_refused(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "no.yaml", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(ConfigurationError, match=reason):
            read_file(path)
