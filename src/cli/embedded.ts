/** A server inside a command: loopback, any free port, accounts in memory, an engine that starts when it is needed. */
import type { Config } from '../config.js';
import type { Logger } from '../log.js';

export interface DownloadProgress {
  readonly name: string;
  readonly receivedBytes: number;
  readonly totalBytes: number | undefined;
}

export interface EmbeddedOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Called while a missing model is fetched. */
  readonly onDownload?: (progress: DownloadProgress) => void;
}

export interface EmbeddedServer {
  /** `http://127.0.0.1:PORT`, no slash at the end. */
  readonly baseUrl: string;
  /** A Partner key that is never debited and dies with the server. */
  readonly apiKey: string;
  /**
   * Fetches what is missing and starts the engine; resolves when it can speak, rejects with the reason it cannot. Not
   * needed for the catalogue. The first speech request starts it as well, so calling this early only saves time.
   */
  ready(): Promise<void>;
  close(): Promise<void>;
}
