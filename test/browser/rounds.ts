/** What people and networks do to a session in the middle of a refresh, at random. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import { tokenOf } from './asked.js';
import type { Edge, Fault } from './edge.js';

export interface Stage {
  edge: Edge;
  /** Logged in, and not disturbed yet */
  page: Page;
  /** No answer takes longer: milliseconds */
  longestMs: number;
}

/** @returns the page that goes on with the session */
export type Round = (stage: Stage) => Promise<Page>;

const MOST_TABS = 10;

/** Of so many bytes an answer has fewer. */
const BYTES = 2_000;

export const tabs: Round = async ({ edge, page, longestMs }) => {
  const all = [page];
  for (let more = randomInt(1, MOST_TABS); more > 0; more -= 1) all.push(await page.context().newPage());
  edge.disturb(() => slow(longestMs / 4));
  await Promise.all(all.map((tab) => tab.goto(edge.url)));
  const tokens = await Promise.all(all.map(tokenOf));
  if (tokens.includes(undefined)) throw new Error('a tab has no token');
  return page;
};

export const reload: Round = async (stage) => {
  for (let times = randomInt(1, 4); times > 0; times -= 1) await leaveIt(stage, () => stage.page.reload());
  return stage.page;
};

export const close: Round = async (stage) => {
  await leaveIt(stage, () => stage.page.close());
  const page = await stage.page.context().newPage();
  await page.goto(stage.edge.url);
  return page;
};

export const cut: Round = async ({ edge, page }) => {
  const cuts = randomInt(1, 4);
  edge.disturb((number) => (number < cuts ? { cutAt: randomInt(BYTES), doubled: randomInt(4) === 0 } : undefined));
  await page.goto(edge.url);
  await tokenOf(page);
  return page;
};

/** Loads the page, and gives it up at some moment of its refresh: before, while or after that is under way. */
async function leaveIt({ edge, page, longestMs }: Stage, leave: () => Promise<unknown>): Promise<void> {
  edge.disturb(() => slow(longestMs));
  const before = edge.refreshes.length;
  await page.goto(edge.url);
  await until('the page refreshes', () => edge.refreshes.length > before);
  await sleep(randomInt(longestMs));
  await leave();
}

/** So long at most, on both ways together */
function slow(longestMs: number): Fault {
  const thereMs = randomInt(longestMs / 2);
  return { reaches: sleep(thereMs), returns: sleep(thereMs + randomInt(longestMs / 2)) };
}
