/** Names and loans of several words, which are said otherwise than the same words apart. */

const TABLE = `
déjà vu = dˌAʒɑ vˈu
deja vu = dˌAʒɑ vˈu
bon voyage = bˌɔn vwɑjˈɑʒ
bon appétit = bˌɔn ˌæpAtˈi
bon appetit = bˌɔn ˌæpAtˈi
bon vivant = bˌɔn vivˈɑnt
hors d'oeuvre = ˌɔɹ dˈɜɹv
hors d'oeuvres = ˌɔɹ dˈɜɹvz
hors d'œuvre = ˌɔɹ dˈɜɹv
hors d'œuvres = ˌɔɹ dˈɜɹvz
coup d'état = kˌu dAtˈɑ
coup d'etat = kˌu dAtˈɑ
raison d'être = ɹAzˌOn dˈɛtɹə
raison d'etre = ɹAzˌOn dˈɛtɹə
joie de vivre = ʒwˌɑ də vˈivɹə
c'est la vie = sˌA lɑ vˈi
crème brûlée = kɹˌɛm bɹulˈA
creme brulee = kɹˌɛm bɹulˈA
crème fraîche = kɹˌɛm fɹˈɛʃ
eau de cologne = ˌO də kəlˈOn
femme fatale = fˌɛm fətˈæl
film noir = fˈɪlm nwˈɑɹ
je ne sais quoi = ʒə nə sA kwˈɑ
laissez faire = lˌɛsA fˈɛɹ
mise en scène = mˌiz ɑn sˈɛn
nom de plume = nˌɑm də plˈum
au pair = O pˈɛɹ
en route = ɑn ɹˈut
en masse = ɑn mˈæs
en suite = ɑn swˈit
champs élysées = ʃˌɑnz ˌAlizˈA
champs elysées = ʃˌɑnz ˌAlizˈA
champs elysees = ʃˌɑnz ˌAlizˈA
au gratin = O ɡɹˈɑTᵊn
au revoir = O ɹəvwˈɑɹ
au fait = O fˈA
pas de deux = pˌɑ də dˈu
papier mâché = pˌApəɹ məʃˈA
savoir faire = sˌævwɑɹ fˈɛɹ
tour de force = tˌʊɹ də fˈɔɹs
chaise longue = ʃˌAz lˈɔŋ
art nouveau = ˌɑɹt nuvˈO
avant garde = ˌɑvɑnt ɡˈɑɹd
cul de sac = kˈʌl də sˌæk
vis à vis = vˌiz ə vˈi
vice versa = vˌIs vˈɜɹsə
ad hoc = ˌæd hˈɑk
bona fide = bˈOnə fˌId
per se = pɜɹ sˈA
pro rata = pɹO ɹˈATə
et al = ɛt ˈæl
des moines = də mˈYn
des plaines = dɛs plˈAnz
la jolla = lə hˈYə
la paz = lə pˈɑz
los angeles = lɔs ˈænʤələs
san jose = sˌæn hOzˈA
san josé = sˌæn hOzˈA
san juan = sˌæn wˈɑn
santa fe = sˌæntə fˈA
baton rouge = bˌætᵊn ɹˈuʒ
terre haute = tˌɛɹə hˈOt
notre dame = nˌOTɹə dˈɑm
port au prince = pˌɔɹt O pɹˈɪns
buenos aires = bwˌAnəs ˈɛɹiz
rio de janeiro = ɹˌiO dA ʒənˈɛɹO
côte d'ivoire = kˌOt divwˈɑɹ
el niño = ɛl nˈinjO
el nino = ɛl nˈinjO
da vinci = də vˈɪnʧi
de gaulle = də ɡˈɔl
de niro = də nˈɪɹO
van gogh = væn ɡˈO
van dyck = væn dˈIk
le corbusier = lə kˌɔɹbusjˈA
le pen = lə pˈɛn
saint louis = sˌAnt lˈuɪs
new orleans = nˌu ˈɔɹlinz
sri lanka = sɹˌi lˈɑŋkə
phnom penh = pənˌɑm pˈɛn
nizhny novgorod = nˌɪʒni nˈɔvɡəɹɑd
ho chi minh = hˌO ʧi mˈɪn
mao zedong = mˌW zədˈɔŋ
yo-yo ma = jˈOjO mˈɑ
`;

interface Phrase {
  readonly words: readonly string[];
  readonly sounds: readonly string[];
}

const BY_FIRST = new Map<string, Phrase[]>();
for (const line of TABLE.trim().split('\n')) {
  const [written, said] = line.split(' = ') as [string, string];
  const words = written.split(' ');
  const known = BY_FIRST.get(words[0]!) ?? [];
  known.push({ words, sounds: said.split(' ') });
  BY_FIRST.set(words[0]!, known);
}

/** The American sounds of the phrase that begins at `index`, one for each of its words. */
export function phraseAt(words: readonly string[], index: number): readonly string[] | undefined {
  return BY_FIRST.get(words[index]!)?.find((phrase) => phrase.words.every((word, by) => words[index + by] === word))
    ?.sounds;
}
