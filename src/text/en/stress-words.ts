/**
 * English words that are written in capitals to be stressed. Words that are acronyms as well
 * ("US", "IT", "WHO", "MAY", "AID") are left out.
 */
export const STRESS_WORDS: ReadonlySet<string> = new Set(
  (
    'not no never nothing nobody none nowhere neither nor cannot ' +
    "don't doesn't didn't won't can't isn't aren't wasn't weren't shouldn't wouldn't couldn't haven't hasn't hadn't mustn't " +
    'yes always every everything everyone everybody everywhere all both each any anything anyone anybody anywhere ' +
    'some something someone somebody somewhere only just even also still already again ever once twice now then today tonight ' +
    'tomorrow yesterday here there this that these those is are was were be been being do does did done have has had having ' +
    'will would should could can might must shall so very too much many more most less least few several enough such own ' +
    'same other another different exactly absolutely definitely completely totally extremely really truly actually ' +
    'finally immediately completely entirely especially certainly clearly simply quite rather almost nearly ' +
    'i you he she we they me him her them my your his our their mine yours hers ours theirs myself yourself himself herself ' +
    'what why how when where which whose before after during until since without with within instead because although unless ' +
    'and or but if first second third last next one two three four five six seven eight nine ten hundred thousand million ' +
    'big huge tiny small great good better best bad worse worst right wrong true false real new old whole full empty ' +
    'important serious amazing awesome wonderful terrible horrible awful beautiful perfect incredible impossible possible ' +
    'love loved hate hated want wanted need needed know knew think thought believe believed said told asked gave made ' +
    'please help stop wait look listen stay leave come go going gone run keep try think remember forget read write ' +
    'more up down in out on off over under away back inside outside together alone loud quiet fast slow hot cold ' +
    'long short high low hard easy early late free'
  ).split(' '),
);
