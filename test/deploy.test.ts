/**
 * What `deploy/` says is true of the program: its settings, its metrics, its commands; and its
 * files can be read by those they are for.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../src/config.js';
import { startTestServer } from '../testkit/server.js';

const DEPLOY = path.resolve(import.meta.dirname, '../deploy');
const read = (file: string) => readFileSync(path.join(DEPLOY, file), 'utf8');
const flags = new Set(SETTINGS.map(({ key }) => `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`)).add(
  '--models',
);
const variables = new Set(SETTINGS.map(({ env }) => env));

interface Container {
  name: string;
  image: string;
  args: string[];
  env?: { name: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean };
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  stringData?: Record<string, string>;
  data?: Record<string, string>;
  spec?: Record<string, never> & {
    template?: { spec: { containers: Container[] } };
    scaleTargetRef?: { kind: string; name: string };
    metrics?: { external?: { metric: { name: string } }; pods?: { metric: { name: string } } }[];
  };
}
const manifests = (file: string) =>
  parseAllDocuments(read(`kubernetes/${file}`)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });
const { resources } = parse(read('kubernetes/kustomization.yaml')) as { resources: string[] };
const all = resources.flatMap(manifests);
const containers = all.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);

/** Everything a gateway can tell, by its name in Prometheus. */
async function metricNames(): Promise<Set<string>> {
  const server = await startTestServer();
  // As a server with a folder for jobs does.
  server.metrics.jobs.watch(async () => ({ queued: 0, running: 0, bytes: 0 }));
  const text = await server.metrics.text();
  await server.close();
  const kinds = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const suffixes = (kind: string) => (kind === 'histogram' ? ['_bucket', '_count', '_sum'] : ['']);
  return new Set(kinds.flatMap(([, name, kind]) => suffixes(kind!).map((suffix) => `${name}${suffix}`)));
}

describe('the Grafana dashboard', () => {
  const { panels } = JSON.parse(read('grafana/dashboard.json')) as {
    panels: {
      id: number;
      title: string;
      targets: { expr: string }[];
      gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
    }[];
  };

  it('asks for metrics that there are, and leaves none of ours out', async () => {
    const there = await metricNames();
    const asked = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/tts_\w+/g) ?? []));
    expect(asked.filter((name) => !there.has(name))).toEqual([]);
    const ours = [...there].filter((name) => !/^tts_(nodejs|process)_|_(count|sum)$/.test(name));
    expect(ours.filter((name) => !asked.includes(name))).toEqual([]);
  });

  it('has panels that do not lie on each other', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(cells).size).toBe(panels.length);
  });
});

describe('the Kubernetes manifests', () => {
  it('are named by the kustomization, each with a kind and a name of its own', () => {
    const files = readdirSync(path.join(DEPLOY, 'kubernetes')).filter((file) => file.endsWith('.yaml'));
    const beside = ['kustomization.yaml', 'secret.example.yaml', 'prometheus-adapter-values.yaml'];
    expect([...resources, ...beside].sort()).toEqual(files.sort());
    const names = all.map(({ kind, metadata, apiVersion }) => `${apiVersion} ${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(all.length);
  });

  it('start what there is, with settings that there are and keys of the secret', () => {
    const secret = manifests('secret.example.yaml')[0]!;
    for (const { image, args, env = [], securityContext } of containers) {
      expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
      for (const { valueFrom } of env) {
        if (valueFrom) expect(Object.keys(secret.stringData!)).toContain(valueFrom.secretKeyRef.key);
      }
      if (image !== 'tts') continue;
      expect(['serve', 'worker']).toContain(args[0]);
      expect(args.filter((arg) => arg.startsWith('--') && !flags.has(arg))).toEqual([]);
      expect(env.map(({ name }) => name).filter((name) => !variables.has(name))).toEqual([]);
    }
    expect(containers.map(({ name }) => name).sort()).toEqual(['gateway', 'nats', 'worker']);
  });

  it('give the NATS server the files of deploy/nats, with every password that they ask for', () => {
    const { data } = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'nats')!;
    for (const [file, text] of Object.entries(data!)) expect(text).toBe(read(`nats/${file}`));
    const given = containers.find(({ name }) => name === 'nats')!.env!.map(({ name }) => name);
    const asked = Object.values(data!).flatMap((text) => text.match(/(?<=\$)NATS_\w+/g) ?? []);
    expect(asked.filter((name) => !given.includes(name))).toEqual([]);
  });

  it('scale what there is by metrics that there are, which the adapter is told to serve', async () => {
    const there = await metricNames();
    const served = read('kubernetes/prometheus-adapter-values.yaml');
    const scalers = all.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scalers).toHaveLength(2);
    const asked = served.match(/tts_\w+(?=\{)/g) ?? [];
    expect(asked.filter((name) => !there.has(name))).toEqual([]);
    expect(asked).toContain('tts_demand_workers');
    for (const { spec } of scalers) {
      const target = all.find(
        ({ kind, metadata }) => kind === spec!.scaleTargetRef!.kind && metadata.name === spec!.scaleTargetRef!.name,
      );
      expect(target).toBeDefined();
      for (const { external, pods } of spec!.metrics!) {
        const name = (external ?? pods)?.metric.name;
        if (name === undefined) continue;
        expect(served).toContain(`name: { as: ${name} }`);
      }
    }
  });
});

describe('the compose file', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<
      string,
      {
        command?: string[];
        environment?: Record<string, string>;
        depends_on?: object;
        read_only?: boolean;
        volumes?: string[];
      }
    >;
    volumes: object;
  };

  it('starts a gateway, workers, NATS and PostgreSQL, with settings that there are', () => {
    expect(Object.keys(services)).toEqual(['gateway', 'worker', 'nats', 'postgres']);
    for (const name of ['gateway', 'worker'] as const) {
      const { command = [], environment = {}, read_only } = services[name]!;
      expect(read_only).toBe(true);
      expect(command.filter((arg) => arg.startsWith('--') && !flags.has(arg))).toEqual([]);
      expect(Object.keys(environment).filter((variable) => !variables.has(variable))).toEqual([]);
    }
    for (const { depends_on = {}, volumes: mounted = [] } of Object.values(services)) {
      expect(Object.keys(depends_on).filter((name) => !(name in services))).toEqual([]);
      for (const source of mounted.map((mount) => mount.split(':')[0]!)) {
        if (source.startsWith('./')) expect(existsSync(path.join(DEPLOY, source))).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
      }
    }
  });

  it('holds no secret', () => {
    expect(read('compose.yaml')).not.toMatch(/(PASSWORD|TOKEN): (?!\$\{)/);
  });
});

describe('the Dockerfile', () => {
  const lines = read('Dockerfile').replace(/\\\n/g, ' ').split('\n');
  const stages = lines.flatMap((line) => /^FROM (\S+)(?: AS (\S+))?/.exec(line) ?? []).length;

  it('ends as an ordinary user in every stage that is run, and knows the settings it sets', () => {
    expect(stages).toBeGreaterThan(0);
    const users = lines.filter((line) => line.startsWith('USER'));
    expect(users.at(-1)).toBe('USER 10001:10001');
    const set = lines.join('\n').match(/\bTTS_[A-Z_]+(?==)/g) ?? [];
    expect(set.filter((name) => !variables.has(name))).toEqual([]);
    expect(lines.some((line) => line.startsWith('HEALTHCHECK'))).toBe(true);
    for (const target of ['AS build', 'AS cpu', 'AS nvidia']) expect(lines.join('\n')).toContain(target);
  });

  it('is given what it copies', () => {
    const ignored = readFileSync(path.resolve(DEPLOY, '../.dockerignore'), 'utf8').split('\n');
    for (const needed of ['src', 'bin', 'voices', 'package.json', 'package-lock.json', 'tsconfig.build.json']) {
      expect(ignored).not.toContain(needed);
    }
  });
});

const hasSystemd = existsSync('/usr/bin/systemd-analyze');
describe('the systemd units', () => {
  const units = readdirSync(path.join(DEPLOY, 'systemd'));

  it('set settings that there are', () => {
    for (const unit of units) {
      const set = read(`systemd/${unit}`).match(/\bTTS_[A-Z_]+(?==)/g) ?? [];
      expect(set.filter((name) => !variables.has(name))).toEqual([]);
    }
  });

  it.runIf(hasSystemd)('are understood by systemd', () => {
    for (const unit of units) {
      const told = execFileSync('systemd-analyze', ['verify', path.join(DEPLOY, 'systemd', unit)], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
      expect(told).toBe('');
    }
  });
});
