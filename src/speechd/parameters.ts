/** The parameters that a server sets before each message, and what they mean for its sound. */
import { SAMPLE_RATE } from '../protocol/audio.js';
import { MAX_SPEED, MIN_SPEED } from '../protocol/job.js';
import { isPunctuationMode, type PunctuationMode } from './symbols.js';

/** Speed at a rate of 100 and, inverted, of -100. */
const FASTEST = 6;
const SLOWEST = 1 / 3;
/** Half an octave up or down at a pitch of 100 or -100. */
const PITCH_OCTAVES = 0.5;

export class Parameters {
  rate = 0;
  pitch = 0;
  volume = 100;
  punctuation: PunctuationMode = 'none';
  spelling = false;
  capitals: 'none' | 'spell' | 'icon' = 'none';
  /** `male1`, `female2`, `child_male` …, as a client asks without naming a voice. */
  voiceType = '';
  language = '';
  /** The voice by its name; empty where none is named. */
  voice = '';

  /** False for a value that cannot be. Unknown parameters of later versions do no harm. */
  set(name: string, value: string): boolean {
    const given = value === 'NULL' ? '' : value;
    switch (name) {
      case 'rate':
      case 'pitch':
      case 'volume': {
        const number = Number(value);
        if (!Number.isFinite(number) || Math.abs(number) > 100) return false;
        this[name] = number;
        return true;
      }
      case 'punctuation_mode':
        if (!isPunctuationMode(value)) return false;
        this.punctuation = value;
        return true;
      case 'spelling_mode':
        this.spelling = value === 'on';
        return true;
      case 'cap_let_recogn':
        this.capitals = value === 'spell' || value === 'icon' ? value : 'none';
        return true;
      case 'voice':
        this.voiceType = given.toLowerCase();
        return true;
      case 'language':
        this.language = given;
        return true;
      case 'synthesis_voice':
        this.voice = given;
        return true;
      default:
        return true;
    }
  }

  sound(): Sound {
    const speed = this.rate >= 0 ? FASTEST ** (this.rate / 100) : SLOWEST ** (-this.rate / 100);
    const shift = 2 ** ((this.pitch / 100) * PITCH_OCTAVES);
    return { speed: speed / shift, sampleRate: Math.round(SAMPLE_RATE * shift), gain: (this.volume + 100) / 200 };
  }
}

/** How samples are shaped: pitch is a higher sample rate, and speech that is slower by as much. */
export interface Sound {
  /** Of the samples, before the sample rate makes them faster. */
  readonly speed: number;
  readonly sampleRate: number;
  /** 0 to 1. */
  readonly gain: number;
}

/** The part of a speed that a server is asked for, and what is left to a stretch here. */
export function partsOf(speed: number): { readonly asked: number; readonly stretch: number } {
  const asked = Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed));
  return { asked, stretch: speed / asked };
}
