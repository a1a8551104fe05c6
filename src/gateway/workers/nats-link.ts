/** The gateway's end of a link: numbered messages to one worker while it has jobs there. */
import { randomUUID } from 'node:crypto';
import { type LinkJobRequest, type LinkRequest, linkOf, Numbers, WIRE_VERSION } from '../../worker/nats-wire.js';
import { NATS } from '../tuning.js';

export interface WorkerLinkOptions {
  readonly worker: string;
  readonly gateway: string;
  readonly publish: (message: LinkRequest) => void;
}

export class WorkerLink {
  readonly id: string;
  /** Checks the numbers of what the worker sends. */
  readonly numbers = new Numbers();
  readonly #options: WorkerLinkOptions;
  #sent = 0;
  #missed = false;
  #idleBeats = 0;

  constructor(options: WorkerLinkOptions) {
    this.#options = options;
    this.id = linkOf(options.worker, randomUUID());
  }

  /** A message was to be sent while there was no connection. */
  get missed(): boolean {
    return this.#missed;
  }

  miss(): void {
    this.#missed = true;
  }

  send(message: LinkJobRequest): void {
    const { gateway, publish } = this.#options;
    this.#idleBeats = 0;
    publish({ ...message, v: WIRE_VERSION, gateway, link: this.id, n: this.#sent });
    this.#sent += 1;
  }

  /** Counts a beat. False where the link has had no job for so long that it should end. */
  countBeat(idle: boolean): boolean {
    this.#idleBeats = idle ? this.#idleBeats + 1 : 0;
    return this.#idleBeats <= NATS.idleBeats;
  }

  /** Tells the worker how many messages were sent, so that it notices the loss of the last. */
  sendBeat(): void {
    const { gateway, publish } = this.#options;
    publish({ type: 'beat', v: WIRE_VERSION, link: this.id, gateway, sent: this.#sent });
  }

  end(): void {
    this.#options.publish({ type: 'bye', v: WIRE_VERSION, link: this.id });
  }
}
