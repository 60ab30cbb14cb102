/** Whose page this is: the mark, the name of the product, and its host. (Interface 21) */
import { HOST, PRODUCT_NAME } from './settings.js';

/** @param home where the name leads */
export function Brand({ home }: { home?: string }) {
  const name = (
    <>
      <b>{PRODUCT_NAME}</b> {PRODUCT_NAME !== HOST && <span class="quiet">{HOST}</span>}
    </>
  );
  return <p class="brand">{home === undefined ? <span>{name}</span> : <a href={home}>{name}</a>}</p>;
}
