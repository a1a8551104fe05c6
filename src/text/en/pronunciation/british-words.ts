/**
 * Words that the British say otherwise than rules between the accents tell, and that espeak does
 * not know so, in the model's alphabet.
 */
const WORDS = `
actual ˈækʧuəl|actually ˈækʧuəli|adidas ˈædɪdˌæs|advance ədvˈɑːns|advanced ədvˈɑːnst|advances ədvˈɑːnsɪz
advantage ədvˈɑːntɪʤ|aluminium ˌæljəmˈɪniəm|asterisk ˈæstəɹɪsk|blouse blˈWz|buffet bˈʊfA|buoy bˈY|buoys bˈYz
buoyant bˈYənt|chassis ʃˈæsi|clique klˈiːk|corollary kəɹˈɒləɹi|coupon kˈuːpɒn|coupons kˈuːpɒnz|croissant kwˈæsɒn
croissants kwˈæsɒnz|croquet kɹˈQkA|debris dˈɛbɹiː|docile dˈQsIl|era ˈɪəɹə|eras ˈɪəɹəz|foyer fˈYA|fracas fɹˈækɑː
glacier ɡlˈæsiə|glaciers ɡlˈæsiəz|gooseberry ɡˈʊzbəɹi|hero hˈɪəɹQ|heroes hˈɪəɹQz|individual ˌɪndɪvˈɪʤuəl
individuals ˌɪndɪvˈɪʤuəlz|individually ˌɪndɪvˈɪʤuəli|iodine ˈIədˌiːn|jaguar ʤˈæɡjuə|karaoke kˌæɹiˈQki
kilometre kˈɪləmˌiːtə|kilometres kˈɪləmˌiːtəz|lasagne ləzˈænjə|latte lˈætA|lingerie lˈɒnʒəɹi|macho mˈæʧQ|mafia mˈæfiə
magazine mˌæɡəzˈiːn|marquis mˈɑːkwɪs|mauve mˈQv|mazda mˈæzdə|medieval mˌɛdiˈiːvᵊl|migraine mˈiːɡɹAn
migraines mˈiːɡɹAnz|mocha mˈɒkə|moustache məstˈɑːʃ|moustaches məstˈɑːʃɪz|niche nˈiːʃ|nissan nˈɪsæn|nougat nˈuːɡɑː
omega ˈQmɪɡə|oregano ˌɒɹɪɡˈɑːnQ|paella pIˈɛlə|pasta pˈæstə|penalise pˈiːnəlˌIz|penalize pˈiːnəlˌIz|plait plˈæt
plaits plˈæts|princess pɹɪnsˈɛs|quinine kwˈɪniːn|risotto ɹɪzˈɒtQ|schism sˈɪzəm|secretaries sˈɛkɹətɹiz
secretary sˈɛkɹətɹi|serum sˈɪəɹəm|shone ʃˈɒn|taco tˈækQ|tacos tˈækQz|transition tɹænzˈɪʃən|versatile vˈɜːsətˌIl
visual vˈɪʒuəl|visually vˈɪʒuəli|worsted wˈʊstɪd|wrath ɹˈɒθ|yogurt jˈɒɡət|yogurts jˈɒɡəts|zero zˈɪəɹQ|zeros zˈɪəɹQz
`;

let table: ReadonlyMap<string, string> | undefined;

export function britishReading(word: string): string | undefined {
  table ??= new Map(
    WORDS.trim()
      .split(/[\n|]/)
      .map((line) => line.split(' ') as [string, string]),
  );
  return table.get(word);
}
