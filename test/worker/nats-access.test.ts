/** Who may reach the broker, and who may read how: TLS, credentials, passwords, prefixes. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { nkeys } from '@nats-io/nats-core';
import { afterEach, describe, expect, it } from 'vitest';
import { hasNats, startNats } from '../../testkit/nats.js';
import { until } from '../support/books/jobs.js';
import { serveSine, watch } from '../support/processes/nats-workers.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
const TLS = path.resolve(import.meta.dirname, '../support/tls');
const CERT = path.join(TLS, 'test-only-cert.pem');

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function folder(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'tts-nats-'));
  open.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function broker(args: readonly string[]) {
  const nats = await startNats(args);
  open.push(() => nats.close());
  return nats;
}

/** Whether two who connect with these options find each other. */
async function meet(nats: Awaited<ReturnType<typeof broker>>, options: object): Promise<void> {
  const [ours, theirs] = await Promise.all([nats.bus(options), nats.bus(options)]);
  open.push(serveSine(theirs, 'w1').close);
  const { pool, workers } = watch(ours);
  open.push(() => workers.close());
  await until(() => pool.state === 'ready');
}

/** A token as NATS has them: claims signed with the key of their issuer. */
function vouch(issuer: ReturnType<typeof nkeys.createUser>, claims: { sub: string; nats: object }): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({
    jti: 'test',
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name: 'test',
    ...claims,
  })}`;
  return `${body}.${Buffer.from(issuer.sign(Buffer.from(body))).toString('base64url')}`;
}

/** A server that admits users of its operator's account, and the credentials file of one. */
function credentials(): { config: string; creds: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const ids = { operator: operator.getPublicKey(), account: account.getPublicKey(), user: user.getPublicKey() };
  const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const operatorToken = vouch(operator, { sub: ids.operator, nats: { type: 'operator', version: 2 } });
  const accountToken = vouch(operator, { sub: ids.account, nats: { type: 'account', version: 2, limits } });
  const userToken = vouch(account, {
    sub: ids.user,
    nats: { type: 'user', version: 2, subs: -1, data: -1, payload: -1 },
  });
  const dir = folder();
  const [config, creds] = [path.join(dir, 'nats.conf'), path.join(dir, 'worker.creds')];
  writeFileSync(
    config,
    `operator: ${operatorToken}\nresolver: MEMORY\nresolver_preload: { ${ids.account}: ${accountToken} }\n`,
  );
  const seed = new TextDecoder().decode(user.getSeed());
  writeFileSync(
    creds,
    `-----BEGIN NATS USER JWT-----\n${userToken}\n------END NATS USER JWT------\n\n` +
      `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
  );
  return { config, creds };
}

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('a broker', () => {
    it('with TLS is reached where its certificate is believed, and not where it is not', async () => {
      const nats = await broker(['--tls', '--tlscert', CERT, '--tlskey', path.join(TLS, 'test-only-key.pem')]);
      const servers = `tls://localhost:${nats.port}`;
      await meet(nats, { servers, caFile: CERT });
      await expect(nats.bus({ servers })).rejects.toMatchObject({ code: 'config_invalid' });
    });

    it('without TLS is not reached by a client that asks for TLS', async () => {
      const nats = await broker([]);
      await expect(nats.bus({ servers: `tls://localhost:${nats.port}`, caFile: CERT })).rejects.toMatchObject({
        code: 'config_invalid',
      });
    });

    it('admits a client with its credentials file, and no other', async () => {
      const { config, creds } = credentials();
      const nats = await broker(['-c', config]);
      await meet(nats, { credsFile: creds });
      await expect(nats.bus()).rejects.toMatchObject({ code: 'config_invalid' });
    });

    it('admits a client with the password, which no error names', async () => {
      const nats = await broker(['--user', 'tts', '--pass', 'open sesame']);
      await meet(nats, { servers: `nats://tts:open%20sesame@127.0.0.1:${nats.port}` });
      const error = await nats.bus({ servers: `nats://tts:wrong-word@127.0.0.1:${nats.port}` }).catch((e) => e);
      expect(error).toMatchObject({ code: 'config_invalid' });
      expect(error.message).toContain(`127.0.0.1:${nats.port}`);
      expect(error.message).not.toMatch(/wrong-word|tts:/);
    });

    it('keeps services apart that have a prefix each', async () => {
      const nats = await broker([]);
      const [ours, theirs] = [await nats.bus({ prefix: 'one' }), await nats.bus({ prefix: 'two' })];
      open.push(serveSine(ours, 'w1').close, serveSine(theirs, 'w2').close);
      const { pool, workers } = watch(ours);
      open.push(() => workers.close());
      await until(() => pool.state === 'ready');
      expect(pool.workers.map(({ id }) => id)).toEqual(['w1']);
    });

    it('is named in the log of a worker without its password, which stands in no process list either', async () => {
      const nats = await broker(['--user', 'tts', '--pass', 'sesame']);
      const url = `nats://tts:sesame@127.0.0.1:${nats.port}`;
      const env = { PATH: process.env.PATH, HOME: folder(), TTS_ENGINE: 'sine' };
      const worker = spawn(process.execPath, [BIN, 'worker'], {
        env: { ...env, TTS_NATS: url },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      open.push(() => worker.kill('SIGKILL'));
      let log = '';
      worker.stderr.on('data', (chunk) => {
        log += chunk;
      });
      await until(() => log.includes('engine ready'));
      expect(log).toContain(`127.0.0.1:${nats.port}`);
      expect(log).not.toContain('sesame');
      expect(readFileSync(`/proc/${worker.pid}/cmdline`, 'utf8')).not.toContain('sesame');
      const exited = new Promise((resolve) => worker.once('exit', resolve));
      worker.kill('SIGTERM');
      expect(await exited).toBe(0);
      for (const command of ['worker', 'serve']) {
        const refused = await promisify(execFile)(process.execPath, [BIN, command, '--nats', url], { env }).catch(
          (e) => e,
        );
        expect(refused.code).toBe(2);
        expect(refused.stderr).toContain('TTS_NATS');
        expect(refused.stderr).not.toContain('sesame');
      }
    });
  });
}
