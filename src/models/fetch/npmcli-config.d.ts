/** The part of npm's configuration loader that is used here; it has no types of its own. */
declare module '@npmcli/config' {
  export default class Config {
    constructor(options: {
      definitions: unknown;
      shorthands: unknown;
      flatten: unknown;
      npmPath: string;
      argv?: readonly string[];
      cwd?: string;
      warn?: boolean;
    });
    setEnvs: () => void;
    load(): Promise<void>;
    readonly flat: Record<string, unknown>;
  }
}

declare module '@npmcli/config/lib/definitions/index.js' {
  const npm: { readonly definitions: unknown; readonly shorthands: unknown; readonly flatten: unknown };
  export default npm;
}
