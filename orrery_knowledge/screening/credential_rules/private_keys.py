"""Private keys: in armour, without it, cut off, quoted, indented, or encoded once more."""

from __future__ import annotations

from orrery_knowledge.screening.credential_rules.formats import BEFORE, token_format

_GAP = r"(?:[ +_]|%20)"
_LABEL = rf"(?:[A-Z0-9]{{1,12}}{_GAP}){{0,4}}PRIVATE{_GAP}KEY(?:{_GAP}BLOCK)?"
_LINE = r"(?:\s|\\+[nrt]|[\"'+>|#,;:*.]|//|%0[AD]|&#1[03];|<br ?/?>)"

FORMATS = (
    token_format(
        "private-key",
        "private",
        rf"(?s)-{{4,5}} ?BEGIN{_GAP}{_LABEL} ?-{{4,5}}.*?-{{4,5}} ?END{_GAP}{_LABEL} ?-{{4,5}}",
    ),
    # Without an end: as many lines as look like the key's.
    token_format(
        "private-key",
        "private",
        rf"-{{4,5}} ?BEGIN{_GAP}{_LABEL} ?-{{4,5}}(?:{_LINE}*"
        r"(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]{4,20}: [^\n]{1,100})"
        r"|\n[^\n]{0,80}?[^A-Za-z0-9+/=\n][A-Za-z0-9+/=]{32,}[ \t\r]*)+(?:"
        rf"{_LINE}*[A-Za-z0-9+/]{{1,16}}={{1,2}})?",
    ),
    # Without a beginning: the lines above the end.
    token_format(
        "private-key",
        "private",
        rf"(?P<v>(?:[A-Za-z0-9+/=]{{40,}}{_LINE}{{1,24}})+[A-Za-z0-9+/=]{{0,80}}{_LINE}{{0,24}})"
        rf"-{{4,5}} ?END{_GAP}{_LABEL}",
    ),
    # Armour that is encoded once more: "-----BEGIN" with the labels of private keys.
    token_format(
        "private-key",
        "ls0tls1crudjti",
        r"(?P<v>LS0tLS1CRUdJTi(?:BQ|BSU0EgUF|BFQyBQ|BPUEVOU1NIIF|BFTkNSWVBURUQgU"
        r"|BEU0EgUF|BQR1AgUFJJVkFUR)[A-Za-z0-9+/=]*(?:(?:\s|\\+n|[>|])+[A-Za-z0-9+/]{40,}={0,2})*"
        r"(?:(?:\s|\\+n|[>|])+[A-Za-z0-9+/]{1,76}={1,2})?)",
    ),
    # No armour: how the DER of PKCS #8, PKCS #1, SEC 1 and Ed25519, and OpenSSH's own format begin.
    token_format(
        "private-key",
        "mii mhcca mc4caqaw mggca b3blbnnzac1rzxktdjea miguaga mihuageamb migtageamb",
        r"(?:^|[^A-Za-z0-9+/])(?P<v>(?:MII[A-Za-z0-9+/]{3}(?:IBADANBgkqhkiG9w0BAQEFAASC|IBAAK)"
        r"|MII[A-Za-z0-9+/]{5}BgkqhkiG9w0BBQ0|MHcCAQEE|MC4CAQAwBQYDK2Vw|MIGkAgEBBD|MIGHAgEAMB"
        r"|MIG2AgEAMB"
        r"|MIHuAgEAMB|b3BlbnNzaC1rZXktdjEA)[A-Za-z0-9+/]{20,}(?:(?:\s|\\n)+[A-Za-z0-9+/]{16,})*"
        r"(?:(?:\s|\\n)*[A-Za-z0-9+/]{0,76}={1,2})?)",
    ),
    token_format(
        "putty-key",
        "private-lines",
        r"Private-Lines: \d+(?P<v>(?:\s|\\n|[>|])+(?:[A-Za-z0-9+/=]{16,}(?:\s|\\n|[>|])*)+)",
    ),
    token_format("putty-key", "private-mac", r"Private-MAC: (?P<v>[0-9a-f]{40,64})"),
    # JSON Web Keys: the private exponent and the primes; the thumb of a public key has no `d`.
    token_format(
        "private-key",
        '"kty" \\"kty',
        r"\\*\"(?:d|p|q|dp|dq|qi|k)\\*\"\s*:\s*\\*\"(?P<v>[A-Za-z0-9_-]{22,})\\*\"",
    ),
    token_format(
        "private-key",
        "rsakeyvalue",
        r"<(?:D|P|Q|DP|DQ|InverseQ)>\s*(?P<v>[A-Za-z0-9+/=\s]{20,})\s*</",
    ),
    # PKCS #12 and Java key stores in Base64; keys as `openssl -text` and dumps show them.
    token_format(
        "key-store",
        "mii /u3+7q",
        r"(?:^|[^A-Za-z0-9+/])(?P<v>(?:MII[A-Za-z0-9+/]{3}IBAzC|/u3\+7Q)[A-Za-z0-9+/]{40,}={0,2})",
    ),
    token_format(
        "private-key",
        "privateexponent prime1 priv:",
        r"(?:privateExponent|prime[12]|exponent[12]|coefficient|priv):[ \t]*\n"
        r"(?P<v>(?:[ \t>]*(?:[0-9a-f]{2}:?){4,}[ \t]*\n?)+)",
    ),
    token_format(
        "private-key",
        "020100300d06092a864886f70d010101",
        r"(?i)(?P<v>3082[0-9a-f]{4}020100300d06092a864886f70d010101[0-9a-f]{40,})",
    ),
    token_format("age-secret-key", "age-secret-key-", r"(?i)AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{20,}"),
    token_format(
        "private-key",
        "secret",
        r"(?i)untrusted comment: [^\n]{0,60}secret key[^\n]{0,60}\n\s*(?P<v>RW[A-Za-z0-9+/=]{50,})",
    ),
    token_format("private-key", "nsec1", BEFORE + r"(?P<v>nsec1[02-9ac-hj-np-z]{58})\b"),
    token_format(
        "private-key", "xprv", BEFORE + r"(?P<v>[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112})\b"
    ),
)
