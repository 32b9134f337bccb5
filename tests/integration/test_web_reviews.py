"""Reviews over HTTP: roles, and what each route gives to whom; on each engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient
from sync_support import SOURCE, Place, page

from orrery_knowledge.governance.identities import new_token, token_digest
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.reviewing import Reviewing
from orrery_knowledge.runtime import build_identities, build_index, build_sources, sync_options
from orrery_knowledge.web.access import Needs
from orrery_knowledge.web.app import create_app

pytest_plugins = ["engine_fixtures"]

REVIEW = {"id": SOURCE, "type": "filesystem", "path": SOURCE, "trust": "review"}
ODD = "odd name/50% off#x.md"
OPEN = {"/healthz", "/readyz"}
TOKENS = {name: new_token() for name in ("ada", "eve", "bot")}
IDENTITIES = [
    {"name": "ada", "role": "approver", "token_sha256": token_digest(TOKENS["ada"])},
    {"name": "eve", "role": "viewer", "token_sha256": token_digest(TOKENS["eve"])},
    {"name": "bot", "agent": True, "token_sha256": token_digest(TOKENS["bot"])},
]


def served(place: Place) -> TestClient:
    settings = place.settings
    index, ledger = build_index(settings), Ledger(settings.ledger_location)
    reviewing = Reviewing(
        index, ledger, build_sources(settings), place.embedder, sync_options(settings)
    )
    app = create_app(
        Retrieval(index, ledger, place.embedder),
        identities=build_identities(settings),
        reviews=(reviewing, ledger),
    )
    return TestClient(app, base_url="http://127.0.0.1:8085", raise_server_exceptions=False)


@pytest.fixture
def waiting(empty_place: Place) -> Place:
    empty_place.configure(REVIEW, identities=IDENTITIES)
    empty_place.write("p00.md", page("Page 0", "zebra own0x"))
    empty_place.write(ODD, page("Odd", "walrus"))
    empty_place.sync()
    return empty_place


@pytest.fixture
def client(waiting: Place) -> Iterator[TestClient]:
    with served(waiting) as made:
        yield made


def as_(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKENS[name]}"}


def ids(client: TestClient) -> dict[str, str]:
    found = client.get("/reviews", params={"status": "pending"}, headers=as_("ada"))
    assert found.status_code == 200
    return {one["title"]: one["id"] for one in found.json()}


def decide(client: TestClient, verb: str, review_id: str, name: str = "ada", **more: Any) -> Any:
    more.setdefault("json", {"id": review_id, "reason": "tried it"})
    return client.post(f"/reviews/{verb}", headers=as_(name) | more.pop("headers", {}), **more)


def test_an_approver_reads_decides_and_it_answers(client: TestClient) -> None:
    found = ids(client)
    assert set(found) == {"Page 0", "Odd"}
    for title, word in (("Page 0", "own0x"), ("Odd", "walrus")):
        asked = {"id": found[title]}
        shown = client.get("/reviews/show", params=asked, headers=as_("ada")).json()
        assert word in shown["text"]
        assert (shown["status"], shown["answers_now"]) == ("pending", None)
        done = decide(client, "approve", found[title])
        assert (done.status_code, done.json()["answers"]) == (200, True)
        answer = client.post("/search", json={"query": word}, headers=as_("eve")).json()
        assert answer["passages"][0]["trust"] == "reviewed by ada"
    revoked = decide(client, "revoke", found["Odd"])
    assert (revoked.status_code, revoked.json()["answers"]) == (200, False)
    assert decide(client, "approve", found["Odd"]).status_code == 409
    again = {"id": found["Odd"], "reason": "I know", "again": True}
    assert decide(client, "approve", found["Odd"], json=again).json()["answers"]
    assert decide(client, "reject", found["Odd"], json=again).status_code == 400
    assert decide(client, "revoke", found["Odd"]).status_code == 200
    [listed] = client.get("/reviews", params={"status": "revoked"}, headers=as_("ada")).json()
    assert (listed["reviewer"], listed["verified"], listed["reason"]) == ("ada", True, "tried it")


def test_who_may_not_hears_so_and_nothing_changes(client: TestClient) -> None:
    one = ids(client)["Page 0"]
    for verb in ("approve", "reject", "revoke"):
        for name in ("eve", "bot"):
            refused = decide(client, verb, one, name)
            assert (refused.status_code, refused.json()["error"]["message"]) == (
                403,
                "this takes an approver",
            )
    for headers in (
        {},
        {"Authorization": "Bearer "},
        {"Authorization": f"Bearer {new_token()}"},
        {"Authorization": f"Basic {TOKENS['ada']}"},
        {"Authorization": TOKENS["ada"]},
        {"Authorization": f"Bearer {IDENTITIES[0]['token_sha256']}"},
    ):
        asked = {"id": one, "reason": "x"}
        refused = client.post("/reviews/approve", headers=headers, json=asked)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
    assert set(ids(client)) == {"Page 0", "Odd"}


def test_two_tokens_are_none(client: TestClient) -> None:
    both = [("Authorization", f"Bearer {TOKENS[name]}") for name in ("eve", "ada")]
    assert client.get("/reviews", headers=both).status_code == 401


def test_every_route_says_what_it_takes(client: TestClient) -> None:
    """One that is added without a role is open to everybody, and fails here."""
    app: Any = client.app
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    assert len(routes) >= 10
    roles = {}
    for route in routes:
        needed = [d.call.role for d in route.dependant.dependencies if isinstance(d.call, Needs)]
        roles[route.path, *route.methods] = needed
    assert {path for (path, *_), needed in roles.items() if not needed} == OPEN
    decisions = [needed for (path, *_), needed in roles.items() if path.startswith("/reviews")]
    assert decisions == [["approver"]] * 5
    for path, method in roles:
        url = path.replace("{investigation:path}", "x")
        if path not in OPEN:
            assert client.request(method, url).status_code == 401, path
        if path.startswith("/reviews"):
            assert client.request(method, url, headers=as_("bot")).status_code == 403, path


def test_what_is_asked_wrongly(client: TestClient) -> None:
    one = ids(client)["Page 0"]
    good = {"id": one, "reason": "x"}
    for wrong in ({"reason": " "}, {"reason": 7}, {"role": "admin"}, {"id": 7}, {"id": "no id"}):
        assert decide(client, "approve", one, json=good | wrong).status_code == 400
    for body in ({}, [], {"id": one}, {"reason": "x"}):
        assert decide(client, "approve", one, json=body).status_code == 400
    form = {"headers": {"Content-Type": "text/plain"}, "content": b'{"reason": "x"}', "json": None}
    assert decide(client, "approve", one, **form).status_code == 415
    page_ = {"headers": {"Origin": "http://evil.example"}}
    assert decide(client, "approve", one, **page_).status_code == 403
    assert decide(client, "approve", "docs:no.md@0123456789ab").status_code == 409
    assert client.get("/reviews/show?id=no%20id", headers=as_("ada")).status_code == 400
    assert client.get("/reviews/show", headers=as_("ada")).status_code == 400
    assert client.get("/reviews?status=odd", headers=as_("ada")).status_code == 400
    assert set(ids(client)) == {"Page 0", "Odd"}
    assert decide(client, "approve", one).status_code == 200
    assert decide(client, "approve", one).status_code == 409


def test_evidence_is_for_viewers(waiting: Place, client: TestClient) -> None:
    decide(client, "approve", ids(client)["Page 0"])
    waiting.search("zebra", investigation="INC/1 a")
    url = f"/evidence/{quote('INC/1 a', safe='')}"
    assert client.get(url).status_code == 401
    [saved] = client.get(url, headers=as_("bot")).json()
    assert (saved["investigation"], saved["path"]) == ("INC/1 a", "p00.md")
    assert client.get("/evidence/other", headers=as_("eve")).status_code == 404


def test_without_identities_this_machine_reads_and_nobody_decides(empty_place: Place) -> None:
    empty_place.configure(REVIEW)
    empty_place.fill(1)
    empty_place.sync()
    with served(empty_place) as client:
        assert client.post("/search", json={"query": "zebra"}).status_code == 503
        refused = client.get("/reviews")
        assert refused.status_code == 403
        assert "no identities are configured" in refused.json()["error"]["message"]
        assert client.post("/reviews/approve", json={"id": "x", "reason": "x"}).status_code == 403
        assert client.get("/healthz").status_code == 200
