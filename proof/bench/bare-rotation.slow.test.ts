/** What a refresh is compared with is the statement for one call: a batch would be as fast as the gateway, and no bound. */
import { bareRotation } from './bare-rotation.js';

test('sends the form for one call, once for each rotation, and goes on with the successor', async () => {
  const sent: Array<{ name?: string; text: string }> = [];
  const jtis = ['first', 'second'];
  const rotateNext = bareRotation(async ({ name, text }) => {
    sent.push({ ...(name !== undefined && { name }), text });
    return { rows: [{ user_id: 'u', family_id: 'f', role: 'viewer' }] } as never;
  }, jtis);
  await Promise.all([rotateNext(), rotateNext()]);
  expect(sent.map(({ name }) => name)).toEqual(['rotate', 'rotate']);
  expect(sent[0]?.text).not.toContain('unnest');
  expect(jtis).toHaveLength(2);
  expect(jtis).not.toContain('first');
});
