/** Whose page this is: the name of the product, and its host. (Interface 21) */
import { HOST, PRODUCT_NAME } from './settings.js';

export function Brand() {
  return (
    <p class="brand">
      {PRODUCT_NAME} {PRODUCT_NAME !== HOST && <span class="quiet">{HOST}</span>}
    </p>
  );
}
