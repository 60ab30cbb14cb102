/** For `build-argon2.js`: whether two builds of argon2 make the same hashes, and how many each makes a second on one core. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const [before, after, verifications] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const [old, made] = [before, after].map((folder) => require(`${folder}/argon2.cjs`));

/** RFC 9106, 5.3 */
const VECTOR = {
  password: Buffer.alloc(32, 1),
  options: {
    type: old.argon2id,
    salt: Buffer.alloc(16, 2),
    secret: Buffer.alloc(8, 3),
    associatedData: Buffer.alloc(12, 4),
    memoryCost: 32,
    timeCost: 3,
    parallelism: 4,
    hashLength: 32,
    raw: true,
  },
  tag: '0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659',
};
const { password, options, tag } = VECTOR;
assert.equal((await made.hash(password, options)).toString('hex'), tag);

/** The gateway's default parameters */
const OURS = { type: old.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const hash = await old.hash('a password', OURS);
assert.ok(await made.verify(hash, 'a password'));
assert.ok(!(await made.verify(hash, 'another')));
assert.ok(await old.verify(await made.hash('a password', OURS), 'a password'));

process.stdout.write(`verifications a second on one core: ${await rateOf(old)} before, ${await rateOf(made)} now\n`);

/** By the time of its core, whatever else the machine does. */
async function rateOf({ verify }) {
  await verify(hash, 'a password'); // its memory is there from now on
  const usage = process.cpuUsage();
  for (let i = 0; i < Number(verifications); i += 1) await verify(hash, 'a password');
  const { user, system } = process.cpuUsage(usage);
  return ((Number(verifications) / (user + system)) * 1e6).toFixed(1);
}
