/** What has just been done, shown for a while and read out by screen readers. */
import { signal } from '@preact/signals';

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

export function Announcements() {
  return (
    <div class="announcements" role="status">
      {announced.value !== '' && <p>{announced.value}</p>}
    </div>
  );
}
