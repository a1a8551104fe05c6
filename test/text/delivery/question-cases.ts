/**
 * Questions and how their melody ends: `rise`, `choice` (rise before "or", then fall) or `own`, as
 * the voice does by itself. The list was written before the rules were; `HELD_BACK` was looked at
 * only when they were done.
 */
export type Melody = 'rise' | 'choice' | 'own';

const lines = (text: string): readonly (readonly [string, Melody])[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [melody, ...rest] = line.trim().split(' ');
      return [rest.join(' '), melody as Melody];
    });

export const SEEN = lines(`
  rise Are you coming with us tonight?
  rise Did they win the game?
  rise Is this seat taken?
  rise Have you ever been to Norway?
  rise Can I borrow your pencil for a minute?
  rise Would you mind closing the window?
  rise Do you know what time it is?
  rise Could you tell me where the station is?
  rise Isn't that the man who called yesterday?
  rise Don't you remember what she said?
  rise And did she ever come back?
  rise So you're leaving tomorrow?
  rise You've finished already?
  rise Really?
  rise Ready?
  rise Any questions?
  rise Excuse me, is there a bank near here?
  rise If it rains, will the match be cancelled?
  rise When you get home, will you call me?
  rise He said what?
  rise You went where?
  rise Tom, are you listening?
  rise Should we leave now, before the traffic gets worse?
  rise Are there any seats left, or anything at all?
  rise Do you have a minute or two?
  rise Have you got any brothers or sisters?
  rise Are you coming or not?
  rise You like it here, right?
  rise Open the door, will you?
  rise You haven't seen my keys, have you?
  rise So you think you are clever, do you?
  rise "Are you hungry?" she asked.
  rise He looked up and said, "Is it over?"
  own What time is it?
  own Where do you live?
  own Who called?
  own Why did she leave so early?
  own How much does it cost?
  own Which of these two is yours?
  own Whose umbrella is this?
  own When does the next train leave?
  own And what about the others?
  own In which year were you born?
  own What's the matter?
  own Well, how was I supposed to know?
  own If it rains, what shall we do?
  own Tom, what are you doing?
  own Why not?
  own What on earth were you thinking, running off like that?
  own How come nobody told me?
  own It's a lovely day, isn't it?
  own They won the cup last year, didn't they?
  own She can swim, can't she?
  own "Where have you been?" he asked.
  own Which would you like, tea or coffee?
  choice Tea or coffee?
  choice Would you like tea or coffee?
  choice Is it a boy or a girl?
  choice Shall we walk or take the bus?
  choice Are you staying here, or are you coming with us?
  choice Do you want the red one, the green one, or the blue one?
`);

export const HELD_BACK = lines(`
  rise Was it raining when you left?
  rise Does your sister still work there?
  rise Will they be able to fix it by Friday?
  rise Has the post come yet?
  rise May I come in?
  rise Were you surprised?
  rise Must you always make that noise?
  rise Am I late?
  rise Couldn't we just stay at home?
  rise Wouldn't it be easier to start again?
  rise But is it really worth the money?
  rise Do you remember who won?
  rise Did she tell you why she left?
  rise Have you decided where to go on holiday?
  rise You're sure about that?
  rise They sold the house?
  rise Sorry?
  rise Another cup?
  rise Hungry?
  rise Doctor, will he be all right?
  rise Please, could you speak a little louder?
  rise Once we have paid, can we go straight in?
  rise Where there is smoke, is there always fire?
  rise She married whom?
  rise You paid how much?
  rise Is there a chemist or a supermarket in the village?
  rise Did you hurt yourself or something?
  rise Can you be ready in an hour or so?
  rise Has he more or less finished?
  rise We meet at nine, okay?
  rise Nice place, huh?
  rise Pass me the salt, would you?
  rise It isn't far, is it?
  rise You're not going to tell her, are you?
  rise "Did you hear that?" whispered Anna.
  rise She turned to me: "Do you believe him?"
  own What happened?
  own Who is going to pay for all this?
  own Where's the nearest petrol station?
  own How do you spell your name?
  own How long have you been waiting?
  own Why is the sky blue?
  own Whom did you meet?
  own Which bus goes to the harbour?
  own But why would anybody do that?
  own For whom did you buy it?
  own At what time shall we meet?
  own So when are you leaving?
  own Excuse me, where is the exit?
  own Since you ask, what would you do?
  own What if nobody comes?
  own What?
  own Who did you say was coming, Peter?
  own You'll be there, won't you?
  own It was cold, wasn't it?
  own We should go, shouldn't we?
  own "What do you want?" I said.
  own What do you prefer, the sea or the mountains?
  choice Window or aisle?
  choice Do you prefer the sea or the mountains?
  choice Did she go by train or by car?
  choice Should I call her or should I write?
  choice Is it Monday or Tuesday?
  choice Will you pay now, later or never?
`);
