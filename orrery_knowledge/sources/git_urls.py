"""Where a git source points: what is accepted, and how it is shown without its secrets."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from urllib.parse import quote, urlsplit, urlunsplit

import re2

ALLOWED_SCHEMES = ("file", "git", "http", "https", "ssh")
# `[user@]host:path`, as git reads it: a colon before the first slash.
_SCP_LIKE = re2.compile(r"(?:([^@:/]+)@)?([^@:/]+):(.*)")
_SCHEME = re2.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HELPER = re2.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_USERINFO = re2.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^/\s'\"]*@")
_QUERY = re2.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^\s'\"?#]*)[?#][^\s'\"]*")
_CONTROL = re2.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True)
class GitLocation:
    """A checked location.

    Attributes:
        url: as configured; may hold credentials.
        remote: whether git must fetch it; otherwise it is a path of this machine.
        shown: for people: no user name of an HTTP URL, no password, no query.
    """

    url: str
    remote: bool
    shown: str

    @property
    def mirror_name(self) -> str:
        """Names the folder of its mirror; a rotated credential leaves it as it is."""
        return hashlib.sha256(self.shown.encode()).hexdigest()[:32]


def parse_location(url: str) -> GitLocation:
    """Check a URL or path.

    Raises:
        ValueError: it could be taken for an option, names a transport that runs programs, or is
            no location at all. The message does not repeat the URL.
    """
    if not url or _CONTROL.search(url):
        raise ValueError("url must be one line and not empty")
    if url.startswith("-"):
        raise ValueError("url must not begin with -")
    if _HELPER.match(url):
        raise ValueError(
            "url names a remote helper (name::...); use "
            + ", ".join(ALLOWED_SCHEMES)
            + " or a path"
        )
    if scheme := _SCHEME.match(url):
        if scheme.group(1).lower() not in ALLOWED_SCHEMES:
            raise ValueError(
                f"url scheme {scheme.group(1)!r} is not supported; use "
                + ", ".join(ALLOWED_SCHEMES)
                + " or a path"
            )
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
            _ = parts.port
        except ValueError:
            raise ValueError("url is not valid") from None
        if host.startswith("-") or (not host and parts.scheme != "file"):
            raise ValueError("url has no valid host")
        return GitLocation(url, True, shown_url(url))
    if scp := _SCP_LIKE.fullmatch(url):
        if scp.group(2).startswith("-") or (scp.group(1) or "").startswith("-"):
            raise ValueError("url has no valid host")
        return GitLocation(url, True, shown_url(url))
    return GitLocation(url, False, url)


def shown_url(url: str) -> str:
    """A URL without what must not be shown.

    An SSH user name stays, because it is part of the address; that of an HTTP URL may be a token.
    The `host:path` form becomes an ``ssh://`` URL.
    """
    if not _SCHEME.match(url):
        scp = _SCP_LIKE.fullmatch(url)
        if scp is None:
            return url
        user = f"{scp.group(1)}@" if scp.group(1) else ""
        return f"ssh://{user}{scp.group(2)}/{scp.group(3).lstrip('/')}"
    parts = urlsplit(url)
    userinfo, _, host = parts.netloc.rpartition("@")
    user = userinfo.partition(":")[0] if parts.scheme.lower() == "ssh" else ""
    netloc = f"{user}@{host}" if user else host
    return urlunsplit((parts.scheme.lower(), netloc, parts.path, "", ""))


def document_uri(shown: str, commit: str, path: bytes) -> str:
    """``git+<url>@<commit>#<path>``, the form that package installers use."""
    base = f"git+{shown}" if _SCHEME.match(shown) else f"git+file:{quote(shown)}"
    return f"{base}@{commit}#{quote(path)}"


def redact(text: str, location: GitLocation | None = None) -> str:
    """One line of git's output without credentials and control characters."""
    if location is not None and location.remote:
        text = text.replace(location.url, location.shown)
        userinfo = urlsplit(location.url).netloc.rpartition("@")[0]
        for secret in (userinfo, userinfo.partition(":")[2]):
            # A short one would only cut up innocent words.
            if len(secret) >= 4:
                text = text.replace(secret, "***")
    for pattern, replacement in ((_USERINFO, r"\1"), (_QUERY, r"\1"), (_CONTROL, " ")):
        text = str(pattern.sub(replacement, text))
    return text.strip()
