"""Settings of the pgvector backend."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from orrery_knowledge.backends.pgvector.config import Hnsw, PgVectorConfig
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.settings import validate

URL = "postgresql://kb:hunter2@db.internal/knowledge"


def test_defaults():
    config = PgVectorConfig(url=URL)
    assert (config.schema_name, config.pool_size, config.hnsw) == ("orrery", 8, None)
    assert (config.statement_timeout_seconds, config.connect_timeout_seconds) == (10.0, 5.0)
    assert config.address == "db.internal"


def test_the_password_is_in_no_representation():
    assert "hunter2" not in f"{PgVectorConfig(url=URL)!r} {PgVectorConfig(url=URL)}"


@pytest.mark.parametrize(
    "url", ["mysql://kb:hunter2@h/d", "hunter2", "", "postgresql://kb:hunter2@h/d?nonsense=1"]
)
def test_a_wrong_url_is_refused_without_showing_it(url):
    with pytest.raises(ConfigurationError) as caught:
        validate(PgVectorConfig, {"url": url}, "backend")
    assert str(caught.value).startswith("backend.url: ")
    assert "hunter2" not in str(caught.value)
    with pytest.raises(ValidationError) as direct:
        PgVectorConfig(url=url)
    assert "hunter2" not in str(direct.value)


@pytest.mark.parametrize("name", ["Orrery", "a b", 'x"; DROP SCHEMA public; --', "", "1a", "a\n"])
def test_a_schema_has_a_plain_name(name):
    with pytest.raises(ValidationError):
        PgVectorConfig(url=URL, schema=name)


def test_the_schema_by_either_name():
    assert PgVectorConfig(url=URL, schema="one").schema_name == "one"
    assert PgVectorConfig(url=URL, schema_name="two").schema_name == "two"


def test_hnsw_is_off_on_or_detailed():
    assert PgVectorConfig(url=URL, hnsw=False).hnsw is None
    assert PgVectorConfig(url=URL, hnsw=True).hnsw == Hnsw()
    assert PgVectorConfig(url=URL, hnsw={"m": 8}).hnsw == Hnsw(m=8)
    with pytest.raises(ValidationError):
        PgVectorConfig(url=URL, hnsw={"m": 1})
