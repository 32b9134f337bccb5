"""The fixed queries: what people type, alerts, names, pasted logs, words that are everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

from bench.corpus import make_document, read_samples, vector_of
from bench.words import coin, draw_rank, service_name
from orrery_knowledge.models import Query
from orrery_knowledge.protocols import Vectors

Kind = Literal["symptom", "question", "alert", "identifier", "log", "common", "filtered"]
KINDS: tuple[Kind, ...] = get_args(Kind)
POOL = 50
PASSAGES = 6


@dataclass(frozen=True)
class Asked:
    """A query with its vector, as every engine gets it."""

    kind: Kind
    text: str
    vector: Vectors
    service: str | None = None

    @property
    def query(self) -> Query:
        """The same for our own engines."""
        return Query(text=self.text, service=self.service, top_k=PASSAGES, pool=POOL)


SYMPTOMS = (
    "payments time out after 30 seconds",
    "customers press the button again and are charged twice",
    "pods restart every few minutes",
    "orders are stuck in pending",
    "consumers fall behind after a deployment",
    "login fails with certificate errors",
    "disk of the broker fills up",
    "dns answers are slow",
    "cache is cold and the database is overloaded",
    "no space left on the key value store",
    "refunds arrive late",
    "images cannot be pulled from the registry",
)
QUESTIONS = (
    "how do I roll back a release in a hurry?",
    "what should I check before I delete a pod that leaks connections?",
    "why did we choose transaction pooling in front of the database?",
    "who may silence an alert and for how long?",
    "how is a sealed vault opened again after a restart?",
    "what happens to duplicate notifications when a consumer is rebalanced?",
    "when may the retention of a topic be lowered?",
    "which columns of the orders table may be null?",
    "how many connections may all pods of a service hold together?",
    "what do we do when a vulnerability is found in a base image?",
    "how long may a replica lag behind before reads are moved?",
    "is it safe to add pods while the pool is exhausted?",
)
COMMON = (
    "the pod is not in order",
    "first alert of the pod",
    "one connection for each second",
    "what is the error of the worker",
    "when the gateway reads from the store",
    "two alerts in the first minute",
    "is the time set at the api",
    "order the pods by time",
    "no connection at the second time",
    "pods of the gateway and of the worker, one after another",
)
_LEVELS = ("INFO", "WARN", "ERROR", "DEBUG")
_CLASSES = (
    "java.sql.SQLTransientConnectionException",
    "java.lang.OutOfMemoryError",
    "org.apache.kafka.common.errors.TimeoutException",
    "io.netty.channel.ConnectTimeoutException",
    "redis.exceptions.ConnectionError",
)


def make_queries(seed: int, each: int | None = None) -> list[Asked]:
    """The queries in an order that mixes the kinds; the same at every size of the corpus.

    Args:
        seed: of the corpus, whose first documents lend the names that are asked for.
        each: at most so many of a kind.
    """
    random = Random(f"queries:{seed}")
    services, names = _lent(seed)
    filtered = [(text, services[number % 4]) for number, text in enumerate(SYMPTOMS[:8])]
    texts: dict[Kind, Sequence[tuple[str, str | None]]] = {
        "symptom": [(text, None) for text in SYMPTOMS],
        "question": [(text, None) for text in QUESTIONS],
        "alert": [(_alert(random, services, names), None) for _ in range(12)],
        "identifier": [(name, None) for name in random.sample(names, 12)],
        "log": [(_log(random, services, names), None) for _ in range(12)],
        "common": [(text, None) for text in COMMON],
        "filtered": filtered,
    }
    rounds = max(map(len, texts.values())) if each is None else each
    return [
        Asked(kind, text, vector_of(text, text.partition(" ")[0]), service)
        for number in range(rounds)
        for kind in KINDS
        for text, service in texts[kind][number : number + 1]
    ]


def _lent(seed: int) -> tuple[list[str], list[str]]:
    """Services and identifiers of the first eligible documents."""
    samples = read_samples()
    services: list[str] = []
    names: dict[str, None] = {}
    for number in range(60):
        document = make_document(samples, seed, number)
        if document is not None and document.eligible and document.service is not None:
            services.append(document.service)
            for chunk in document.chunks:
                names |= dict.fromkeys(name for name in chunk.identifiers if len(name) > 8)
    return services, list(names)


def _alert(random: Random, services: Sequence[str], names: Sequence[str]) -> str:
    service = random.choice(services)
    summary = random.choice(SYMPTOMS)
    name, about = random.choice(names), random.choice(names)
    labels = {
        "alertname": name,
        "cluster": f"eu-west-{random.randint(1, 3)}",
        "severity": "critical",
        "namespace": service.partition("-")[0],
        "service": service,
        "pod": f"{service}-{_hex(random, 10)}",
    }
    return (
        " ".join(f"{label}={value}" for label, value in labels.items())
        + f"\nsummary: {summary}"
        + f"\ndescription: {about} has been above {random.randint(2, 99)} % for 15m."
    )


def _log(random: Random, services: Sequence[str], names: Sequence[str]) -> str:
    """Thirty to sixty lines as somebody pastes them: a few messages again and again.

    Time stamps, request ids and numbers differ from line to line; most words are of no use.
    """
    pods = [service_name(random), *random.sample(services, 2)]
    said = [s.sentences[0] for s in read_samples().sections if s.sentences]
    messages = [
        f"{random.choice(_CLASSES)}: {random.choice(names)} after {{0}}ms (waiting={{1}})",
        f"request_id={{2}} status={{3}} path=/{coin(draw_rank(random))}/{{1}}",
        f"at com.example.{coin(draw_rank(random))}.{random.choice(names)}(Client.java:{{1}})",
        *(sentence.replace("{", "(").replace("}", ")") for sentence in random.sample(said, 3)),
    ]
    lines = random.randint(30, 60)
    return "\n".join(_line(random, pods, random.choice(messages)) for _ in range(lines))


def _line(random: Random, pods: Sequence[str], message: str) -> str:
    stamp = f"2026-03-11T09:{random.randint(10, 12)}:{random.randint(10, 59)}"
    level, pod = random.choice(_LEVELS), random.choice(pods)
    values = (
        random.randint(100, 90_000),
        random.randint(1, 99),
        _hex(random, 8),
        random.choice((200, 429, 500, 503)),
    )
    return f"{stamp}.{random.randint(100, 999)}Z {level} [{pod}] {message.format(*values)}"


def _hex(random: Random, length: int) -> str:
    return f"{random.getrandbits(4 * length):0{length}x}"
