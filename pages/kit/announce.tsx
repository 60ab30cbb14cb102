/** What has just been done, shown for a while and read out by screen readers. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { auth } from './auth.js';

const SHOWN_MS = 8_000;

const announced = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  clearTimeout(timer);
  announced.value = text;
  timer = setTimeout(() => {
    announced.value = '';
  }, SHOWN_MS);
}

// It was said to who was logged in.
auth.on('signed-out', () => {
  announced.value = '';
});

export function Announcements() {
  const box = useRef<HTMLDivElement>(null);
  const text = announced.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another height
  useLayoutEffect(() => {
    if (text === '') return;
    const place = (): void => {
      if (box.current === null) return;
      const isTop = matchMedia('(width < 40rem)').matches;
      const free = `${freePlace(box.current, isTop)}px`;
      box.current.style.inset = isTop ? `${free} 1rem auto auto` : `auto 1rem ${free} auto`;
    };
    place();
    const again = setInterval(place, AGAIN_MS); // what is below it scrolls, and changes
    return () => clearInterval(again);
  }, [text]);
  return (
    <div class="announcements" role="status" ref={box}>
      {text !== '' && <p>{text}</p>}
    </div>
  );
}

const AGAIN_MS = 200;
/** From the edge of the window, and between places that are tried: CSS pixels */
const MARGIN = 12;
const STEP = 8;

/** How far from the top or the bottom of the window nothing below it can be clicked or is a heading: CSS pixels. */
function freePlace(box: HTMLElement, isTop: boolean): number {
  const { left, right, height } = box.getBoundingClientRect();
  const targets = [...document.querySelectorAll('a, button, input, select, textarea, summary, label, h1, h2, h3')]
    .map((target) => target.getBoundingClientRect())
    .filter((target) => target.width > 1 && target.right > left && target.left < right);
  for (let free = MARGIN; free + height + MARGIN <= innerHeight; free += STEP) {
    const top = isTop ? free : innerHeight - free - height;
    if (!targets.some((target) => target.bottom > top && target.top < top + height)) return free;
  }
  return MARGIN;
}
