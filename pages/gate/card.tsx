/** What stands around each state: whose page this is, a heading, and where the browser is going. (Interface 22) */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Brand } from '../kit/brand.js';
import { Foreign } from '../kit/foreign.js';
import { Heading } from '../kit/heading.js';
import { SERVICE } from './leaving.js';

export function Card({ heading, children }: { heading: string; children: ComponentChildren }) {
  return (
    <main class="alone">
      <Brand />
      <Heading text={heading} />
      {children}
    </main>
  );
}

/** In it a page that has just been opened shows nothing, since most are left at once: milliseconds */
const EARLY_MS = 1_000;

/** While nobody has to do anything. */
export function Waiting({ children }: { children: ComponentChildren }) {
  const [isEarly] = useState(() => performance.now() < EARLY_MS);
  return (
    <main class={isEarly ? 'alone loading' : 'alone'}>
      <Brand />
      <Heading text="One moment" />
      <Destination />
      {children}
    </main>
  );
}

export function Destination() {
  return (
    <p>
      To reach <Service />.
    </p>
  );
}

export function Service() {
  return <Foreign text={SERVICE} />;
}
