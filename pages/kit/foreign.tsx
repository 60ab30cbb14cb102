/** Text that strangers have chosen, and values that are too long for their place. */
import { useState } from 'preact/hooks';

/** Characters of a text that is not broken into lines */
const SHORT = 24;

/** Isolated, so that right-to-left marks in it change nothing around it. */
export function Foreign({ text }: { text: string }) {
  return <bdi class={text.length > SHORT ? 'foreign' : 'foreign short'}>{text}</bdi>;
}

/** Cuts a long text, with the whole on demand. */
export function Cut({ text, characters = 60 }: { text: string; characters?: number }) {
  const [isWhole, setWhole] = useState(false);
  const symbols = Array.from(text);
  if (symbols.length <= characters) return <Foreign text={text} />;
  return (
    <>
      <Foreign text={isWhole ? text : `${symbols.slice(0, characters - 1).join('')}…`} />{' '}
      <button type="button" class="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? 'Show less' : 'Show all'}
      </button>
    </>
  );
}

/** An id in the width of a column: its end says most, because ids in time order begin alike. */
export function Id({ id }: { id: string }) {
  return (
    <code class="id" title={id}>
      {id.length > 16 ? `…${id.slice(-12)}` : id}
    </code>
  );
}
