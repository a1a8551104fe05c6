/**
 * A backtracking matcher that counts its steps. It walks a pattern as the runtime's own engine
 * does, alternative by alternative, so that work inside a single `exec`, which takes no countable
 * time, becomes a number that is the same on every machine.
 */
import { type Node, Parser } from './regexp-parser.js';

/** `split` tries its first target and, where that fails, the second. */
type Instruction =
  | { readonly op: 'char'; readonly test: (char: string) => boolean; readonly forward: boolean }
  | { readonly op: 'assert'; readonly test: (input: string, at: number) => boolean }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'note'; readonly register: string }
  | { readonly op: 'moved'; readonly register: string }
  | { readonly op: 'back'; readonly index: number; readonly forward: boolean }
  | { readonly op: 'look'; readonly wanted: boolean; readonly program: readonly Instruction[] };

/** A pattern as instructions, so that a long match needs no deep recursion. */
class Program {
  readonly instructions: Instruction[] = [];
  #loops = 0;

  static of(node: Node, forward: boolean): readonly Instruction[] {
    const program = new Program();
    program.#add(node, forward);
    return program.instructions;
  }

  #add(node: Node, forward: boolean): void {
    const { instructions } = this;
    if (node.type === 'char') instructions.push({ op: 'char', test: node.test, forward });
    else if (node.type === 'assert') instructions.push({ op: 'assert', test: node.test });
    else if (node.type === 'back') instructions.push({ op: 'back', index: node.index, forward });
    else if (node.type === 'look') {
      instructions.push({ op: 'look', wanted: node.wanted, program: Program.of(node.item, node.ahead) });
    } else if (node.type === 'sequence') {
      for (const item of forward ? node.items : node.items.toReversed()) this.#add(item, forward);
    } else if (node.type === 'choice') this.#choice(node.items, forward);
    else if (node.type === 'group') {
      const edges = [`from ${node.index}`, `to ${node.index}`];
      instructions.push({ op: 'note', register: edges[forward ? 0 : 1]! });
      this.#add(node.item, forward);
      instructions.push({ op: 'note', register: edges[forward ? 1 : 0]! });
    } else this.#repeat(node, forward);
  }

  #choice(items: readonly Node[], forward: boolean): void {
    const ends: { op: 'jump'; to: number }[] = [];
    for (const [i, item] of items.entries()) {
      const split = { op: 'split' as const, first: this.instructions.length + 1, second: 0 };
      if (i < items.length - 1) this.instructions.push(split);
      this.#add(item, forward);
      const jump = { op: 'jump' as const, to: 0 };
      ends.push(jump);
      this.instructions.push(jump);
      split.second = this.instructions.length;
    }
    for (const jump of ends) jump.to = this.instructions.length;
  }

  #repeat({ item, min, max, lazy }: Node & { type: 'repeat' }, forward: boolean): void {
    const { instructions } = this;
    for (let count = 0; count < min; count += 1) this.#add(item, forward);
    const exits: ((to: number) => void)[] = [];
    this.#loops += 1;
    const register = `loop ${this.#loops}`;
    const round = () => {
      const split = { op: 'split' as const, first: 0, second: 0 };
      const [inside, outside] = lazy ? (['second', 'first'] as const) : (['first', 'second'] as const);
      split[inside] = instructions.length + 1;
      exits.push((to) => {
        split[outside] = to;
      });
      instructions.push(split, { op: 'note', register });
      this.#add(item, forward);
      // An empty round goes nowhere.
      instructions.push({ op: 'moved', register });
    };
    const start = instructions.length;
    if (max === Infinity) {
      round();
      instructions.push({ op: 'jump', to: start });
    } else for (let count = min; count < max; count += 1) round();
    for (const exit of exits) exit(instructions.length);
  }
}

type Registers = Map<string, number>;
/** What is gone back to: another way on, or a register as it was. */
type Kept = { readonly pc: number; readonly at: number } | { readonly register: string; readonly was?: number };

/** One run over one text. */
class Run {
  steps = 0;
  readonly #input: string;
  readonly #unicode: boolean;

  constructor(input: string, unicode: boolean) {
    this.#input = input;
    this.#unicode = unicode;
  }

  /** Where a match from `from` on ends. */
  end(program: readonly Instruction[], from: number, registers: Registers = new Map()): number | undefined {
    const kept: Kept[] = [{ pc: 0, at: from }];
    for (let back = kept.pop(); back !== undefined; back = kept.pop()) {
      if ('register' in back) {
        if (back.was === undefined) registers.delete(back.register);
        else registers.set(back.register, back.was);
        continue;
      }
      let { pc } = back;
      let at: number | undefined = back.at;
      while (at !== undefined && pc < program.length) {
        this.steps += 1;
        const instruction: Instruction = program[pc]!;
        pc += 1;
        if (instruction.op === 'jump') pc = instruction.to;
        else if (instruction.op === 'split') {
          pc = instruction.first;
          kept.push({ pc: instruction.second, at });
        } else if (instruction.op === 'note') {
          const was = registers.get(instruction.register);
          kept.push(was === undefined ? { register: instruction.register } : { register: instruction.register, was });
          registers.set(instruction.register, at);
        } else at = this.#step(instruction, at, registers);
      }
      if (at !== undefined) return at;
    }
    return undefined;
  }

  /** The place behind an instruction that has one way on; undefined where it does not hold. */
  #step(instruction: Instruction, at: number, registers: Registers): number | undefined {
    switch (instruction.op) {
      case 'char':
        return this.#char(instruction, at);
      case 'assert':
        return instruction.test(this.#input, at) ? at : undefined;
      case 'moved':
        return registers.get(instruction.register) === at ? undefined : at;
      case 'look':
        return (this.end(instruction.program, at, registers) !== undefined) === instruction.wanted ? at : undefined;
      case 'back': {
        const [from, to] = [registers.get(`from ${instruction.index}`), registers.get(`to ${instruction.index}`)];
        const text = from === undefined || to === undefined ? '' : this.#input.slice(from, to);
        this.steps += text.length;
        const start = instruction.forward ? at : at - text.length;
        if (start < 0 || !this.#input.startsWith(text, start)) return undefined;
        return instruction.forward ? at + text.length : start;
      }
      default:
        throw new Error(instruction.op);
    }
  }

  #char({ test, forward }: { test: (char: string) => boolean; forward: boolean }, at: number): number | undefined {
    const first = forward ? at : at - 1;
    let char = this.#input[first];
    if (this.#unicode) {
      const pair = forward ? this.#input.slice(at, at + 2) : this.#input.slice(Math.max(0, at - 2), at);
      if (pair.length === 2 && pair.codePointAt(0)! > 0xffff) char = pair;
    }
    if (char === undefined || !test(char)) return undefined;
    return forward ? at + char.length : at - char.length;
  }
}

const programs = new Map<string, readonly Instruction[]>();

function programOf(pattern: RegExp): readonly Instruction[] {
  const key = `/${pattern.source}/${pattern.flags}`;
  const known = programs.get(key);
  if (known) return known;
  const program = Program.of(new Parser(pattern).parse(), true);
  programs.set(key, program);
  return program;
}

/**
 * The steps of one `exec` from `lastIndex` on; throws where the runtime's engine found another
 * match.
 */
export function stepsOf(pattern: RegExp, input: string, lastIndex: number, found: RegExpExecArray | null): number {
  const { global, sticky, unicode } = pattern;
  const program = programOf(pattern);
  const run = new Run(input, unicode);
  let at = global || sticky ? lastIndex : 0;
  let end: number | undefined;
  while (at <= input.length) {
    end = run.end(program, at);
    if (end !== undefined || sticky) break;
    at += unicode && input.codePointAt(at)! > 0xffff ? 2 : 1;
  }
  const expected = found === null ? undefined : found.index + found[0].length;
  if (end !== expected) throw new Error(`${pattern} ends at ${expected}, not ${end}, in ${JSON.stringify(input)}`);
  return run.steps;
}
