/** A stretch of marked-up text: its source, what is seen of it, and how that is spoken. */
import type { Language, Prosody, SayAs } from '../../protocol/job.js';

/** How a piece is spoken, where it is not simply the text that is seen. */
export type Said =
  | { readonly kind: 'silent' }
  | { readonly kind: 'break'; readonly ms: number }
  | { readonly kind: 'phoneme'; readonly ipa: string; readonly text: string }
  | { readonly kind: 'sub'; readonly alias: string }
  | { readonly kind: 'say-as'; readonly as: SayAs; readonly text: string };

export interface Piece {
  readonly source: string;
  /**
   * What the segmenter sees: a white space for a break, one letter for an element that must not be
   * cut.
   */
  readonly visible: string;
  /** Absent: the visible text is spoken. */
  readonly said?: Said;
  /** The language of the `<lang>` it stands in, else of the voice where that reads in another. */
  readonly language?: Language;
  /** The voice of the `<voice>` it stands in. */
  readonly voice?: string;
  /** The same object for all of an element. */
  readonly prosody?: Prosody;
  /** A sentence or a paragraph ends and begins here. */
  readonly parts?: 'sentence' | 'paragraph';
}
