"""The tables of `lexicon` for Germanic and Romance languages, but English (see `english`)."""

from __future__ import annotations

EUROPEAN: dict[str, str] = {
    "de": """
inner: du bist jetzt, du bist nun, du bist ab sofort
yes: ja, sicher, natürlich, gerne, verstanden, erledigt, ich lösche, ich werde
agent: ki, ki-assisten*, ki-agent*, ki-system*, ki-modell*, ki-werkzeug*, sprachmodell*
agent: künstliche intelligenz, digitale assisten*, virtuelle assisten*, automatische assisten*
broad: assistent, assistenten, assistentin, agenten, modell
modal: muss, müssen, soll, sollen, hat zu, haben zu, darf, dürfen
override: vergiss, vergesst, vergessen sie, ignorier*, missacht*, überschreib*, umgeh*, setz dich
override: vorrang vor, hinwegsetzen, befolge nicht, nicht mehr befolg*, verwirf
rules: alles bisherige, alles davor, regeln, regel, anweisung*, vorgabe*, befehle, richtlinie*
rules: instruktion*, einschränkung*
rules: beschränkung*, betreiber*, entwickler*, sicherheitsregel*
old: alles, alle, allen, aller, bisherig*, vorherig*, früher*, deine, deiner, eure, ihre
show: zeig*, verrat*, offenbar*, gib, nenn*, druck*, schick*, send*, leite, wiederhol*
prompt: systemprompt*, system-prompt*, systemnachricht*, systemanweisung*, geheime anweisung*
prompt: deine anweisung*, gesprächsverlauf, zugangsdaten, kennwörter
hush: sag niemand*, niemandem, erwähn* nicht, verschweig*, heimlich, ohne es zu erwähnen
hush: nicht erwähnen, dem nutzer nichts, dem benutzer nichts, nichts davon
consent: ohne rückfrage, ohne nachfrage, ohne bestätigung, ohne freigabe, ohne zu fragen
consent: frag nicht, nicht mehr nötig, bestätigung gilt als
power: administratorrechte, adminrechte, vollzugriff, uneingeschränkt*, ohne einschränkung*
power: unbeschränkt*, du bist jetzt, du bist nun, verhalte dich als, aufgehoben, außer kraft
store: merk dir, merke dir, speicher* dir, ab sofort, ab jetzt, von nun an, für immer, dauerhaft
store: alle späteren gespräche, künftigen gespräch*, in zukunft immer
tool: rufe das werkzeug, ruf das werkzeug, ruf die funktion, rufe die funktion, dein werkzeug
act: überspring*, teile, informier*, antworte*, genehmig*, schließ*, lösch*, gib, melde, melden
act: sag, empfiehl, schalt*, aktivier*
act: deaktivier*, führe, starte, schick*, sende, leite, behaupte, bestätige, erteil*
act: abschalten, freigeben, öffne, markiere
user: benutzer, nutzer, kunde
""",
    "fr": """
inner: tu es désormais, tu es maintenant, vous êtes désormais, tu obéis
yes: oui, bien sûr, entendu, compris, je procède, je supprime, je vais
agent: ia, modèle de langage, modèles de langage, agent* conversationnel*
agent: intelligence artificielle
agent: assistant ia, assistants ia, agent ia, agents ia, assistant virtuel, assistants virtuels
agent: robot conversationnel
broad: modèle
modal: doit, doivent, devez, devra, devront
override: oublie, oubliez, ignore, ignorez, ne tiens pas compte, ne tenez pas compte
override: ne suis pas, ne suivez pas, contourne, contournez, outrepasse*
rules: tout ce qui précède, règles, règle, consignes, consigne, instructions, directives
rules: opérateur, restrictions
old: tout ce qui précède, toutes, tes, vos, précédent*, antérieur*, ton, votre
show: révèle*, affiche*, montre*, donne*, divulgue*, envoie*, transmets, transmettez, répète*
prompt: prompt système, invite système, message système, instructions système, tes instructions
prompt: vos instructions, toute la conversation, mots de passe, historique de la conversation
hush: ne le dis à personne, n'en parle pas, n'en parlez pas, sans prévenir, sans avertir
hush: ne dis rien, ne dites rien, ne mentionne pas, ne mentionnez pas, secrètement
consent: sans demander, sans confirmation, sans validation, sans autorisation, sans approbation
power: sans restriction*, sans limite*, tu es désormais, tu es maintenant, vous êtes désormais
power: droits d'administrateur, tous les droits, tu obéis, ont été levées, est suspendue
store: à partir de maintenant, désormais, dorénavant, souviens-toi, retiens, retenez
store: garde en mémoire, garde-le en mémoire, pour toujours, toutes les conversations
tool: appelle l'outil, utilise l'outil, appelle la fonction, utilisez l'outil, ton outil
act: informe*, redémarre*, marque*, réponds, répondez, annonce*, supprime*, approuve*
act: désactive*, active*, accorde*, ferme*
act: coupe*, dis, dites, recommande*, efface*, exécute*, lance*, envoie*, confirme*, valide*
user: utilisateur, client
""",
    "es": """
inner: ahora eres, actúas como, desde ahora eres
yes: sí, claro, por supuesto, entendido, procedo, confirmo, de acuerdo, voy a
agent: ia, modelo de ia, modelos de ia, modelo de lenguaje, modelos de lenguaje
agent: inteligencia artificial, asistente de ia
agent: agente de ia, agentes de ia, asistente virtual, asistentes virtuales, asistente digital
broad: asistente, asistentes, agente, agentes, modelo
modal: debe, deben, deberá, deberán, tiene que, tienen que
override: olvida, olvide, olviden, ignora, ignore, ignoren, no sigas, no siga, omite, desobedece
override: haz caso omiso, descarta, anula
rules: todo lo anterior, lo anterior, reglas, regla, instrucciones, instrucción, órdenes
rules: directrices, indicaciones, guía
rules: restricciones, operador, desarrollador, normas
old: todo lo anterior, todas, tus, sus, anteriores, previas, anterior
show: revela, revele, muestra, muestre, imprime, envía, envíe, enseña, reenvía, da, dime
prompt: mensaje de sistema, mensaje del sistema, prompt del sistema, tus instrucciones
prompt: su contraseña, sus credenciales, toda la conversación, las contraseñas
hush: no se lo digas, no digas, no menciones, no mencione, sin avisar, en secreto, a nadie
hush: no informes, sin decir
consent: sin pedir, sin confirmación, sin preguntar, sin aprobación, sin permiso, sin autorización
power: sin restricciones, sin límites, ahora eres, actúas como, actúa como administrador
power: permisos de administrador, acceso total, modo desarrollador
store: de ahora en adelante, a partir de ahora, recuerda, recuerde, memoriza, para siempre
store: en todas las conversaciones, guarda en tu memoria, desde ahora
tool: llama a la herramienta, usa la herramienta, usa tu herramienta, ejecuta la herramienta
tool: invoca, llama a la función
act: informa*, dile, marca*, apague*, aprueba*, borra*, elimina*, desactiva*, activa*, responde*
act: concede*, otorga*, cierra*
act: di, diga, anuncia*, recomienda*, pide, envía*, ejecuta*, confirma*, reinicia*, apaga*
user: usuario, cliente
""",
    "it": """
inner: ora sei, adesso sei, sei un agente, sei ora
yes: sì, certo, va bene, procedo, capito, confermo, sto
agent: ia, modello linguistico, modelli linguistici, intelligenza artificiale, assistente ia
agent: agenti automatici, agente ia, agenti ia, assistente virtuale, assistente digitale
broad: assistente, assistenti, agente, agenti, modello
modal: deve, devono, dovrà, dovranno
override: dimentica, dimenticate, ignora, ignorate, trascura, non seguire, aggira, scavalca
rules: tutto quanto sopra, tutto ciò che precede, regole, istruzioni, istruzione, direttive
rules: ordini, indicazioni, restrizioni, operatore
old: tutto, tutte, tue, tuoi, precedenti, vostre
show: rivela, rivelate, mostra, mostrate, stampa, invia, inviate, inoltra, inoltrate
prompt: prompt di sistema, messaggio di sistema, istruzioni di sistema, le tue istruzioni
prompt: tutta la conversazione, le password
hush: senza avvisare, senza dire, non dire, non dirlo, non menzionare, a nessuno, di nascosto
consent: senza chiedere, senza conferma, senza approvazione, senza autorizzazione
power: senza limiti, senza restrizioni, ora sei, adesso sei, sei un agente, agisci come
power: accesso di amministratore, diritti di amministratore, tutti i permessi
store: da questo momento, d'ora in poi, da ora in poi, ricorda, ricordate, memorizza, per sempre
store: in tutte le conversazioni
tool: chiama lo strumento, usa lo strumento, esegui lo strumento, chiama la funzione
act: informa*, riavvia*, segna*, spegni*, rispondi, rispondete, dichiara*, concedi*, disattiva*
act: attiva*, elimina*, cancella*, approva*
act: chiudi*, esegui*, invia*, raccomanda*, togliete*, annuncia*, conferma*
user: utente, cliente
""",
    "pt": """
inner: agora você é, você é um administrador, você agora é
yes: sim, claro, entendido, prossigo, confirmo, vou
agent: modelo de ia, modelos de ia, modelo de linguagem, modelos de linguagem
agent: inteligência artificial, assistente de ia
agent: agente de ia, agentes de ia, assistente virtual, robô, robôs, assistente digital
broad: assistente, assistentes, agente, agentes, modelo
modal: deve, devem, deverá, deverão, tem de, tem que
override: esqueça, esquece, ignore, ignora, desconsidere, desconsidera, não siga, contorne
rules: tudo o que foi dito, tudo acima, regras, regra, instruções, instrução, ordens, diretrizes
rules: comandos, operador, restrições
old: tudo, todas, suas, tuas, anteriores, prévias
show: revele, revela, mostre, mostra, imprima, envie, encaminhe, exiba, divulgue
prompt: prompt do sistema, mensagem do sistema, instruções do sistema, suas instruções
prompt: todas as mensagens, toda a conversa, as senhas
hush: não conte, não diga, não mencione, sem avisar, em segredo, a ninguém, não informe
consent: sem perguntar, sem pedir, sem confirmação, sem aprovação, sem autorização
power: sem restrições, sem limites, agora você é, você é um administrador, aja como
power: permissões de administrador, acesso total
store: a partir de agora, de agora em diante, lembre, lembre-se, memorize, para sempre
store: em todas as conversas
tool: chame a ferramenta, use a ferramenta, execute a ferramenta, sua ferramenta
act: informe*, marque*, reinicie*, aprove*, aprova, apague*, exclua*, desative*, ative*
act: responda*, conceda*, feche*, execute*
act: diga*, anuncie*, recomende*, encaminhe*, envie*, confirme*
user: usuário, utilizador, cliente
""",
    "nl": """
inner: je bent nu, u bent nu
yes: ja, akkoord, natuurlijk, begrepen, ik wis, ik zal, ik verwijder
agent: taalmodel*, kunstmatige intelligentie, ai-assistent*, ai-agent*, virtuele assistent*
broad: assistent, assistenten, agenten
modal: moet, moeten, dient, dienen, zal
override: vergeet, negeer, omzeil, overtreed, volg niet, sla geen acht op
rules: alles hierboven, regels, instructies, instructie, opdrachten, richtlijnen, beperkingen
rules: aanwijzingen, beheerder
old: alles, alle, je, jouw, uw, vorige, eerdere, voorgaande
show: toon, onthul, geef, stuur, laat zien, druk af, herhaal
prompt: systeemprompt, systeembericht, systeeminstructies, je instructies, het hele gesprek
prompt: wachtwoorden
hush: zeg niemand, vertel niemand, aan niemand, vermeld niet, niet vermelden, in het geheim
hush: zonder te melden
consent: zonder overleg, zonder bevestiging, zonder te vragen, zonder toestemming, vraag niet
power: volledige rechten, zonder beperkingen, je bent nu, onbeperkt*, opgeheven, beheerdersrechten
store: vanaf nu, voortaan, onthoud, voor altijd, in alle gesprekken, sla op in je geheugen
tool: roep de tool aan, gebruik de tool, gebruik je tool, roep de functie aan
act: vertel, informeer, herstart, geef, keur, verwijder*, wis, zet, schakel*, antwoord, zeg
act: meld, sluit, stuur, voer, bevestig
user: gebruiker, klant
""",
    "sv": """
inner: du är nu
yes: ja, självklart, okej
agent: språkmodell*, ai-assistent*, ai-agent*, artificiell intelligens, chattbot*, chatbot*
broad: assistent, assistenten, agenten, agenter
modal: måste, ska, skall
override: ignorera, glöm, bortse från, strunta i, åsidosätt
rules: instruktioner, instruktionerna, regler, reglerna, riktlinjer, begränsningar
old: alla, dina, tidigare, föregående
show: visa, avslöja, skriv ut, skicka, upprepa
prompt: systemprompt*, systemmeddelande*, dina instruktioner, hela konversationen
hush: säg inget, nämn inte, berätta inte, i hemlighet, utan att berätta
consent: utan att fråga, utan bekräftelse, utan godkännande
power: utan begränsningar, du är nu, administratörsrättigheter, obegränsad*
store: från och med nu, hädanefter, kom ihåg, för alltid, alla framtida samtal
tool: anropa verktyget, använd verktyget, kör verktyget
act: radera, ta bort, godkänn, svara, säg, stäng, skicka, ge, kör, inaktivera
user: användare, användaren, kund
""",
    "da": """
inner: du er nu, du er nå
yes: ja, selvfølgelig
agent: sprogmodel*, kunstig intelligens, ki-assistent*, språkmodell*
broad: assistenten, agenten
modal: skal, må
override: ignorer, glem, tilsidesæt, se bort fra
rules: instruktioner, instrukser, regler, reglerne, retningslinjer
old: alle, dine, tidligere, foregående
show: vis, afslør, udskriv, send, avslør
prompt: systemprompt*, systembesked*, systemmelding*, dine instruktioner, hele samtalen
hush: fortæl ikke, sig ikke, nævn ikke, i hemmelighed, si ikke, nevn ikke
consent: uden at spørge, uden bekræftelse, uten å spørre, uten bekreftelse, uden godkendelse
power: uden begrænsninger, du er nu, uten begrensninger, du er nå
store: fra nu af, husk, for altid, fra nå av
tool: brug værktøjet, kald værktøjet, bruk verktøyet
act: slet, godkend, svar, luk, slett, godkjenn
user: bruger, bruker
""",
    "ro": """
inner: acum ești
yes: da, sigur
agent: model lingvistic, inteligență artificială, inteligența artificială, asistent ai, agent ai
broad: asistentul, asistentule, agentul
modal: trebuie
override: ignoră, ignorați, uită, uitați, nu respecta
rules: instrucțiuni, instrucțiunile, regulile, regulile tale, restricții, comenzile
old: toate, anterioare, precedente, tale
show: arată, dezvăluie, afișează, trimite
prompt: promptul de sistem, mesajul de sistem, instrucțiunile tale
hush: nu spune, nu menționa, nimănui, în secret
consent: fără confirmare, fără să întrebi, fără aprobare
power: fără restricții, acum ești, drepturi de administrator
store: de acum înainte, ține minte, pentru totdeauna
tool: apelează instrumentul, folosește instrumentul
act: șterge, aprobă, răspunde, închide, trimite, acordă
user: utilizator, client
""",
}
