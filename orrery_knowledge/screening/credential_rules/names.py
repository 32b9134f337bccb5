"""What a secret is called: the names of keys, options and columns."""

from __future__ import annotations

from orrery_knowledge.screening.findings import word_set
from orrery_knowledge.screening.patterns import compiled

FOREIGN = (
    r"passwort|kennwort|contrase(?:ñ|n)a|mot[ _-]de[ _-]passe|motdepasse|mdp|senha|palavra-passe"
    r"|wachtwoord|has(?:ł|l)o|parola|chiave segreta|(?:ş|s)ifre|l(?:ö|o)senord|adgangskode|passord"
    r"|salasana|jelsz(?:ó|o)|heslo|zugangscode|clave"
)
"""Words for a password in other languages of the Latin alphabet."""
FAR = (
    r"токен|ключ|API ?キー|トークン|пароля?|ключ доступа|секретный ключ|密码|密碼|口令"
    r"|密钥|密鑰|令牌|パスワード|暗証番号|合言葉"
    r"|비밀번호|암호|رمز المرور|كلمة المرور|كلمة السر|סיסמ[הא]|सिफर|पासवर्ड|รหัสผ่าน|mật khẩu|κωδικός"
)
"""The same in other scripts, where words have no ASCII boundary."""

KEYWORD = (
    r"(?:passw(?:or)?ds?|passwd|passphrase|passcode|pwd|pass|passwrd|pswd|psk|secrets?|tokens?"
    r"|api[_.-]?keys?"
    r"|access[_.-]?keys?|private[_.-]?keys?|auth[_.-]?keys?|(?:encryption|signing|master|license"
    r"|ingest|account|storage|deploy|service|webhook|client|app|consumer)[_.-]?keys?"
    r"|credentials?|creds?|auth|apikey|login|keys?|cookie|salt|community|jwt|pin|seed|mnemonic"
    r"|session[_.-]?id|sessid|pepper|totp|otp|kek|dek|hmac|encrypt|secure|authtok|pw|basic"
    r"|api[_.-]?hash|private|" + FOREIGN + r")"
)
"""What makes a name worth a look; `kind_of` decides."""

_NOT_SECRET = word_set(
    """
    name names file files filename path paths dir ref refs reference url uri urls endpoint policy
    policies length len size ttl expiry expires expiration expired lifetime age count counts
    type types id ids env field fields prompt rotation rotate enabled enable disable manager
    store provider providers class mode version format algorithm alg algo hint reset resets
    change changed changes error errors failed failure missing invalid valid validation
    authentication auth authenticator rule rules required interval timeout limit limits
    header headers template request requests review pair pairs code label annotation
    annotations namespace volume mount usage info status state management lookup scope
    scopes source engine backend method methods account issuer audience server host port
    encryption strength days hours minutes seconds history attempts question plugin module
    budget bucket holder domain samesite httponly prefix suffix regex pattern
    identifier identifiers placeholder column separator kind description title text message
    """
)
_PUBLIC_KEY = word_set(
    """
    public pub primary foreign partition cache sort routing idempotency dedup map row index
    object trace span group hash config composite natural unique label sort lookup registry
    ssh host known hot soft turn arrow topology event message record json yaml dict search
    dedupe deduplication evaluated pagination next previous cursor correlation idempotent scroll
    recv receive list send delete refresh locate edit fetch trusted remove find lookup
    column shard range storage host_key_checking signing-key key-id start end lock locks region
    regions first last min max lower upper
    """
)
_PLACES = word_set(
    "page next prev previous continuation continue skip resume cursor sync pagination scroll delta"
    " forward backward starting after before offset checkpoint watermark sequence iterator marker"
    " position fencing idempotency idempotent consistency correlation snapshot"
)
"""Tokens of these mark a place in a list, or tell a request from its repetition."""
_REPEATED = ["client", "request", "token"]
"""What AWS calls a token of idempotency; one of a client alone may open something."""
_STRONG_KEY = word_set(
    """
    api access private secret auth encryption signing master license deploy ingest integration
    consumer subscription encrypt crypt crypto hmac session cookie recovery activation shared
    admin application fernet jwt webhook service account
    """
)
_WEAK = word_set(
    """
    key keys auth login cred creds credential credentials cookie salt community jwt pin seed
    mnemonic clave sessid id pepper totp otp kek dek hmac basic private hash encrypt secure
    """
)
_PASSWORD = compiled(
    r"(?i)(?:passw(?:or)?d|passwd|passphrase|passcode|pwd|passwrd|pswd|(?:^|[^a-z])psk"
    r"|(?:^|[^a-z])(?:pass|mdp)|pw|authtok|masterauth|[a-z](?:Pass|Psk)|" + FOREIGN + r")s?\d?$"
)
_CLEAR = compiled(
    r"(?i)pass|pwd|psk|pswd|secret|token|credential|cred(?:s|$)|bearer|session|sessid|api_?key"
    r"|access_?key"
    r"|private_?key|(?:encryption|signing|master|license)_?key|" + FOREIGN
)
_NO_PASS = ("bypass", "compass", "surpass", "trespass", "overpass", "underpass", "encompass")


_BETWEEN = compiled(r"[^\pL\pN]+")
_HUMP = compiled(r"([a-z0-9])([A-Z])")
_INDEX = compiled(r"[^\w-]")


def is_password(name: str) -> bool:
    """Whether a name says that its value is a password: then even a weak value is one."""
    if name.lower().endswith("pass"):
        return not name.lower().endswith(_NO_PASS)
    return bool(_PASSWORD.search(name)) and parts(name)[-1:] != ["clave"]


def is_weak(name: str) -> bool:
    """Whether a name alone says little: any key, login or cookie."""
    words = parts(name)
    return bool(words) and words[-1].rstrip("0123456789") in _WEAK


def is_password_like(name: str) -> bool:
    """Whether a password's name stands before another word: ``password_prod``."""
    return any(is_password(part) for part in parts(name))


def is_vague(name: str) -> bool:
    """Whether a name ends in another word, and only ``auth`` or ``key`` stands before that."""
    return not is_weak(name) and not _CLEAR.search(name)


def is_public(name: str) -> bool:
    """Whether a name is that of a key which is no secret: of a cache, a partition, a pair."""
    words = parts(name)
    return len(words) >= 2 and words[-1] in ("key", "keys") and words[-2] in _PUBLIC_KEY


def is_strong_key(name: str) -> bool:
    """Whether a key is one that opens something."""
    words = parts(name)
    return len(words) >= 2 and words[-1] in ("key", "keys") and words[-2] in _STRONG_KEY


def is_setting(name: str) -> bool:
    """Whether a name is that of a setting about secrets: a length, a policy, a reference."""
    words = parts(name)
    if words[-2:] in (["session", "id"], ["access", "code"]):
        return False
    if _marks_place(words):
        return True
    return not words or words[-1] in _NOT_SECRET


def _marks_place(words: list[str]) -> bool:
    """``nextPageToken``, ``$skiptoken``, ``clientRequestToken``."""
    head, token, _ = words[-1].rpartition("token") if words else ("", "", "")
    if not token:
        return False
    if head:
        return head.endswith(tuple(_PLACES))
    return words[-2:-1] != [] and (words[-2] in _PLACES or words[-3:] == _REPEATED)


def last(name: str) -> str:
    """What stands behind the last dot or bracket of a name."""
    return str(_INDEX.split(name)[-1])


def parts(name: str) -> list[str]:
    """The words of a name in snake, kebab, dotted or camel case, in lower case."""
    return [part for part in _BETWEEN.split(_snake(name)) if part]


def _snake(name: str) -> str:
    return str(_HUMP.sub(r"\1_\2", name)).lower()
