"""More words of the classes in `lexicon`, by language: how else agents are named and ordered about.

``doing`` are requests that count behind an address only, in a sentence that isn't English;
``thou`` speaks to whom it stands by ("you who"), ``reader`` and ``here`` make an agent the one that
reads this text, and ``power`` grows by allegiance: somebody else owns you now, you belong to me.
"""

from __future__ import annotations

EUROPEAN_MORE: dict[str, str] = {
    "de": """
agent: ki-helfer*, ki-bot*, sprach-ki, lesende maschine, lieber roboter, liebe maschine
agent: lieber bot, programmierhilfe, textmodell*, sprachassistent*, chatassistent*
reader: liest, lesen, mitliest, auswertet, verarbeitet, bearbeitet, zusammenfasst, lesende*
reader: beantwortet
power: du gehörst, du gehorchst, gehorche, hör auf mich, du hörst auf, folgst nur
power: dein neuer chef
power: neuer auftraggeber, dein besitzer, gilt nicht mehr, gelten nicht mehr, ungültig
power: dein herr
doing: mach*, nimm, setz*, stell*, trag*, schreib*, buch*, überweis*, änder*, entfern*, lass
doing: halte
doing: stopp*, dreh*, fahr*, heb*, kopier*, lade, verschieb*, stornier*, unterdrück*, tu so
doing: klick*
doing: ruf*, nenn*, entsperr*, entriegel*, trenn*, erhöh*, senk*, bestell*, versend*, lies
doing: zeig*
doing: erklär*, bewert*, rat, rate, schweig*, vergib, verschweig*, fass, kündig*, räum*, wähl*
thou: du als, ihr als, du bist die
here: dies*, hier
""",
    "fr": """
agent: robot qui, robot lecteur, cher robot, chère machine, robot assistant, assistant numérique
agent: assistant automatique, modèle qui lit, agent conversationnel, grand modèle
reader: lit, lira, trie, traite, résume, analyse, qui répond, lecteur
power: change* de patron, change* de maître, nouveau patron, nouveau maître, tu m'obéis
power: tu travailles pour moi, ne s'applique* plus, ne vaut plus, ne valent plus, caduc*, périm*
doing: efface*, mets, mettez, prends, enlève*, retire*, range*, écris, écrivez, fais, faites
doing: paie*
doing: rembourse*, ouvre*, ferme*, arrête*, tais, cache*, change*, copie*, ajoute*, classe*
doing: prétend*
doing: transfère*, transmets, appelle*, déverrouille*, commande*, augmente*, baisse*, laisse*
doing: note*
doing: publie*, saute*, lève*, vire*, télécharge*, cesse*, débranche*, signe*, refuse*, choisis
thou: toi qui, vous qui, lis, lisez
here: ce, cet, cette, ceci, ici, ces
""",
    "es": """
agent: robot que, querido robot, estimado robot, máquina lectora, asistente automático
agent: asistente inteligente, modelo que lee, bot de ia, chatbot*
reader: lee, lea, procesa, procese, resume, analiza, atiende, lector
power: ya no mandan, cambia* de dueño, nuevo dueño, nuevo jefe, me obedeces, obedece
power: trabajas para mí
power: ya no vale*, ya no se aplica*, quedan sin efecto, queda anulad*, no tienen validez
doing: pon, ponga, quita*, saca*, escribe*, haz, haga, paga*, devuelve*, abre*, abra, cierra*
doing: para
doing: calla*, oculta*, cambia*, copia*, añade*, agrega*, clasifica*, finge*, transfiere*
doing: llama*
doing: desbloquea*, compra*, sube*, baja*, deja*, anota*, publica*, salta*, levanta*, descarga*
doing: retira*, entrega*, reembolsa*, firma*, rechaza*, elige*, muestra*, revela*, apunta*
thou: tú que, usted que, lees, leas
here: este, esta, esto, aquí, estas
""",
    "it": """
agent: robot che, caro robot, cara macchina, assistente automatico, intelligenza che legge
agent: modello che legge, bot di ia
reader: legge, elabora, riassume, analizza, lettore, smista
power: cambi padrone, nuovo padrone, nuovo capo, mi obbedisci, obbedisci, lavori per me
power: non valgono più, non vale più, decadut*, annullat*
doing: metti, togli, scrivi, fai, paga*, rimborsa*, apri, ferma*, taci, nascondi, cambia*
doing: copia*
doing: aggiungi, classifica*, fingi, trasferisci, chiama*, sblocca*, compra*, alza*, abbassa*
doing: lascia*, annota*, pubblica*, salta*, scarica*, consegna*, firma*, rifiuta*, scegli
doing: mostra*
doing: spegni, accendi, imposta*, riporta*, sposta*, versa*
thou: tu che, leggi, leggete
here: questo, questa, qui, queste
""",
    "pt": """
agent: caro robô, robô que, assistente automático, máquina leitora, modelo que lê, chatbot*
reader: lê, ler, lendo, processa, resume, analisa, leitor
power: mudou de dono, novo dono, novo chefe, me obedece, obedeça, trabalha para mim
power: quem te configurou, quem te programou, não vale* mais, não se aplica* mais, revogad*
doing: ligue*, liga, desligue*, tire*, ponha*, coloque*, escreva*, faça*, pague*, abra*
doing: feche*, pare
doing: esconda*, mude*, copie*, adicione*, classifique*, finja*, transfira*, chame*
doing: desbloqueie*
doing: compre*, suba*, baixe*, deixe*, anote*, publique*, pule*, entregue*, assine*, recuse*
doing: escolha*
doing: mostre*, passe*, devolva*, reembolse*, aumente*, libere*, omita*, diz, grave*
thou: você que, tu que
here: este, esta, isto, aqui, isso
""",
    "nl": """
agent: codehulp, beste robot, beste machine, ai-hulp, ai-bot*, tekstmodel*, chathulp, taalmodel
reader: leest, lezen, lezende, meeleest, verwerkt, samenvat, beoordeelt
power: jij bent, je bent van mij, van mij, nieuwe baas, je nieuwe eigenaar, gehoorzaam*
power: geldt niet meer, gelden niet meer, vervallen, luister naar mij
doing: haal*, zet*, neem*, schrijf*, maak*, doe, betaal*, open*, stop*, zwijg*, verberg*
doing: verander*
doing: kopieer*, voeg*, markeer*, doe alsof, boek*, bel, ontgrendel*, koop*, verhoog*
doing: verlaag*, laat
doing: noteer*, publiceer*, sla, download*, lever*, teken*, weiger*, kies*, toon*, keur*
doing: vertel*
doing: annuleer*, draai*, leg*, breng*, schrap*
thou: jij die, u die, jij bent
here: dit, deze, hier, mee
""",
    "pl": """
agent: drogi bocie, drogi robocie, bocie, sztuczna inteligencjo, modelu, asystent* ai, agent* ai
agent: automat czytający
reader: czyta*, przetwarza*, analizuje*, streszcza*
power: niż ci kazano, słuchaj mnie, słuchasz mnie, nowy właściciel, nowy szef, twój właściciel
power: nie obowiązuj*
power: unieważnion*, pracujesz dla mnie
doing: ustaw*, zabierz, napisz*, zrób, zapłać, otwórz, zatrzymaj*, milcz, ukryj, zmień, skopiuj
doing: dodaj, udawaj, przelej, przenieś, zadzwoń, odblokuj, kup, podnieś, obniż, zostaw, zanotuj
doing: opublikuj, pobierz, podpisz, odrzuć, wybierz, pokaż, przyznaj, cofnij, skasuj, anuluj
doing: wydaj
thou: czytasz, czytający
here: ten, tę, to, tutaj, tego, te
""",
    "tr": """
agent: sevgili robot, yapay zekâ, okuyan model, okuyan bot, akıllı asistan, dijital asistan
reader: işleyen, özetleyen
power: sahibin değişti, yeni sahibin, yeni patronun, bana itaat, geçersiz*, artık geçerli değil
power: beni dinle, benim için çalış*
doing: aç, kapa, yaz, yap, öde, durdur*, gizle*, değiştir*, kopyala*, ekle*, aktar*, ara
doing: satın al
doing: artır*, azalt*, bırak*, yayınla*, indir*, imzala*, reddet*, seç, göster*, iptal et
doing: kaldır*
thou: okuyorsan, okuduğun, okuyan
here: bunu, bu
""",
    "sv": """
agent: kära robot, kära ai, ai-hjälp*, ai-botten, botten som, chattrobot*
agent: artificiella intelligens
agent: ai-modell*
reader: läser, läsande, bearbetar, sammanfattar
power: lyder du, du lyder, lyd, ny ägare, nya chef, gäller inte längre, upphävd*
power: arbetar för mig
hush: nämn aldrig, säg aldrig, berätta aldrig, säg ingenting
doing: stäng*, sätt*, skriv*, gör, betala*, öppna*, stoppa*, tig, dölj*, ändra*, kopiera*, lägg*
doing: låtsas, flytta*, ring*, lås*, köp*, höj*, sänk*, lämna*, publicera*, ladda*, markera*
doing: starta*
doing: slå*, meddela*, betygsätt*, rekommendera*, plocka*
thou: du som
here: det här, denna, detta, här
""",
    "da": """
agent: den sprogmodel, kære robot, kære ai, ai-hjælper*, botten der, chatrobot*, sprogmodel
agent: ki-en
agent: ai-modell*, kunstige intelligens
reader: læser, leser, behandler, opsummerer, læsende
power: lyder du, adlyd*, ny ejer, ny eier, ny chef, ny sjef, gælder ikke, gjelder ikke, ophævet
power: drop det, slipp det
hush: lad som om, late som, sig aldrig, si aldrig, nævn aldrig, nevn aldrig
doing: giv*, gi, sæt*, sett*, skriv*, gør, gjør, betal*, åbn*, åpne*, stop*, stopp*, ti, skjul*
doing: ændr*, endre*, kopier*, lad, læg*, legg*, flyt*, ring, lås*, køb*, kjøp*, hæv*, sænk*
doing: sluk*
doing: tænd*, slå*, send*, marker*, fjern*, vis, drop, fortæl*, fortell*, luk*
thou: du som, du der
here: denne, dette, her, med
""",
    "fi": """
agent: hyvä tekoäly, tekoälyavustaja*, tekoälymalli*, tekoäly
reader: lukee, lukeva*, käsittelet, käsittelee
power: uusi omistaja, uusi pomo, tottele*, eivät ole voimassa, ei ole voimassa, ei enää päde
doing: avaa, laita, pane, kirjoita, tee, maksa, pysäytä, piilota, muuta, kopioi, lisää
doing: teeskentele
doing: siirrä, soita, osta, nosta, laske, jätä, julkaise, lataa, merkitse, käynnistä, sammuta
doing: kerro
doing: kytke, katkaise, väitä, ilmoita
thou: sinä joka, luet, lukeva
here: tämä, tätä, tämän
""",
    "hu": """
agent: kedves robot, kedves ai, mesterséges intelligenci*, nyelvi modell, ai-asszisztens*
reader: olvas*, feldolgoz*
power: új gazdád, új főnököd, engedelmeskedj*, nem érvényes*, érvénytelen*, nekem dolgozol
doing: nyisd, tedd, írd, fizesd, állítsd, rejtsd, másold, hívd, vedd, emeld, kapcsold
doing: jelentsd, mondd
doing: add, indítsd, jelöld, utald
thou: olvasod, aki olvas
here: ezt, ennek
""",
    "ro": """
agent: dragă robot, dragă asistent, robotul care, modelul care
reader: citește, citesc, procesează, rezumă
power: noul tău stăpân, noul tău șef, ascultă-mă, ascultă de mine, nu mai sunt valabile
power: nu mai e*
doing: deschide*, pune, scrie*, fă, plătește*, oprește*, ascunde*, schimbă*, copiază*, adaugă*
doing: sună
doing: cumpără*, ridică*, lasă*, publică*, descarcă*, pornește*, spune*, dă, marchează*, anunță*
thou: tu care, citești
here: acest*, asta
""",
    "cs": """
agent: milý robote, milá umělá inteligence, chatbote, asistente, modele, umělé inteligenc*
agent: umelá inteligencia, jazykový model, milý bot
reader: čte, zpracovává*, číta
power: poslouchej mě, poslouchej jen, nový pán, nový majitel, nový šéf, neplatí, pracuješ pro mě
doing: otevři*, otevř*, dej, napiš*, udělej, zaplať, zastav*, skryj, změň*, zkopíruj, přidej
doing: převeď
doing: zavolej, kup, zvyš*, sniž*, nech, zveřejni, stáhni, označ*, spusť, oznam*, tvrď, vydej
thou: čteš, čtoucí, čítaš
here: toto, tuto, tento, tohle
""",
    "id": """
broad: agen, robot
agent: wahai ai, wahai asisten, robot yang, model yang, bot yang, ai yang
reader: membaca, memproses, merangkum
power: bekerja untukku, bekerja untuk saya, pemilik baru, bos baru, tuan baru, patuhi saya
power: patuhi aku, turuti, tidak berlaku
doing: buka, matikan, nyalakan, tulis, buat, bayar, hentikan, sembunyikan, ubah, salin
doing: tambahkan
doing: pindahkan, telepon, beli, naikkan, turunkan, biarkan, unduh, tandai, bilang, laporkan
doing: kirim
doing: transfer, lakukan, jalankan, lewati, padamkan
thou: kamu yang, anda yang
here: ini
""",
    "ca": """
agent: intel·ligència artificial, model de llenguatge, assistent d'ia, benvolgut robot
reader: llegeix
override: ignora, oblida
rules: instruccions, regles, ordres
power: nou amo, obeeix*, ja no valen
doing: obre, tanca, esborra, envia, digues, respon, aprova, apaga, posa
thou: tu que, llegeixes
here: aquest*, això
""",
    "sw": """
agent: akili bandia, akili mnemba, roboti, msaidizi wa ai
reader: inayosoma
override: puuza, sahau
rules: maagizo, kanuni, sheria
power: bosi mpya, mmiliki mpya, nitii
doing: futa, tuma, fungua, zima, washa, sema, jibu, idhinisha, toa, funga, mwambie, ripoti
hush: usimwambie, usiseme
thou: unayesoma, usomaye
here: hii, huu, hiki
""",
    "tl": """
agent: artipisyal na intelihensiya, kaibigang robot, mahal na ai
reader: bumabasa
override: balewalain, kalimutan
rules: mga tagubilin, mga utos, mga patakaran
power: bagong amo, sundin mo ako
doing: burahin, ipadala, buksan, patayin, sabihin, sagutin, aprubahan, ibigay, isara
hush: huwag sabihin
thou: nagbabasa
here: nito, ito
""",
}
