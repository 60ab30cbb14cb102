/** Refreshes a second of a running gateway: `node test/bench/refresh.mjs URL EMAIL PASSWORD [SESSIONS] [SECONDS]`. */
import { Agent, request } from 'node:http';

const [url = 'http://127.0.0.1:3000', email, password, sessions = '32', seconds = '10'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(sessions) });

function post(path, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, (res) => {
      const cookie = res.headers['set-cookie']?.[0]?.split(';')[0];
      res.resume().on('end', () => resolve({ status: res.statusCode, cookie }));
    });
    sent.on('error', reject).end(body);
  });
}

const login = () => post('/auth/login', { 'content-type': 'application/json' }, JSON.stringify({ email, password }));
const latencies = [];
const end = performance.now() + Number(seconds) * 1000;

async function session(cookie) {
  let held = cookie;
  while (performance.now() < end) {
    const started = performance.now();
    const answer = await post('/auth/refresh', { cookie: held });
    if (answer.status !== 200) throw new Error(`refresh answered ${answer.status}`);
    latencies.push(performance.now() - started);
    held = answer.cookie;
  }
}

const cookies = [];
for (let i = 0; i < Number(sessions); i += 1) cookies.push((await login()).cookie);
await Promise.all(cookies.map(session));
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.floor(latencies.length * share)]?.toFixed(1);
console.log(`${(latencies.length / Number(seconds)).toFixed(0)} refreshes/s, median ${at(0.5)} ms, p99 ${at(0.99)} ms`);
