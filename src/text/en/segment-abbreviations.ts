/** Words whose full stop does not, or need not, end a sentence. All lower case, without the final stop. */

const words = (list: string) => new Set(list.trim().split(/\s+/));

/** A name or a continuation follows: never a sentence end. */
export const LEADING = words(`
  mr mrs ms mx messrs mme mlle dr prof rev hon gov sen rep pres gen col maj capt cpt lt sgt cpl pvt adm cmdr cdr brig
  supt det insp fr st ste mt ft sr sra srta herr frau cf vs viz e.g i.e eg ie al.e approx ca resp incl excl esp
  univ dept assn bros natl intl gov't nr attn c.f
`);

/** No sentence end before a digit ("No. 5"), nor before a small letter. */
export const BEFORE_NUMBER = words(`
  no nos nr num p pp pg pgs fig figs vol vols ch chap sec sect art eq eqn ref refs ver v para paras ed eds tel ext op
  ex exp app bk cl col ln st ste rm apt bldg fl jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu
  thur thurs fri sat sun c ca approx r rev rs s ss ser pt pts q qn item lot est
`);

/** No sentence end before a small letter; before a capital one it is. */
export const BEFORE_SMALL = words(`
  etc inc ltd co corp llc plc jr sr esq al et ave blvd rd ln hwy sq pl bldg dept est assoc dist div ed eds trans rev
  min max avg std temp misc temp def ref var vol wt ht lb lbs oz ft in yd mi km cm mm kg hr hrs sec secs min mins yr
  yrs mo mos wk wks pd pcs qty amt bal cont cont'd ibid pub publ ill repr abbr adj adv syn orig gen sing pl jan feb mar
  apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun phd ph.d m.d b.a m.a b.sc m.sc gov
  sci tech eng math bio phys chem med lit hist geog admin mgmt dev prod spec specs config repo info
`);

/** A single letter after one of these is a label ("vitamin C."), not the initial of a name. */
export const LABELLED = words(`
  vitamin hepatitis grade plan option type class group appendix section exhibit part figure table category level row
  column team block unit point letter chapter tier phase step version hall gate terminal platform route line wing
  question answer variable factor schedule annex form model series zone building room channel
`);
