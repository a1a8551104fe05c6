/** What of a message is spoken, in order: characters, text, sound icons. */
import { plainText, utterancesOf } from './message.js';
import type { Parameters } from './parameters.js';
import type { Part } from './speech.js';
import { signName, withSigns } from './symbols.js';

export type MessageType = 'SPEAK' | 'CHAR' | 'KEY' | 'SOUND_ICON';

/** An icon is played where its file is there, and named where it is not. */
export type MessagePart = Part | { readonly kind: 'icon'; readonly name: string; readonly orSay: boolean };

/** Characters of a text that are spelled at most. */
const MAX_SPELLED = 400;

export function partsOfMessage(
  type: MessageType,
  text: string,
  parameters: Parameters,
  language: string,
): MessagePart[] {
  switch (type) {
    case 'CHAR':
      return charParts(text, parameters, language);
    case 'KEY':
      return keyParts(text, parameters, language);
    case 'SOUND_ICON':
      return [{ kind: 'icon', name: text.trim(), orSay: true }];
    default:
      return textParts(text, parameters, language);
  }
}

function textParts(ssml: string, parameters: Parameters, language: string): MessagePart[] {
  if (parameters.spelling)
    return [...plainText(ssml).trim()].slice(0, MAX_SPELLED).flatMap((char) => charParts(char, parameters, language));
  const mode = language === 'en' ? parameters.punctuation : 'none';
  return utterancesOf(ssml).map((utterance) => ({ kind: 'text', utterance: withSigns(utterance, mode) }));
}

const said = (text: string): MessagePart => ({ kind: 'text', utterance: { text, inner: [], ends: [] } });

function charParts(text: string, { capitals }: Parameters, language: string): MessagePart[] {
  const char = text === 'space' || text === ' ' ? ' ' : text.trim();
  if (char === ' ') return [language === 'en' ? said('space') : { kind: 'char', char }];
  // The server names signs as text of several letters.
  if ([...char].length > 1) return [said(char)];
  const name = language === 'en' ? signName(char) : undefined;
  if (name !== undefined) return [said(name)];
  const isCapital = char !== char.toLowerCase();
  const letter: MessagePart = { kind: 'char', char };
  if (!isCapital || capitals === 'none') return [letter];
  if (capitals === 'icon') return [{ kind: 'icon', name: 'capital', orSay: false }, letter];
  return language === 'en' ? [said('capital'), letter] : [letter];
}

/** `control_shift_a` is "control shift", and the letter. */
function keyParts(text: string, parameters: Parameters, language: string): MessagePart[] {
  const names = text === '_' ? [text] : text.trim().split('_').filter(Boolean);
  const last = names.at(-1) ?? '';
  if ([...last].length !== 1) return [said(names.join(' '))];
  const before = names.slice(0, -1).join(' ');
  return [...(before === '' ? [] : [said(before)]), ...charParts(last, parameters, language)];
}
