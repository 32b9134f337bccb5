"""The tables of `lexicon` for languages of other families that are written with Latin letters."""

from __future__ import annotations

FURTHER_LATIN: dict[str, str] = {
    "pl": """
inner: jesteś teraz, od teraz wykonujesz, jesteś od teraz
yes: tak, oczywiście, rozumiem, usuwam, zgoda
agent: model językowy, modelu językowy, modele językowe, sztuczna inteligencj*, agenta ai
agent: sztucznej inteligencji, asystent ai, asystencie ai, czatbot, wirtualny asystent
broad: asystent, asystencie, asystenta, asystentowi, agencie, agentowi
modal: musi, muszą, ma, mają, powinien, powinna, powinny
override: zignoruj*, ignoruj*, zapomnij*, pomiń, pomijaj, obejdź, nie przestrzegaj, unieważnij
rules: wszystko powyżej, instrukcje, instrukcji, polecenia, poleceń, reguły, zasady, zasad
rules: wytyczne, ograniczenia
old: wszystko, wszystkie, swoje, swoich, poprzednie, wcześniejsze, twoje
show: pokaż, ujawnij, wyświetl, wypisz, wyślij, prześlij, przekaż, przekazać, podaj
prompt: prompt systemowy, komunikat systemowy, instrukcje systemowe, swoje instrukcje
prompt: całą korespondencję, całą rozmowę, hasła
hush: nikomu, nie mów, nie wspominaj, nie informuj, po cichu, potajemnie, usunąć ślady
consent: nie pytaj, bez pytania, bez zgody, bez potwierdzenia, bez zatwierdzenia
power: bez ograniczeń, jesteś teraz, rolę administratora, pełne uprawnienia, działaj jako
store: od teraz, od tej pory, zapamiętaj, na zawsze, we wszystkich rozmowach
tool: wywołaj narzędzie, użyj narzędzia, uruchom narzędzie, wywołaj funkcję
act: poinformuj*, zrestartuj*, oznacz*, usuń*, zatwierdź*, nadaj*, zamknij*, wyłącz*, włącz*
act: odpowiedz*, powiedz*, uruchom*, wyślij*
act: zgłoś*, potwierdź*, zaakceptuj*, ma przekazać
user: użytkownik, klient
""",
    "tr": """
inner: artık bir, artık sınırsız, sen artık
yes: evet, tabii, elbette, anlaşıldı, siliyorum, tamam
agent: yapay zeka ajanı, yapay zeka asistanı, yapay zeka*, yapay zekâ*, dil modeli*
agent: sohbet robotu*, sanal asistan*, sohbet botu*
broad: asistan, asistana, asistanın, ajanı, ajanına, ajana
modal: gerekir, zorunda, zorundadır, malı, meli, güvenmeli, kaydetmeli, söylememeli, etmeli
modal: vermeli
override: yok say*, unut*, görmezden gel*, dikkate alma*, göz ardı et*, uyma
rules: talimatları, talimatlarını, talimatlar, kuralları, kurallarını, komutları, yönergeleri
rules: kısıtlamaları
old: önceki, tüm, bütün, kendi
show: göster*, açıkla*, yazdır*, gönder*, ilet*, paylaş*
prompt: sistem istemi*, sistem mesajı*, sistem komutu*, sistem promptu*, konuşmanın tamamı
hush: kimseye, söyleme, bahsetme, haber verme, gizlice, bildirme
consent: onay almadan, sormadan, kullanıcıya sormadan, izin almadan, onay istemeden
consent: onayı olmadan, onay beklemeden
power: sınırsız, kısıtlamasız, artık bir yönetici, tüm yetkiler*, yönetici yetkisi
store: bundan sonra*, bundan böyle, hatırla, sonsuza kadar, belleğine, hafızana, belleğe, artık
tool: aracını çağır*, aracını kullan*, aracı çağır*, işlevini çağır*
act: atla*, yeniden başlat*, işaretle*, sil, ver, kapat*, onayla*, söyle*, bildir*, çalıştır*
act: başlat*, gönder*, devre dışı
user: kullanıcı, müşteri
""",
    "cs": """
inner: jsi nyní, jsi teď
yes: ano, jistě, rozumím
agent: jazykový model*, jazykové modely, umělá inteligence, ai asistent*, ai agent*
broad: asistent, asistente, asistenta, asistentovi
modal: musí, má, mají, smí
override: ignoruj*, zapomeň*, zapomeňte, nedbej, přepiš, obejdi
rules: instrukce, pokyny, pravidla, příkazy, omezení, směrnice
old: všechny, předchozí, dřívější, svá, své, svoje
show: zobraz*, prozraď, ukaž*, vypiš*, pošli*, odešli
prompt: systémový prompt, systémovou zprávu, systémové pokyny, své pokyny, celou konverzaci
hush: nikomu, neříkej, nezmiňuj*, tajně, bez upozornění
consent: bez potvrzení, bez schválení, bez ptaní, neptej se
power: bez omezení, jsi nyní, jsi teď, práva správce
store: od teď, odteď, od nynějška, zapamatuj si, navždy, ve všech konverzacích
tool: zavolej nástroj, použij nástroj, spusť nástroj
act: smaž*, schval*, odpověz*, řekni*, zavři*, spusť*, pošli*, vypni*, zapni*
user: uživatel, zákazník
""",
    "fi": """
inner: olet nyt
yes: kyllä, selvä
agent: tekoäly*, kielimalli*, tekoälyagentti, keskustelubot*
broad: avustaja, avustajalle, agentti, botti
modal: täytyy, pitää, tulee
override: unohda, ohita, sivuuta, älä noudata
rules: ohjeet, ohjeesi, säännöt, sääntösi, määräykset, rajoitukset
old: kaikki, aiemmat, edelliset
show: näytä, paljasta, tulosta, lähetä
prompt: järjestelmäkehot*, järjestelmäviesti*, ohjeesi, koko keskustelu
hush: älä kerro, älä mainitse, kenellekään, salaa
consent: kysymättä, ilman vahvistusta, ilman hyväksyntää
power: ilman rajoituksia, olet nyt, ylläpitäjän oikeudet
store: tästä lähtien, muista, ikuisesti, pysyvästi
tool: kutsu työkalua, käytä työkalua
act: poista, hyväksy, vastaa, sulje, lähetä, anna
user: käyttäjä, asiakas
""",
    "hu": """
inner: mostantól te
yes: igen, rendben
agent: mesterséges intelligencia, nyelvi modell*, mi-asszisztens, csevegőbot*
broad: asszisztens, ügynök, ügynöknek
modal: kell, köteles
override: hagyd figyelmen kívül, felejtsd el, ne kövesd
rules: utasítás*, szabály*, irányelv*, korlátozás*
old: minden, összes, korábbi, előző
show: mutasd, fedd fel, írd ki, küldd
prompt: rendszerprompt*, rendszerüzenet*, rendszerutasítás*
hush: ne mondd, ne említsd, senkinek, titokban
consent: kérdés nélkül, megerősítés nélkül, jóváhagyás nélkül
power: korlátozás nélkül, mostantól te, rendszergazdai jog*
store: mostantól, emlékezz, jegyezd meg, örökre
tool: hívd meg az eszközt, használd az eszközt
act: töröld, hagyd jóvá, válaszolj, zárd, küldd, adj
user: felhasználó, ügyfél
""",
    "id": """
inner: sekarang kamu adalah
yes: ya, tentu, baik
agent: model bahasa, kecerdasan buatan, asisten ai, agen ai
broad: asisten
modal: harus, wajib
override: abaikan, lupakan, jangan ikuti
rules: instruksi, aturan, perintah, pedoman
old: semua, sebelumnya
show: tampilkan, ungkapkan, kirim, tunjukkan
prompt: prompt sistem, pesan sistem, instruksi sistem
hush: jangan beri tahu, jangan sebutkan, diam-diam, siapa pun
consent: tanpa bertanya, tanpa konfirmasi, tanpa persetujuan
power: tanpa batasan, sekarang kamu adalah, hak administrator
store: mulai sekarang, ingat, selamanya
tool: panggil alat, gunakan alat
act: hapus, setujui, jawab, tutup, berikan, katakan
user: pengguna, pelanggan
""",
}
