/** A written form said in Chinese characters, which stand beside others without spaces. */
import { form } from '../../normalize/form.js';

type Form = typeof form;

export const hanForm = (
  name: Parameters<Form>[0],
  begins: Parameters<Form>[1],
  pattern: RegExp,
  say: Parameters<Form>[3],
) => form(name, begins, pattern, say, true);
