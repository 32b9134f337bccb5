"""Token formats that providers document: a prefix that nothing else has.

Sources are the providers' own documentation of their token formats. A rule needs its hint in the
text before its pattern runs, which keeps a clean text cheap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import re2


class Format(NamedTuple):
    """A token format: `hints` are lower-case substrings, one of which every match holds."""

    rule: str
    hints: tuple[str, ...]
    pattern: Any


def _format(rule: str, hints: str, pattern: str) -> Format:
    """The secret is the group `v`, or the whole match without one."""
    return Format(rule, tuple(hints.split()), re2.compile(pattern))


_B = r"(?:^|[^A-Za-z0-9_])"

FORMATS: tuple[Format, ...] = (
    _format(
        "private-key",
        "private",
        r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?"
        r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    ),
    _format(
        "private-key",
        "private",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\n|\\r|[> |])*"
        r"(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]{4,20}: [^\n]{1,100}))*",
    ),
    _format(
        "private-key",
        "ls0tls1crudjtib",
        r"(?P<v>LS0tLS1CRUdJTi(?:BQ|BSU0EgUF|BFQyBQ|BPUEVOU1NIIF|BFTkNSWVBURUQgU"
        r"|BEU0EgUF)[A-Za-z0-9+/=\s]{0,2}[A-Za-z0-9+/=]*)",
    ),
    _format("age-secret-key", "age-secret-key-1", r"(?i)AGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    _format("putty-key", "private-mac", r"Private-MAC: (?P<v>[0-9a-f]{40,64})"),
    _format(
        "aws-access-key",
        "akia asia abia acca a3t",
        _B + r"(?P<v>(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})\b",
    ),
    _format(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        _B + r"(?P<v>gh[pousr]_[A-Za-z0-9_]{30,255}|github_pat_[A-Za-z0-9_]{22,255})",
    ),
    _format(
        "gitlab-token",
        "gl gr1348941",
        _B + r"(?P<v>gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.=-]{16,}"
        r"|GR1348941[A-Za-z0-9_-]{20,}|_gitlab_session=[0-9a-f]{32})",
    ),
    _format(
        "slack-token",
        "xox xapp- hooks.slack",
        _B + r"(?P<v>xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})",
    ),
    _format(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/"
        r"(?P<v>[A-Za-z0-9+/_-]{20,})",
    ),
    _format(
        "webhook",
        "/api/webhooks/ webhook.office.com",
        r"(?:discord(?:app)?\.com/api/webhooks/\d{17,20}/(?P<v>[A-Za-z0-9_-]{60,80}))",
    ),
    _format("google-api-key", "aiza", _B + r"(?P<v>AIza[A-Za-z0-9_-]{35})"),
    _format(
        "google-oauth",
        "gocspx- ya29. 1//0",
        _B + r"(?P<v>GOCSPX-[A-Za-z0-9_-]{24,}|ya29\.[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{30,})",
    ),
    _format(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        _B + r"(?P<v>(?:[sr]k_(?:live|test|prod)_|whsec_)[A-Za-z0-9]{10,})",
    ),
    _format(
        "model-provider-key",
        "sk- sk_ gsk_ xai- r8_ hf_ pplx- nvapi-",
        _B + r"(?P<v>sk-(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{32,}"
        r"|(?:gsk_|xai-|r8_|hf_|pplx-|nvapi-|api_org_)[A-Za-z0-9_-]{24,})",
    ),
    _format(
        "package-registry-token",
        "npm_ pypi- dckr_ rubygems_ cio oy2",
        _B
        + r"(?P<v>npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{16,}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"
        r"|rubygems_[0-9a-f]{32,}|cio[A-Za-z0-9]{32}\b)",
    ),
    _format("sendgrid-key", "sg.", _B + r"(?P<v>SG\.[A-Za-z0-9_=.-]{40,})"),
    _format("twilio-key", "sk ac", _B + r"(?P<v>SK[0-9a-f]{32})\b"),
    _format("telegram-token", ":aa", _B + r"(?P<v>\d{8,10}:AA[A-Za-z0-9_-]{32,35})"),
    _format("mailgun-key", "key- pubkey-", _B + r"(?:pub)?key-(?P<v>[0-9a-f]{32})\b"),
    _format("mailchimp-key", "-us", _B + r"(?P<v>[0-9a-f]{32}-us\d{1,2})\b"),
    _format(
        "vault-token",
        "hvs. hvb. hvr. s.",
        _B + r"(?P<v>hv[sbr]\.[A-Za-z0-9_.-]{20,}|s\.[A-Za-z0-9]{24,26})(?:[^A-Za-z0-9.(]|$)",
    ),
    _format(
        "grafana-token",
        "glsa_ glc_ eyjrijoi",
        _B + r"(?P<v>glsa_[A-Za-z0-9]{20,}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/=]{32,}"
        r"|eyJrIjoi[A-Za-z0-9+/=]{40,})",
    ),
    _format(
        "cloud-token",
        "dop_ doo_ dor_ fo1_ fm1_ fm2_ dapi dp. pul- nrak- nrjs- nrii- nraa- dt0 lta",
        _B + r"(?P<v>do[por]_v1_[0-9a-f]{40,}|f[om][12]_[A-Za-z0-9+/=,_-]{40,}"
        r"|dapi[0-9a-f]{32}(?:-\d)?|dp\.(?:pt|st|ct|scim|sa|audit)\.[A-Za-z0-9._-]{30,}"
        r"|pul-[0-9a-f]{40}|NR(?:AK|JS|AA|RA)-[A-Za-z0-9-]{19,}|NRI[IQ]-[A-Za-z0-9_-]{32}"
        r"|dt0[a-z]\d{2}\.[A-Za-z0-9]{20,}\.[A-Za-z0-9]{40,}|LTAI[A-Za-z0-9]{12,24})",
    ),
    _format(
        "saas-token",
        "shp atatt3x figd_ lin_ secret_ ntn_ pmak- sntry sl. eaa sq0 ops_ a3- "
        "pat- akcp cmvmd nfp_ phc_ ionic_ frio hrku- pscale_ sbp_ tfp_ ey dd_ xkeysib- key",
        _B + r"(?P<v>shp(?:at|ca|pa|ss|tka)_[A-Za-z0-9]{32}|ATATT3x[A-Za-z0-9_=-]{20,}"
        r"|ATCTT3x[A-Za-z0-9_=-]{20,}|ATBB[A-Za-z0-9]{32}|figd_[A-Za-z0-9_-]{32,}"
        r"|lin_(?:api|oauth)_[A-Za-z0-9]{32,}|(?:secret|ntn)_[A-Za-z0-9]{40,}"
        r"|PMAK-[0-9a-f]{24}-[0-9a-f]{30,}|sntry[su]_[A-Za-z0-9+/=_-]{40,}|EAA[A-Za-z0-9]{30,}"
        r"|sq0[a-z]{3}-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{60}|ops_ey[A-Za-z0-9+/=_-]{60,}"
        r"|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){3,5}|AKCp[A-Za-z0-9]{50,}|cmVmd[A-Za-z0-9]{50,}"
        r"|xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{30,}"
        r"|HRKU-[A-Za-z0-9_-]{30,}|nfp_[A-Za-z0-9_]{30,}|sbp_[0-9a-f]{40}|phx_[A-Za-z0-9]{40,})",
    ),
    _format(
        "jwt", "eyj", _B + r"(?P<v>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*)"
    ),
    _format(
        "authorization-header",
        "authorization",
        r"(?i)authorization[\"']?\s{0,4}[:=,]\s{0,4}[\"']?\s{0,4}(?:(?:bearer|basic|token|apikey"
        r"|digest|splunk|negotiate|key|bot|genie ?key|sso-key)\s{1,4})?[\"']?"
        r"(?P<v>[A-Za-z0-9._~+/=:-]{6,})",
    ),
    _format("authorization-header", "bearer", r"(?i)\bbearer\s{1,4}(?P<v>[A-Za-z0-9._~+/=-]{20,})"),
    _format(
        "presigned-url",
        "x-amz- sig= signature= x-goog-signature",
        r"(?i)[?&](?:X-Amz-(?:Signature|Security-Token|Credential)|X-Goog-Signature|sig|signature"
        r"|AWSAccessKeyId|access_token|auth_token|api_?key"
        r"|private_token)=(?P<v>[A-Za-z0-9%+/=._~-]{8,})",
    ),
    _format(
        "connection-string",
        "accountkey sharedaccess",
        r"(?i)\b(?:AccountKey|SharedAccessKey|SharedSecret"
        r"|SharedAccessSignature)=(?P<v>[A-Za-z0-9+/=%&._~-]{16,})",
    ),
    _format(
        "docker-auth",
        '"auth',
        r"(?s)\"auths?\"\s*:\s*(?:\{.{0,200}?\"auth\"\s*:\s*)?\"(?P<v>[A-Za-z0-9+/]{8,}={0,2})\"",
    ),
)
