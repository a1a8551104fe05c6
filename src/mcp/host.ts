/** Who speaks for the tools: a server for the holder of a key, or a command on its own machine. */
import type { KeptResult } from './results.js';

/** One call of a tool. */
export interface ToolCall {
  /** Aborts when the agent cancels the call or leaves. */
  readonly signal: AbortSignal;
  /** Tells the agent how far the work is, where it wants to know. */
  progress(done: number, total: number, message: string): void;
}

export interface SpeakRequest {
  readonly text: string;
  readonly voice?: string | undefined;
  readonly language?: string | undefined;
  readonly model?: string | undefined;
  readonly speed?: number | undefined;
  readonly format?: string | undefined;
  /** On the agent's own machine alone. */
  readonly play?: boolean | undefined;
  readonly file?: string | undefined;
}

export interface BookRequest {
  /** A file, on the agent's own machine alone. */
  readonly book?: string | undefined;
  /** Markdown or plain text; else the book is a file. */
  readonly text?: string | undefined;
  readonly title?: string | undefined;
  readonly output?: string | undefined;
  readonly format?: string | undefined;
  readonly voice?: string | undefined;
  readonly model?: string | undefined;
  readonly speed?: number | undefined;
  readonly chapters?: string | undefined;
  readonly replace?: boolean | undefined;
}

export interface Made {
  readonly voice: string;
  readonly model: string;
  readonly audioMs: number;
  readonly played: boolean;
  readonly chapters?: readonly string[];
  /** Absent where nothing but a folder of files was made. */
  readonly result: KeptResult | undefined;
  /** Further lines for people: where it is, what was left out. */
  readonly lines: readonly string[];
}

export interface ListedVoice {
  readonly id: string;
  readonly display_name: string;
  readonly language: string;
  readonly gender: string;
  readonly description: string;
}

export interface ReadingRequest {
  readonly text: string;
  readonly voice?: string | undefined;
  readonly language?: string | undefined;
  readonly ssml?: boolean | undefined;
}

/** Of `explainText` in `src/text`. */
export interface ExplainedReading {
  readonly segments: readonly {
    readonly text: string;
    readonly pause: string;
    readonly forms: readonly { readonly written: string; readonly said: string; readonly phonemes: string }[];
  }[];
  readonly skipped: Readonly<Record<string, number>>;
}

export interface McpHost {
  /** `here`: sound is played and files are read and written on the agent's machine. */
  readonly place: 'here' | 'elsewhere';
  speak(request: SpeakRequest, call: ToolCall): Promise<Made>;
  makeBook(request: BookRequest, call: ToolCall): Promise<Made>;
  /** All voices of a model; of all models where none is named. */
  voices(model: string | undefined, call: ToolCall): Promise<readonly ListedVoice[]>;
  explain(request: ReadingRequest, call: ToolCall): Promise<ExplainedReading>;
}
