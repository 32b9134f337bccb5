from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alert_payloads import alert, group
from cli_support import Desk
from starlette.requests import Request
from starlette.testclient import TestClient

from orrery_knowledge.alerts import MAX_BYTES
from orrery_knowledge.runtime import build_retrieval
from orrery_knowledge.settings import load_settings
from orrery_knowledge.web import app as web
from orrery_knowledge.web import bodies


@pytest.fixture
def client(desk: Desk) -> Iterator[TestClient]:
    desk.write("DiskFull.md", "# DiskFull\n\nDelete old images.\n")
    assert desk.run("sync").code == 0
    application = web.create_app(build_retrieval(load_settings(None)))
    with TestClient(
        application, base_url="http://127.0.0.1:8085", raise_server_exceptions=False
    ) as made:
        yield made


def test_an_alert_is_routed(client: TestClient) -> None:
    answer = client.post("/alerts/route", json=group(alert("DiskFull")))
    assert answer.status_code == 200
    [route] = answer.json()["routes"]
    assert (route["matched_by"], route["confident"], route["duplicate"]) == (
        "alert_name",
        True,
        False,
    )
    assert route["passages"][0]["label"] == "DiskFull.md § DiskFull"
    assert route["alert"] == {
        "name": "DiskFull",
        "status": "firing",
        "fingerprints": ["f-DiskFull"],
        "count": 1,
    }
    [again] = client.post("/alerts/route", json=group(alert("DiskFull"))).json()["routes"]
    assert (again["duplicate"], again["passages"]) == (True, route["passages"])


@pytest.mark.parametrize(
    ("body", "code", "reason"),
    [
        (b"", 400, "the payload is no JSON"),
        (b"{", 400, "the payload is no JSON"),
        (b"[" * 50_000, 400, "the payload is no JSON"),
        (b"[]", 400, "the payload is no JSON object"),
        (b'{"version": "9", "alerts": []}', 400, "the payload is of another version"),
        (b" " * (MAX_BYTES + 1), 413, "the body is larger than 8192 KiB"),
    ],
)
def test_a_bad_webhook_hears_why(client: TestClient, body: bytes, code: int, reason: str) -> None:
    answer = client.post("/alerts/route", content=body)
    assert answer.status_code == code
    assert answer.json()["error"]["code"] == code
    assert answer.json()["error"]["message"].startswith(reason)


def test_a_body_without_a_length_is_bounded_too(client: TestClient) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(9):
            yield b" " * (1024 * 1024)

    assert client.post("/alerts/route", content=pieces()).status_code == 413


async def test_a_body_that_never_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing() -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr(bodies, "READ_SECONDS", 0.01)
    request = Request({"type": "http", "method": "POST", "headers": []}, nothing)
    with pytest.raises(bodies.Refused) as caught:
        async with bodies.Bodies().read(request, 100):
            pass
    assert caught.value.code == 408


def sending(body: bytes) -> Request:
    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


async def test_many_bodies_at_once_are_sent_away_until_some_are_done() -> None:
    held = bodies.Bodies(total=10)
    async with held.read(sending(b"123456"), 10) as first:
        with pytest.raises(bodies.Refused) as caught:
            async with held.read(sending(b"12345"), 10):
                pass
        assert (first, caught.value.code, caught.value.retry_after) == (b"123456", 503, 5)
        async with held.read(sending(b"1234"), 10) as second:
            assert second == b"1234"
    async with held.read(sending(b"1234567890"), 10) as third:
        assert third == b"1234567890"


def test_a_busy_server_says_when_to_come_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "Bodies", lambda: bodies.Bodies(total=3))
    application = web.create_app(build_retrieval(load_settings(None)))
    with TestClient(application, base_url="http://127.0.0.1:8085") as client:
        answer = client.post("/alerts/route", content=b"[{}]")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


def test_what_utf8_cannot_carry_is_data(client: TestClient) -> None:
    bad = "\ud800 disk"
    one = alert(bad, fingerprint=bad, summary=bad, runbook_url=f"https://x.example/{bad}")
    answer = client.post("/alerts/route", content=json.dumps(group(one)))
    assert answer.status_code == 200
    assert answer.json()["routes"][0]["alert"]["name"] == "\ufffd disk"
    assert client.post("/search", content=json.dumps({"query": bad})).status_code == 200


def test_a_search(client: TestClient) -> None:
    answer = client.post("/search", json={"query": "old images", "top_k": 1})
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert answer.json()["passages"][0]["label"] == "DiskFull.md § DiskFull"
    assert answer.headers["cache-control"] == "no-store"


def test_a_question_that_nothing_answers_is_a_gap(client: TestClient, desk: Desk) -> None:
    assert client.post("/search", json={"query": "solar panels"}).json()["status"] == "no_match"
    assert client.post("/search", json={"query": "DiskFull"}).json()["confident"]
    assert client.post("/search", json={"query": "solar", "corpus": "nope"}).status_code == 400
    gaps = desk.run("gaps", "--json").json["gaps"]
    assert [(gap["kind"], gap["text"], gap["count"]) for gap in gaps] == [
        ("question", "solar panels", 1)
    ]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, "query: Field required"),
        ({"query": 7}, "query: Input should be a valid string"),
        ({"query": "x", "top_k": 0}, "top_k: "),
        ({"query": "x", "mode": "magic"}, "mode: "),
        ({"query": "x", "secret": "hush"}, "secret: "),
        ([], "the body: "),
    ],
)
def test_a_bad_search_hears_why(client: TestClient, asked: object, reason: str) -> None:
    answer = client.post("/search", json=asked)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(reason)
    assert "hush" not in answer.text


def test_an_invalid_and_an_unavailable_search(client: TestClient, tmp_path: Path) -> None:
    assert client.post("/search", json={"query": " "}).status_code == 400
    assert client.post("/search", content=b"\xff").status_code == 400
    (tmp_path / ".orrery" / "index.db").unlink()
    assert client.post("/search", json={"query": "disk"}).status_code == 503
    assert client.post("/alerts/route", json=group(alert("X"))).status_code == 503
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200


def test_health(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok", "load": 1}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8085", "127.0.0.1.evil.example", ""]
)
def test_a_name_that_was_made_to_lead_here_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "localhost:8085", "127.0.0.1", "[::1]:8085"])
def test_our_own_names_are_ours(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:8085"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_no_page_asks(client: TestClient, headers: dict[str, str]) -> None:
    for path in ("/alerts/route", "/search"):
        answer = client.post(path, content=json.dumps({"query": "x"}), headers=headers)
        assert answer.status_code == 403


def test_what_is_not_there(client: TestClient) -> None:
    assert client.get("/docs").status_code == 404
    assert client.get("/openapi.json").status_code == 404
    assert client.get("/search").status_code == 405
    assert client.get("/nothing").json() == {"error": {"code": 404, "message": "Not Found"}}


def test_a_failure_inside_says_nothing_of_itself(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: bytes) -> None:
        raise RuntimeError("secret inner text")

    monkeypatch.setattr(web, "read_payload", broken)
    answer = client.post("/alerts/route", json=group())
    assert answer.status_code == 500
    assert answer.json() == {"error": {"code": 500, "message": "internal error"}}
    # The server logs what reaches it, with its traceback: nothing does.
    server = TestClient(client.app, base_url="http://127.0.0.1:8085")
    assert server.post("/alerts/route", json=group()).status_code == 500
    assert "a request failed: RuntimeError" in caplog.text
    assert "secret" not in caplog.text
