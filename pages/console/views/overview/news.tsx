/** Says that there are other rows than those that are shown, which stay until they are asked for. */
import type { Held } from '../../../kit/held.js';

interface Props {
  held: Pick<Held<unknown>, 'isChanged' | 'newCount' | 'show'>;
  /** Such as `failure` */
  noun: string;
}

export function News({ held: { isChanged, newCount, show }, noun }: Props) {
  return (
    <div class="news" role="status">
      {isChanged && (
        <button type="button" class="small" onClick={show}>
          {newCount === 0 ? 'Show what has changed' : `Show ${newCount} new ${noun}${newCount === 1 ? '' : 's'}`}
        </button>
      )}
    </div>
  );
}
