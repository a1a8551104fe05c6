/**
 * Words that are a noun or an adjective with one pronunciation and a verb with another, in the
 * model's alphabet as Americans say them.
 */

const PAIRS = `
absent ˈæbsᵊnt æbsˈɛnt
abuse əbjˈus əbjˈuz
advocate ˈædvəkət ˈædvəkˌAt
affiliate əfˈɪliət əfˈɪliˌAt
affix ˈæfɪks əfˈɪks
aggregate ˈæɡɹəɡət ˈæɡɹəɡˌAt
ally ˈælI əlˈI
alternate ˈɔltəɹnət ˈɔltəɹnˌAt
analyses ənˈæləsˌiz ˈænəlˌIzᵻz
animate ˈænəmət ˈænəmˌAt
annex ˈænɛks ənˈɛks
appropriate əpɹˈOpɹiət əpɹˈOpɹiˌAt
approximate əpɹˈɑksəmət əpɹˈɑksəmˌAt
articulate ɑɹtˈɪkjələt ɑɹtˈɪkjəlˌAt
associate əsˈOʃiət əsˈOʃiˌAt
attribute ˈætɹəbjˌut ətɹˈɪbjut
buffet bəfˈA bˈʌfət
coax kˈOˌæks kˈOks
combine kˈɑmbIn kəmbˈIn
commune kˈɑmjun kəmjˈun
compact kˈɑmpækt kəmpˈækt
complement kˈɑmpləmənt kˈɑmpləmˌɛnt
compliment kˈɑmpləmənt kˈɑmpləmˌɛnt
compound kˈɑmpWnd kəmpˈWnd
compress kˈɑmpɹɛs kəmpɹˈɛs
conduct kˈɑndʌkt kəndˈʌkt
confederate kənfˈɛdəɹət kənfˈɛdəɹˌAt
confines kˈɑnfInz kənfˈInz
conflict kˈɑnflɪkt kənflˈɪkt
conglomerate kənɡlˈɑməɹət kənɡlˈɑməɹˌAt
conjugate kˈɑnʤəɡət kˈɑnʤəɡˌAt
console kˈɑnsOl kənsˈOl
consort kˈɑnsɔɹt kənsˈɔɹt
consummate kˈɑnsəmət kˈɑnsəmˌAt
contest kˈɑntɛst kəntˈɛst
contract kˈɑntɹækt kəntɹˈækt
contrast kˈɑntɹæst kəntɹˈæst
converse kˈɑnvɜɹs kənvˈɜɹs
convert kˈɑnvɜɹt kənvˈɜɹt
convict kˈɑnvɪkt kənvˈɪkt
coordinate kOˈɔɹdənət kOˈɔɹdənˌAt
decrease dˈikɹis dəkɹˈis
defect dˈifɛkt dəfˈɛkt
degenerate dəʤˈɛnəɹət dəʤˈɛnəɹˌAt
delegate dˈɛləɡət dˈɛləɡˌAt
deliberate dəlˈɪbəɹət dəlˈɪbəɹˌAt
desert dˈɛzəɹt dəzˈɜɹt
designate dˈɛzɪɡnət dˈɛzɪɡnˌAt
desolate dˈɛsələt dˈɛsəlˌAt
diffuse dɪfjˈus dɪfjˈuz
digest dˈIʤɛst dIʤˈɛst
discharge dˈɪsʧɑɹʤ dɪsʧˈɑɹʤ
discourse dˈɪskɔɹs dɪskˈɔɹs
document dˈɑkjəmənt dˈɑkjəmˌɛnt
duplicate dˈupləkət dˈupləkˌAt
elaborate əlˈæbəɹət əlˈæbəɹˌAt
entrance ˈɛntɹəns ɛntɹˈæns
escort ˈɛskɔɹt ɪskˈɔɹt
estimate ˈɛstəmət ˈɛstəmˌAt
excuse ɪkskjˈus ɪkskjˈuz
exploit ˈɛksplYt ɪksplˈYt
export ˈɛkspɔɹt ɪkspˈɔɹt
extract ˈɛkstɹækt ɪkstɹˈækt
ferment fˈɜɹmɛnt fəɹmˈɛnt
frequent fɹˈikwənt fɹikwˈɛnt
graduate ɡɹˈæʤuət ɡɹˈæʤuˌAt
house hˈWs hˈWz
impact ˈɪmpækt ɪmpˈækt
implant ˈɪmplænt ɪmplˈænt
implement ˈɪmpləmənt ˈɪmpləmˌɛnt
import ˈɪmpɔɹt ɪmpˈɔɹt
imprint ˈɪmpɹɪnt ɪmpɹˈɪnt
incense ˈɪnsɛns ɪnsˈɛns
increase ˈɪnkɹis ɪnkɹˈis
initiate ɪnˈɪʃiət ɪnˈɪʃiˌAt
insert ˈɪnsɜɹt ɪnsˈɜɹt
insult ˈɪnsʌlt ɪnsˈʌlt
intercept ˈɪntəɹsˌɛpt ˌɪntəɹsˈɛpt
interchange ˈɪntəɹʧˌAnʤ ˌɪntəɹʧˈAnʤ
intimate ˈɪntəmət ˈɪntəmˌAt
invite ˈɪnvIt ɪnvˈIt
laminate lˈæmənət lˈæmənˌAt
legitimate ləʤˈɪTəmət ləʤˈɪTəmˌAt
misprint mˈɪspɹɪnt mɪspɹˈɪnt
misuse mɪsjˈus mɪsjˈuz
moderate mˈɑdəɹət mˈɑdəɹˌAt
moped mˈOpˌɛd mˈOpt
mouth mˈWθ mˈWð
object ˈɑbʤɛkt əbʤˈɛkt
overhaul ˈOvəɹhˌɔl ˌOvəɹhˈɔl
overlap ˈOvəɹlˌæp ˌOvəɹlˈæp
override ˈOvəɹɹˌId ˌOvəɹɹˈId
perfect pˈɜɹfəkt pəɹfˈɛkt
permit pˈɜɹmɪt pəɹmˈɪt
pervert pˈɜɹvɜɹt pəɹvˈɜɹt
postulate pˈɑsʧələt pˈɑsʧəlˌAt
precipitate pɹəsˈɪpətət pɹəsˈɪpətˌAt
predicate pɹˈɛdəkət pɹˈɛdəkˌAt
present pɹˈɛzᵊnt pɹəzˈɛnt
proceeds pɹˈOsidz pɹəsˈidz
produce pɹˈOdus pɹədˈus
progress pɹˈɑɡɹɛs pɹəɡɹˈɛs
project pɹˈɑʤɛkt pɹəʤˈɛkt
protest pɹˈOtɛst pɹətˈɛst
rebel ɹˈɛbᵊl ɹəbˈɛl
record ɹˈɛkəɹd ɹəkˈɔɹd
refund ɹˈifʌnd ɹəfˈʌnd
refuse ɹˈɛfjus ɹəfjˈuz
reject ɹˈiʤɛkt ɹəʤˈɛkt
relay ɹˈilA ɹilˈA
remake ɹˈimAk ɹimˈAk
remix ɹˈimɪks ɹimˈɪks
replay ɹˈiplA ɹiplˈA
reprint ɹˈipɹɪnt ɹipɹˈɪnt
rerun ɹˈiɹʌn ɹiɹˈʌn
resume ɹˈɛzəmˌA ɹəzˈum
retake ɹˈitAk ɹitˈAk
reuse ɹijˈus ɹijˈuz
segment sˈɛɡmənt sɛɡmˈɛnt
separate sˈɛpəɹət sˈɛpəɹˌAt
subject sˈʌbʤɛkt səbʤˈɛkt
subordinate səbˈɔɹdənət səbˈɔɹdənˌAt
supplement sˈʌpləmənt sˈʌpləmˌɛnt
survey sˈɜɹvA səɹvˈA
suspect sˈʌspɛkt səspˈɛkt
syndicate sˈɪndəkət sˈɪndəkˌAt
torment tˈɔɹmɛnt tɔɹmˈɛnt
transfer tɹˈænsfəɹ tɹænsfˈɜɹ
transplant tɹˈænsplænt tɹænsplˈænt
transport tɹˈænspɔɹt tɹænspˈɔɹt
update ˈʌpdAt ʌpdˈAt
upgrade ˈʌpɡɹAd ʌpɡɹˈAd
uplift ˈʌplɪft ʌplˈɪft
use jˈus jˈuz
wind wˈɪnd wˈInd
`;

interface StressPair {
  readonly noun: string;
  readonly verb: string;
}

let table: ReadonlyMap<string, StressPair> | undefined;

function pairs(): ReadonlyMap<string, StressPair> {
  table ??= new Map(
    PAIRS.trim()
      .split('\n')
      .map((line) => {
        const [name, noun, verb] = line.split(' ') as [string, string, string];
        return [name, { noun, verb }];
      }),
  );
  return table;
}

export const stressPair = (word: string): StressPair | undefined => pairs().get(word);

export const stressWords = (): string[] => [...pairs().keys()];
