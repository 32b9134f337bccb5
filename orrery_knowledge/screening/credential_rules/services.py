"""Token formats of services that are neither clouds, forges nor chats; see `providers`."""

from __future__ import annotations

from orrery_knowledge.screening.credential_rules.formats import BEFORE, token_format

_B = BEFORE

FORMATS = (
    token_format("mailgun-key", "key- pubkey-", _B + r"(?:pub)?key-(?P<v>[0-9a-f]{32})\b"),
    token_format("mailchimp-key", "-us", _B + r"(?P<v>[0-9a-f]{32}-us\d{1,2})\b"),
    token_format("sendgrid-key", "sg.", _B + r"(?P<v>SG\.[A-Za-z0-9_=.-]{40,})"),
    token_format("twilio-key", "sk ac", _B + r"(?P<v>SK[0-9a-f]{32})\b"),
    token_format(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ whsec_ sk_org_",
        _B + r"(?P<v>(?:[sr]k_(?:live|test|prod|org)_|whsec_)[A-Za-z0-9+/=_]{10,})",
    ),
    token_format(
        "payment-key",
        "access-sandbox- access-development- access-production- flwseck rzp_ sq0 eaaa pdl_ "
        "sk_live ezak ezt live_ shippo_",
        _B + r"(?P<v>access-(?:sandbox|development|production)-[0-9a-f-]{36}"
        r"|FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?|sq0[a-z]{3}-[A-Za-z0-9_-]{22,}"
        r"|EAAA[A-Za-z0-9_-]{60}|pdl_(?:live|sdbx)_apikey_[A-Za-z0-9_]{26,}"
        r"|EZ[AT]K[A-Za-z0-9]{50,}|live_[A-Za-z0-9_=-]{40}|shippo_(?:live|test)_[0-9a-f]{40})",
    ),
    token_format(
        "vault-token",
        "hvs. hvb. hvr. s.",
        _B + r"(?P<v>hv[sbr]\.[A-Za-z0-9_.-]{20,}|s\.CAES[A-Za-z0-9_-]{60,}|s\.[A-Za-z0-9]{24,26})"
        r"(?:[^A-Za-z0-9.(]|$)",
    ),
    token_format(
        "grafana-token",
        "glsa_ glc_ eyjrijoi",
        _B + r"(?P<v>glsa_[A-Za-z0-9]{20,}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/=]{32,}"
        r"|eyJrIjoi[A-Za-z0-9+/=]{40,})",
    ),
    token_format(
        "model-provider-key",
        "sk- sk_ gsk_ xai- r8_ hf_ pplx- nvapi- api_org_ pcsk_ lsv2_ fw_ tgp_v1_ co_ csk-",
        _B
        + r"(?P<v>sk-(?:ant|proj|svcacct|admin|or|lf|None)-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{32,}"
        r"|sk_[0-9a-f]{48}"
        r"|(?:gsk_|xai-|r8_|hf_|pplx-|nvapi-|api_org_|fw_|tgp_v1_|csk-)[A-Za-z0-9_-]{24,}"
        r"|pcsk_[A-Za-z0-9_]{40,}|lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10})",
    ),
    token_format(
        "observability-key",
        "nrak- nrjs- nrii- nraa- nrra- nriq- dt0 sntry phx_ phc_ phs_ hcaik_ hcbik_ hcxik_"
        " hcxlk_ nral "
        "pylf_ sgp_ squ_ sqa_ sqp_ rootly_ u+ ddp_ ddw_ ingest.sentry.io @sentry",
        _B + r"(?P<v>NR(?:AK|JS|AA|RA)-[A-Za-z0-9-]{19,}|NRI[IQ]-[A-Za-z0-9_-]{32}"
        r"|[0-9a-f]{36}NRAL|dt0[a-z]\d{2}\.[A-Za-z0-9]{20,}\.[A-Za-z0-9]{40,}"
        r"|sntry[su]_[A-Za-z0-9+/=_-]{40,}|ph[xcs]_[A-Za-z0-9]{40,}|hc[abx][il]k_[A-Za-z0-9]{58}"
        r"|pylf_v\d_[a-z]{2}_[A-Za-z0-9]{40,}|sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"
        r"|sq[uap]_[0-9a-f]{40}|rootly_[0-9a-f]{64}|u\+[A-Za-z0-9_-]{18}|dd[pw]_[A-Za-z0-9]{36})",
    ),
    token_format(
        "sentry-dsn",
        "sentry",
        r"https?://(?P<v>[0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{1,80}/\d",
    ),
    token_format(
        "saas-token",
        "shp atatt3x atctt3x atbb figd_ figo_ lin_ secret_ ntn_ pmak- sl. eaa ops_ a3- akcp "
        "cmvmd nfp_ ionic_ frio fio-u- hrku- pscale_ sbp_ sb_secret_ tfp_ xkeysib- xsmtpsib-"
        " pnu_ pnb_ "
        "tskey- tskey atlasv1 ico- cfpat- dg9ro rdme_ duffel_ xau_ zpka_ api- bkua_ bkct_ bkaj_ "
        "ccipat_ ccipr pat-na1- pat-eu1- pat scw re_ waka_ pat. snyk_ aio_ p8e- clojars_ hvs "
        "octopus aact tk_ psk_ whk_ nvapi nk mfa. ghost",
        _B + r"(?P<v>shp(?:at|ca|pa|ss|tka)_[A-Za-z0-9]{32}|ATATT3x[A-Za-z0-9_=-]{20,}"
        r"|ATCTT3x[A-Za-z0-9_=-]{20,}|ATBB[A-Za-z0-9]{24,}|fig[do]_[A-Za-z0-9_-]{32,}"
        r"|lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,}|(?:secret|ntn)_[A-Za-z0-9]{40,}"
        r"|PMAK-[0-9a-f]{24}-[0-9a-f]{30,}|EAA[A-Za-z0-9]{30,}"
        r"|ops_ey[A-Za-z0-9+/=_-]{60,}|sl\.[A-Za-z0-9_=-]{100,}"
        r"|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){3,5}|AKCp[A-Za-z0-9]{50,}|cmVmd[A-Za-z0-9]{50,}"
        r"|x(?:keysib|smtpsib)-[0-9a-f]{64}-[A-Za-z0-9]{16}|pscale_(?:tkn|pw"
        r"|oauth)_[A-Za-z0-9=._-]{30,}"
        r"|HRKU-[A-Za-z0-9_-]{30,}|nfp_[A-Za-z0-9_]{30,}|sbp_(?:oauth_)?[0-9a-f]{40}"
        r"|sb_secret_[A-Za-z0-9_-]{22,}|tfp_[A-Za-z0-9_.=-]{40,}|pn[ub]_[A-Za-z0-9]{36}"
        r"|tskey-(?:[a-z]+-)?[A-Za-z0-9]{10,}(?:-[A-Za-z0-9]{10,})?"
        r"|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}|ico-[A-Za-z0-9]{32}"
        r"|CFPAT-[A-Za-z0-9_-]{40,}"
        r"|dG9rO[A-Za-z0-9+/=_-]{50,}|rdme_[a-z0-9]{70}|duffel_(?:test|live)_[A-Za-z0-9_-]{43}"
        r"|xau_[A-Za-z0-9]{40,}|zpka_[a-z0-9]{32}_[0-9a-f]{8}|API-[A-Z0-9]{25,32}"
        r"|bk(?:ua|ct|aj|pt|ea)_[A-Za-z0-9]{40}|CCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}"
        r"|pat-(?:na|eu|ap)\d-[0-9a-f-]{36}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}|SCW[A-Z0-9]{17}"
        r"|re_[A-Za-z0-9]{8}_[A-Za-z0-9_]{20,}|waka_[0-9a-f-]{36}"
        r"|pat\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}|snyk_[a-z]{3}\.[A-Za-z0-9_.-]{40,}"
        r"|aio_[A-Za-z0-9]{28}|p8e-[a-z0-9]{32}|CLOJARS_[0-9a-f]{60}|fio-u-[A-Za-z0-9_=-]{40,})",
    ),
    token_format(
        "cluster-token",
        "swmtkn- k10 ::server:",
        _B
        + r"(?P<v>SWMTKN-\d-[a-z0-9]{40,}-[a-z0-9]{20,}|K10[0-9a-f]{40,}::(?:\w+:)?[0-9a-z.]{16,})",
    ),
    token_format(
        "paseto",
        ".local. .public.",
        _B + r"(?P<v>v\d\.(?:local|public)\."
        r"[A-Za-z0-9_-]{30,})",
    ),
    token_format(
        "cipher-key",
        "-k -iv",
        r"\bopenssl\b[^\n]{0,200}?\s-K (?P<v>[0-9a-fA-F]{32,64})\b(?:[^\n]{0,80}?\s-iv (?P<v1>"
        r"[0-9a-fA-F]{16,32})\b)?",
    ),
    token_format("jenkins-secret", "{aqaaab", r"\{(?P<v>AQAAAB[A-Za-z0-9+/=]{20,})\}"),
    token_format(
        "licence-key",
        "key",
        r"(?i)(?:licen[cs]e|product|activation"
        r"|serial)[ _-]?key\W{1,4}(?:is )?(?P<v>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,5})\b",
    ),
    token_format("bitlocker-key", "-", r"\b(?P<v>\d{6}(?:-\d{6}){7})\b"),
    token_format(
        "map-key", "pk. sk. tk.", _B + r"(?P<v>[pst]k\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,})"
    ),
    token_format(
        "salesforce-token", "00d", _B + r"(?P<v>00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{50,200})"
    ),
    token_format("okta-token", "ssws", r"(?i)\bSSWS\s{1,3}(?P<v>00[A-Za-z0-9_-]{40})"),
    token_format(
        "launchdarkly-key",
        "sdk- mob- api-",
        _B + r"(?P<v>(?:sdk|mob|api)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21})\b",
    ),
    token_format("asana-token", "/1", _B + r"(?P<v>[12]/\d{10,20}(?:/\d{10,20})?:[0-9a-f]{32})\b"),
    token_format(
        "truenas-key", "api_key", r"(?i)api_key[^\n]{0,40}?\"(?P<v>\d{1,4}-[A-Za-z0-9]{64})\""
    ),
    token_format(
        "device-token",
        "/api/v1/",
        r"(?i)\b(?:thingsboard|iot|telemetry)[\w.:-]{0,60}/api/v1/(?P<v>[A-Za-z0-9]{20})/",
    ),
    token_format(
        "alerting-key",
        "routing integration service events",
        r"(?i)\b(?:routing|integration|service|events)[_ -]?key[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?"
        r"(?P<v>[0-9a-f]{32})\b",
    ),
    token_format(
        "product-token",
        "postmark reporter_id codeclimate adobe",
        r"(?i)\b(?:postmark[\w.-]{0,30}|cc_test_reporter_id)[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?"
        r"(?P<v>[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b",
    ),
)
