/** A session in a real Chromium outlives tabs, reloads and answers that are lost. (Interface 12 and 13) */
import type { Browser } from 'playwright-core';
import { tokenOf } from '../../../test/browser/asked.js';
import { servePage } from '../../../test/browser/bundle.js';
import { makeCertificate } from '../../../test/browser/certificate.js';
import { launchChromium } from '../../../test/browser/chromium.js';
import { type Edge, startEdge } from '../../../test/browser/edge.js';
import { close, cut, type Round, reload, tabs } from '../../../test/browser/rounds.js';
import type { Experiment, Row } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const ROUNDS = { small: 4, full: 80 };
const LANES = { small: 1, full: 4 };

/** Of answers some are lost, and the others take so long at most: milliseconds. */
const WITH_RETRY = { retry: true, rounds: [tabs, reload, close, cut], longestMs: 5_000 };
/** What the client does alone: it waits 2.5 s for an answer that a page was left without. */
const WITHOUT = { retry: false, rounds: [tabs, reload, close], longestMs: 2_000 };

export const browsers: Experiment = {
  name: 'browsers',
  isTested: true,
  needs: ['chromium', 'openssl'],
  mutants: [
    {
      name: 'a retry is proven by the key of the attempt before alone',
      file: 'src/auth/retries.ts',
      from: 'successor.retry_key_sha256 in (:current_key, :previous_key)',
      to: 'successor.retry_key_sha256 in (:previous_key)',
      foundBy: /REFRESH_RETRY=true/,
    },
  ],
  run: async (lab, size) => {
    const edges = await Promise.all(upTo(LANES[size]).map(() => edgeOf(lab)));
    const origins = edges.map(({ url }) => url);
    const db = await startPostgres(lab);
    const env = { PUBLIC_URL: origins[0] ?? '', CORS_ORIGINS: origins.join() };
    const gateways = await prepareGateways(lab, db.url, env);
    const withRetry = await gateways.start({ REFRESH_RETRY: 'true' });
    const without = await gateways.start({ REFRESH_RETRY: 'false' });
    const [email = ''] = await createUsers(gateways, db, 1);
    const browser = await launchChromium();
    lab.defer(() => browser.close());

    const rows: Row[] = [];
    for (const { retry, rounds, longestMs } of [WITH_RETRY, WITHOUT]) {
      for (const edge of edges) edge.leadTo((retry ? withRetry : without).url);
      const before = { refreshes: refreshesOf(edges), ...(await counts(db)) };
      const trials = ROUNDS[size];
      const lost: Row = {
        what: `sessions lost in Chromium, REFRESH_RETRY=${retry}`,
        trials,
        least: trials,
        violations: 0,
        examples: [],
      };
      lab.say(`${trials} rounds with REFRESH_RETRY=${retry}`);
      await inLanes(upTo(trials), edges.length, async (number) => {
        const edge = edges.pop();
        const round = rounds[number % rounds.length];
        if (edge === undefined || round === undefined) throw new Error('a lane has an edge of its own');
        const outcome = await outcomeOf(browser, edge, email, round, longestMs);
        edges.push(edge);
        if (outcome === 'same session') return;
        lost.violations += 1;
        lost.examples?.push(`${round.name}: ${outcome}`);
      });
      const after = await counts(db);
      lost.figures = {
        refreshes: refreshesOf(edges) - before.refreshes,
        answered_again: after.retries - before.retries,
      };
      const what = `token_theft events in these rounds, REFRESH_RETRY=${retry}`;
      rows.push(lost, { what, trials, least: trials, violations: after.thefts - before.thefts });
    }
    return rows;
  },
};

async function counts(db: Postgres): Promise<{ thefts: number; retries: number }> {
  const [row = { thefts: 0, retries: 0 }] = await db.query<{ thefts: number; retries: number }>(
    `select (select count(*)::integer from audit_events where event_type = 'token_theft') as thefts,
       (select coalesce(sum(retries), 0)::integer from refresh_tokens) as retries`,
  );
  return row;
}

function refreshesOf(edges: readonly Edge[]): number {
  return edges.reduce((sum, { refreshes }) => sum + refreshes.length, 0);
}

async function edgeOf(lab: Lab): Promise<Edge> {
  const edge = await startEdge(makeCertificate());
  lab.defer(edge.close);
  await servePage(edge, '/', 'client.js');
  return edge;
}

/** One round of somebody who logs in with a profile of their own. */
async function outcomeOf(
  browser: Browser,
  edge: Edge,
  email: string,
  round: Round,
  longestMs: number,
): Promise<'same session' | string> {
  const profile = await browser.newContext();
  try {
    edge.disturb();
    const page = await profile.newPage();
    await page.goto(edge.url);
    await page.evaluate(`auth.login(${JSON.stringify({ email, password: PASSWORD })})`);
    const sid = sidOf(await tokenOf(page));
    const last = await round({ edge, page, longestMs });
    edge.disturb();
    await last.reload();
    return sidOf(await tokenOf(last)) === sid ? 'same session' : 'another session, or none';
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  } finally {
    await profile.close();
  }
}

function sidOf(token: string | undefined): unknown {
  return token && JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')).sid;
}
