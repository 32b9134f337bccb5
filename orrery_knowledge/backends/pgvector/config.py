"""Settings of the pgvector backend."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator


class Hnsw(BaseModel):
    """An approximate index for searches without a filter.

    Attributes:
        m: links a node.
        ef_construction: candidates looked at for each row while the index is built.
        max_scan_tuples: rows after which an iterative scan gives up; exact search takes over.
        min_recall: the index is not used below this share of the exact neighbours (`probe`).
    """

    model_config = ConfigDict(extra="forbid")
    m: Annotated[int, Field(ge=4, le=100)] = 16
    ef_construction: Annotated[int, Field(ge=8, le=1000)] = 64
    max_scan_tuples: Annotated[int, Field(ge=1)] = 20_000
    min_recall: Annotated[float, Field(gt=0, le=1)] = 0.95


class PgVectorConfig(BaseModel):
    """Settings of the pgvector backend.

    Attributes:
        url: ``postgresql://user:password@host/database``; a secret, best set in the environment.
        schema_name: the schema that holds our tables, written ``schema`` in the file; two indexes
            in one database need two.
        pool_size: connections of a process, shared by everything in it that uses the same URL.
        statement_timeout_seconds: after this long a search is `unavailable`.
        connect_timeout_seconds: the same for a connection.
        hnsw: off (exact search) unless it is turned on.
    """

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, populate_by_name=True)
    type: Literal["pgvector"] = "pgvector"
    url: SecretStr = Field(examples=["postgresql://user:password@host/database"])
    schema_name: Annotated[
        str,
        Field(
            alias="schema",
            pattern=r"^[a-z_][a-z0-9_]{0,62}$",
            description="lower-case letters, digits and _, at most 63, with no digit first",
        ),
    ] = "orrery"
    pool_size: Annotated[int, Field(ge=1, le=100)] = 8
    statement_timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 10.0
    connect_timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 5.0
    hnsw: Hnsw | None = Field(default=None, examples=["true"])

    @field_validator("url")
    @classmethod
    def _is_postgres(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        if not text.startswith(("postgresql://", "postgres://")):
            raise ValueError("it must begin with postgresql://")
        try:
            conninfo_to_dict(text)
        except ProgrammingError:
            raise ValueError("it is not a valid PostgreSQL URL") from None
        return value

    @field_validator("hnsw", mode="before")
    @classmethod
    def _on_or_off(cls, value: Any) -> Any:
        return {True: {}, False: None}.get(value, value) if isinstance(value, bool) else value

    @property
    def address(self) -> str | None:
        """The server's name, for traces; None for a socket in the file system."""
        host = conninfo_to_dict(self.url.get_secret_value()).get("host")
        return None if host is None or str(host).startswith("/") else str(host)
