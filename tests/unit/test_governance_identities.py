from __future__ import annotations

import hashlib

import pytest
from cli_support import CONFIGURATION, Desk

from orrery_knowledge.governance.identities import Identities, Identity, new_token, token_digest
from orrery_knowledge.models import Role

ADA = Identity(name="ada", role="approver")


@pytest.mark.parametrize(
    ("role", "agent", "may"),
    [
        ("viewer", False, {"viewer"}),
        ("approver", False, {"viewer", "approver"}),
        ("admin", False, {"viewer", "approver", "admin"}),
        ("admin", True, {"viewer"}),
    ],
)
def test_what_a_role_may(role: Role, agent: bool, may: set[str]) -> None:
    identity = Identity(name="x", role=role, agent=agent)
    roles: tuple[Role, ...] = ("viewer", "approver", "admin")
    assert {one for one in roles if identity.may(one)} == may


def test_a_token_is_known_by_its_digest_and_by_nothing_else() -> None:
    token, other = new_token(), new_token()
    assert token != other
    assert len(token) >= 43  # 256 bits in base64
    assert token_digest(token) == hashlib.sha256(token.encode()).hexdigest()
    identities = Identities([(ADA, token_digest(token).upper())])
    assert identities.configured
    assert identities.of(token) == ADA
    for wrong in (other, "", token_digest(token), token[:-1], f"{token} ", "\ud800"):
        assert identities.of(wrong) is None


def test_a_name_may_have_several_tokens() -> None:
    first, second = new_token(), new_token()
    identities = Identities([(ADA, token_digest(one)) for one in (first, second)])
    assert identities.of(first) == identities.of(second) == ADA


def test_nobody_is_known_where_nobody_is_configured() -> None:
    assert not Identities().configured
    assert Identities().of("") is None


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{name: bot, role: admin, agent: true, token_sha256: HASH}", "no more than a viewer"),
        ("{name: ada, role: king, token_sha256: HASH}", "role"),
        ("{name: ada, role: viewer, token_sha256: abc}", "token_sha256"),
        ("{name: '', token_sha256: HASH}", "name"),
        ("{name: ada}", "token_sha256"),
        ("{name: ada, token: secret, token_sha256: HASH}", "token"),
        ("{name: ada, token_sha256: HASH}, {name: eve, token_sha256: HASH}", "identity 1, too"),
    ],
)
def test_a_wrong_identity_is_refused_in_one_line(desk: Desk, entry: str, said: str) -> None:
    entry = entry.replace("HASH", "a" * 64)
    (desk.folder / "orrery.yaml").write_text(f"{CONFIGURATION}identities: [{entry}]\n")
    ran = desk.run("review", "approve", "book:a.md@0123456789ab", "--reason", "x")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert said in ran.err
    assert "secret" not in ran.err.replace("'token'", "")


def test_a_token_is_made_shown_and_kept_nowhere(desk: Desk) -> None:
    made = desk.run("token", "ada", "--role", "approver", "--json")
    assert made.code == 0
    token, entry = made.json["token"], made.json["identity"]
    assert entry == {"name": "ada", "role": "approver", "token_sha256": token_digest(token)}
    assert not any(
        token.encode() in file.read_bytes() for file in desk.folder.rglob("*") if file.is_file()
    )
    assert desk.run("token", "bot", "--agent", "--json").json["identity"]["agent"] is True
    assert desk.run("token", "bot", "--agent", "--role", "admin").code == 2
    assert desk.run("token", "a\x1b[2J").code == 2
