"""Token formats that providers document: a prefix that nothing else has.

Sources are the providers' own documentation of their token formats. A rule needs its hint in the
text before its pattern runs, which keeps a clean text cheap.
"""

from __future__ import annotations

from orrery_knowledge.screening.credential_rules import private_keys, services
from orrery_knowledge.screening.credential_rules.formats import BEFORE, Format, token_format

_B = BEFORE

_CLOUDS = (
    token_format(
        "aws-access-key",
        "akia asia abia acca a3t",
        _B + r"(?P<v>(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})\b",
    ),
    # A secret key has no prefix; it stands behind its id in tables, CSV files and commands.
    token_format(
        "aws-secret-key",
        "akia asia",
        r"\b(?:AKIA|ASIA)[A-Z0-9]{16}[\"']?(?:[\s,:;/|]|\\n)+(?:[\w ]{0,24}[=:]\s?)?[\"']?"
        r"(?P<v>[A-Za-z0-9+/]{40})(?:[^A-Za-z0-9+/=]|$)",
    ),
    token_format("aws-bedrock-key", "absk", _B + r"(?P<v>ABSK[A-Za-z0-9+/=]{100,})"),
    token_format("google-api-key", "aiza", _B + r"(?P<v>AIza[A-Za-z0-9_-]{35})"),
    token_format(
        "google-oauth",
        "gocspx- ya29. 1//0",
        _B + r"(?P<v>GOCSPX-[A-Za-z0-9_-]{24,}|ya29\.[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{30,})",
    ),
    # Entra ID client secrets; storage, search and other keys that carry Microsoft's mark.
    token_format(
        "azure-key",
        "q~ azse acdb aiot +ast azfu +acr azdo +amc +ahk apim +abtdc jqqj99",
        r"(?:^|[^A-Za-z0-9_~.-])(?P<v>[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"
        r"|[A-Za-z0-9+/]{20,80}(?:AzSe|ACDb|AIoT|\+ASt|AzFu|\+ACR|\+AMC|\+AEh|APIM|AZDO|\+ABa"
        r"|\+ARm|JQQJ99)[A-Za-z0-9+/]{4,32}={0,2})",
    ),
    token_format(
        "cloud-token",
        "dop_ doo_ dor_ fo1_ fm1_ fm2_ fm1r_ dapi dp. pul- lta hrku dckr v1. t1. y0_ aqvn ycm"
        " yca akl eo_",
        _B + r"(?P<v>do[por]_v1_[0-9a-f]{40,}|f[om][12]r?_[A-Za-z0-9+/=,_-]{40,}"
        r"|dapi[0-9a-f]{32}(?:-\d)?|dp\.(?:pt|st|ct|scim|sa|audit)\.[A-Za-z0-9._-]{30,}"
        r"|pul-[0-9a-f]{40}|LTAI[A-Za-z0-9]{12,24}|AKLT[A-Za-z0-9]{40,}"
        r"|v1\.0-[0-9a-f]{24}-[0-9a-f]{146}|t1\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_=-]{80,}"
        r"|y0_[A-Za-z0-9_-]{50,}|AQVN[A-Za-z0-9_-]{35,38}|YC[AM][A-Za-z0-9_-]{36,38})\b",
    ),
)
_FORGES = (
    token_format(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        _B + r"(?P<v>gh[pousr]_[A-Za-z0-9_]{30,255}|github_pat_[A-Za-z0-9_]{22,255})",
    ),
    token_format(
        "gitlab-token",
        "gl gr1348941",
        _B + r"(?P<v>gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt|rtr)-[A-Za-z0-9_.=-]{16,}"
        r"|GR1348941[A-Za-z0-9_-]{20,}|_gitlab_session=[0-9a-f]{32})",
    ),
    token_format(
        "package-registry-token",
        "npm_ pypi- dckr_ rubygems_ cio oy2 jfrog",
        _B
        + r"(?P<v>npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{16,}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"
        r"|rubygems_[0-9a-f]{32,}|cio[A-Za-z0-9]{32}\b|oy2[a-z0-9]{43}\b)",
    ),
)
_CHATS = (
    token_format(
        "slack-token",
        "xox xapp- hooks.slack",
        _B + r"(?P<v>xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})",
    ),
    token_format(
        "webhook",
        "hooks. /webhook logic.azure.com chat.googleapis.com powerplatform /hooks/ maker.ifttt",
        r"(?i)(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<v>[\w+/-]{20,})"
        r"|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{17,20}/(?P<v1>[\w-]{40,90})"
        r"|(?:webhook|outlook)\.office(?:365)?\.com/(?P<v2>webhook(?:b2)?/[\w@./-]{40,})"
        r"|hooks\.zapier\.com/hooks/catch/(?P<v3>\d+/\w{5,})"
        r"|/hooks/(?:catch/)?(?P<v4>[a-z0-9]{24,40})(?:[^\w-]|$)"
        r"|maker\.ifttt\.com/trigger/\w+/(?:json/)?with/key/(?P<v5>[\w-]{20,})"
        r"|chat\.googleapis\.com/v1/spaces/[\w-]+/messages\?[^\s\"']{0,80}?token=(?P<v6>"
        r"[\w%-]{20,}))",
    ),
    token_format("telegram-token", ":aa", r"(?:\bbot|\b)(?P<v>\d{8,10}:AA[A-Za-z0-9_-]{31,35})"),
    token_format(
        "discord-token",
        ".",
        _B + r"(?P<v>[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})\b",
    ),
    token_format("teams-token", "skype", r"(?i)skypetoken[=_ :]{1,3}(?P<v>[A-Za-z0-9._-]{40,})"),
)
_GENERAL = (
    token_format(
        "jwt",
        "eyj",
        _B + r"(?P<v>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*"
        r"|eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"
        r"\.[A-Za-z0-9_-]{16,})",
    ),
    token_format(
        "password-hash",
        "$ {s",
        r"(?P<v>\$(?:1|2[abxy]?|5|6|7|y|P|H|S|apr1|md5|sha1|argon2(?:id|i|d)|scrypt|bcrypt[\w-]*"
        r"|pbkdf2[\w-]*|krb5\w{2,12}|ml|rounds=\d+)\$"
        # Argon2 sets its parameters apart with commas.
        r"(?:v=\d{1,3}\$)?(?:[a-z]{1,8}=\d{1,10}(?:,[a-z]{1,8}=\d{1,10}){0,4}\$)?[^\s'\"`,;<>|]{12,}"
        r"|\{(?:S?SHA(?:256|512)?|SMD5|PBKDF2[\w-]*)\}[A-Za-z0-9+/$=.]{20,}"
        r"|SCRAM-SHA-256\$\d+:[A-Za-z0-9+/=$:]{40,}|pbkdf2_sha256\$\d+\$[^\s'\"]{20,})",
    ),
    token_format("password-hash", "pbkdf2 *", r"(?:^|[^\w*])(?P<v>\*[0-9A-F]{40})(?:[^0-9A-F]|$)"),
    token_format(
        "password-hash", ":::", r"\b[\w.$-]{1,30}:\d{3,6}:(?P<v>[0-9a-fA-F]{32}:[0-9a-fA-F]{32}):::"
    ),
    token_format(
        "authorization-header",
        "authorization",
        r"(?i)authorization[\"']?\s{0,4}[:=,]\s{0,4}[frb]{0,2}\\*[\"'`]?\s{0,4}"
        r"(?:(?:bearer|basic|token|apikey|api-key"
        r"|digest|splunk|negotiate|key|bot|genie ?key|ssws|sso-key|hawk|ntlm|sharedkey|oauth"
        r"|[A-Za-z][\w-]{2,24}(?: token=?)?)[\s=]{1,4})?[\"']?"
        r"(?P<v>[A-Za-z0-9._~+/=:-]{6,})",
    ),
    # Schemes with parameters (Digest, AWS4, OAuth 1, Hawk): the proof goes, the rest stays.
    token_format(
        "authorization-header",
        "authorization authenticate",
        r"(?i)authorization[^\n]{0,300}?\b(?:response|signature|oauth_signature|oauth_token|mac"
        r"|token|accesstoken)=\\*[\"']?(?P<v>[A-Za-z0-9%+/=._~-]{8,})",
    ),
    token_format(
        "authorization-header",
        "bearer",
        r"(?i)\bbearer[\s:=]{1,4}[\"']?(?P<v>[A-Za-z0-9._~+/=-]{20,})",
    ),
    token_format(
        "authorization-header",
        "basic",
        r"\b[Bb]asic (?P<v>[A-Za-z0-9+/]{12,}={1,2}"
        r"|[A-Za-z0-9+/]*[0-9+/][A-Za-z0-9+/]{11,})(?:[^\w]|$)",
    ),
    token_format(
        "presigned-url",
        "x-amz- sig= signature x-goog- access_token auth_token api_key apikey private_token token= "
        "code= key= x-oss- x-cos- hmac= policy= hdnts= se=",
        r"(?i)[?&;](?:X-(?:Amz|Goog|Oss|Cos|Obs|Bz)-(?:Signature|Security-Token|Credential)"
        r"|x-cos-security-token|q-signature|security-token|sig|signature|hmac"
        r"|AWSAccessKeyId|GoogleAccessId|OSSAccessKeyId|Policy|hdnts|hdnea|__token__|jwt|sv_sig"
        r"|(?:access|auth|id|refresh|session|private|share|job|personal_access|api|download"
        r"|st)?_?token"
        r"|(?:api|auth|access|functions)_?-?key|client_secret|app_?key|appid|apikey"
        r"|code)(?:=|%3D)(?P<v>[A-Za-z0-9%+/=._~-]{16,})",
    ),
    token_format(
        "connection-string",
        "accountkey sharedaccess sharedsecret",
        r"(?i)\b(?:AccountKey|SharedAccessKey|SharedSecret"
        r"|SharedAccessSignature)=(?P<v>[A-Za-z0-9+/=%&._~-]{16,})",
    ),
    token_format(
        "docker-auth",
        '"auth \\"auth',
        r"(?s)\"auths?\\*\"\s*:\s*(?:\{.{0,200}?\"auth\\*\"\s*:\s*)?\\*\"(?P<v>"
        r"[A-Za-z0-9+/]{8,}={0,2})\\*\"",
    ),
    # Prefix, what it opens, and a random tail: how tokens are built since GitHub's of 2021.
    token_format(
        "prefixed-token",
        "key_ key- tok_ token_ pat_ sk_ sk- secret_ api_ api- live_ prod_ _sk _key _pat _token",
        _B
        + r"(?P<v>(?:[a-z][a-z0-9]{1,11}[_-]){0,2}(?:key|tok|token|pat|sk|secret|api|apikey|priv)"
        r"(?:[_-](?:live|prod|test|dev|v\d|eu|us))?[_-][A-Za-z0-9]{20,128})\b",
    ),
)

FORMATS: tuple[Format, ...] = (
    *private_keys.FORMATS,
    *_CLOUDS,
    *_FORGES,
    *_CHATS,
    *services.FORMATS,
    *_GENERAL,
)
