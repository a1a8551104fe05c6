/** What `instructions` ask for that can be done: a style by its name. */
import { DELIVERY_STYLES, type DeliveryStyle } from '../../../protocol/delivery/delivery.js';

interface Instructed {
  /** Absent where none is named, or more than one. */
  readonly style?: DeliveryStyle;
  /** Nothing else is asked for. */
  readonly isAll: boolean;
}

export function instructed(instructions = ''): Instructed {
  const words: readonly string[] = instructions.toLowerCase().match(/\p{L}+/gu) ?? [];
  const named = DELIVERY_STYLES.filter((style) => words.includes(style));
  if (named.length !== 1) return { isAll: words.length === 0 };
  return { style: named[0]!, isAll: words.length === 1 };
}
