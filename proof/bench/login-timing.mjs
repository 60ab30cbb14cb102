/**
 * Does the time of a refused login reveal whether the e-mail exists? Medians and a rank-sum statistic (Mann-Whitney),
 * for a gateway that runs with LOGIN_RATE_LIMIT=1000000 LOGIN_MAX_FAILURES=1000000 and has a user EMAIL:
 * `node proof/bench/login-timing.mjs URL EMAIL [SAMPLES]`
 */
import { Agent, request } from 'node:http';

const [url = 'http://127.0.0.1:3000', email = 'admin@example.com', samples = '1000'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Milliseconds until a wrong password is refused. */
function refuse(who) {
  const body = JSON.stringify({ email: who, password: 'not the password at all' });
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(`${url}/auth/login`, { method: 'POST', agent, headers }, (res) => {
      if (res.statusCode !== 401) reject(new Error(`login answered ${res.statusCode}`));
      res.resume().on('end', () => resolve(performance.now() - started));
    });
    sent.on('error', reject).end(body);
  });
}

const unknownEmail = `x${email.slice(1)}`; // of the same length
for (let i = 0; i < 20; i += 1) await refuse(i % 2 === 0 ? email : unknownEmail);

const taken = [];
for (let i = 0; i < Number(samples); i += 1) {
  const order = Math.random() < 0.5 ? [true, false] : [false, true];
  for (const isKnown of order) taken.push({ isKnown, ms: await refuse(isKnown ? email : unknownEmail) });
}
agent.destroy();

const median = (isKnown) => {
  const sorted = taken.filter((sample) => sample.isKnown === isKnown).map(({ ms }) => ms);
  return sorted.sort((a, b) => a - b)[Math.floor(sorted.length / 2)];
};
taken.sort((a, b) => a.ms - b.ms);
const n = taken.length / 2;
const ranks = taken.reduce((sum, { isKnown }, i) => (isKnown ? sum + i + 1 : sum), 0);
const u = ranks - (n * (n + 1)) / 2;
const z = (u - (n * n) / 2) / Math.sqrt((n * n * (2 * n + 1)) / 12);

process.stdout.write(`known ${median(true).toFixed(2)} ms, unknown ${median(false).toFixed(2)} ms (medians of ${n})\n`);
process.stdout.write(
  `P(known slower) ${(u / (n * n)).toFixed(3)}, z ${z.toFixed(2)} (|z| < 2.58: not told apart at 1 %)\n`,
);
